//! `halyardctl` against a control plane and an edge.

mod change_sets;
mod document;
mod errors;
mod gitops;
mod import;
mod references;
mod session;
mod terminal;

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};

use harness::{User, places};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::scene::Scene;

/// A home folder with the program's settings.
struct Home {
    folder: TempDir,
    url: String,
}

/// What a command wrote, and how it ended.
struct Ended {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Home {
    fn new(url: &str) -> Self {
        Self {
            folder: TempDir::new().expect("a temporary folder"),
            url: url.to_owned(),
        }
    }

    /// A home that is logged in with this token.
    fn logged_in(scene: &Scene, token: &str) -> Self {
        let home = Self::new(&scene.stack.url);
        home.log_in(token).expect(0);
        home
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn log_in(&self, token: &str) -> Ended {
        let arguments = ["login", "--url", &self.url, "--with-token"];
        self.run_with(&arguments, &[], &format!("{token}\n"))
    }

    /// Runs the program with nothing on its standard input.
    fn run(&self, arguments: &[&str]) -> Ended {
        self.run_with(arguments, &[], "")
    }

    fn run_with(&self, arguments: &[&str], settings: &[(&str, &str)], input: &str) -> Ended {
        let mut command = Command::new(places::binary("halyardctl"));
        command
            .args(arguments)
            .env_clear()
            .env("XDG_CONFIG_HOME", self.path())
            .envs(settings.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program runs");
        let mut stdin = child.stdin.take().expect("a pipe");
        // It may end without reading.
        drop(stdin.write_all(input.as_bytes()));
        drop(stdin);
        let output = child.wait_with_output().expect("the program ends");
        Ended::new(&output)
    }

    /// The answer of a command, which must succeed.
    fn json(&self, arguments: &[&str]) -> Value {
        let ended = self.run(&[arguments, &["-o", "json"]].concat());
        ended.expect(0);
        serde_json::from_str(&ended.stdout).expect("an answer in JSON")
    }
}

impl Ended {
    fn new(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            code: output.status.code().expect("no signal ended it"),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }

    fn expect(&self, code: i32) -> &Self {
        let Self { stdout, stderr, .. } = self;
        assert_eq!(self.code, code, "stdout: {stdout}\nstderr: {stderr}");
        self
    }

    /// The code and the only line on standard error.
    fn expect_error(&self, code: i32, message: &str) {
        self.expect(code);
        assert_eq!(self.stderr, format!("halyardctl: {message}\n"));
        assert_eq!(self.stdout, "");
    }
}

/// A new access token of a user.
async fn token(user: &User, more: Value) -> String {
    let mut body = json!({"name": "cli"});
    let fields = more.as_object().expect("fields").clone();
    body.as_object_mut().expect("fields").extend(fields);
    user.create("/v1/me/tokens", body).await.text("/token")
}

/// The file of contexts.
fn contexts(home: &Home) -> String {
    let file = home.path().join("halyard/contexts.toml");
    fs::read_to_string(file).expect("the file of contexts")
}
