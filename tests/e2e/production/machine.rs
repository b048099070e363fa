//! A Debian machine with systemd, on which nothing of ours was ever installed.

use std::{
    env, fs,
    io::Read,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;

/// Where the machine sees [`Machine::folder`], which it cannot write to.
const FOLDER: &str = "/mnt";
const PATIENCE: Duration = Duration::from_secs(120);

/// A machine that runs, with no network but its own. Dropping it ends it, with all that was done there.
pub struct Machine {
    container: Child,
    folder: TempDir,
}

impl Machine {
    /// `None` where none boots: `./dev test` has said so.
    pub fn boot() -> Option<Self> {
        let Some(root) = env::var_os("HALYARD_MACHINE").map(PathBuf::from) else {
            eprintln!("not checked: there is no machine (deploy/dev/machine.sh)");
            return None;
        };
        let folder = TempDir::new().unwrap();
        let container = Command::new("systemd-nspawn")
            .args(["--register=no", "--keep-unit", "--quiet", "--boot"])
            .args(["--private-network", "--volatile=overlay"])
            .arg(format!("--machine=halyard-{}", std::process::id()))
            .arg(format!("--directory={}", root.display()))
            .arg(format!("--bind-ro={}:{FOLDER}", folder.path().display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap();
        let machine = Self { container, folder };
        let booted = Instant::now();
        while machine
            .try_run("systemctl is-system-running --wait")
            .is_err()
        {
            assert!(booted.elapsed() < PATIENCE, "the machine does not boot");
            thread::sleep(Duration::from_millis(100));
        }
        Some(machine)
    }

    /// What this machine and the other one share.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Has the editor write this when it is called for the file of that name.
    pub fn edits(&self, file: &str, text: &str) {
        fs::write(self.folder().join(file), text).unwrap();
        self.run(&format!(
            "printf '#!/bin/sh\ncp {FOLDER}/$(basename $1) $1\n' >/usr/local/bin/editor && chmod +x /usr/local/bin/editor"
        ));
    }

    /// What the administrator sees of commands, which must succeed.
    pub fn run(&self, script: &str) -> String {
        self.try_run(script)
            .unwrap_or_else(|printed| panic!("{script}\n{printed}\n{}", self.log()))
    }

    /// The same, where they may fail: what they printed then.
    pub fn try_run(&self, script: &str) -> Result<String, String> {
        let first = self.first_process().ok_or("it has not started")?;
        let (mut reader, writer) = std::io::pipe().unwrap();
        let mut command = Command::new("nsenter");
        command
            .args(["--all", "--target", &first, "env", "--ignore-environment"])
            .args([
                "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                "HOME=/root",
                "LC_ALL=C.UTF-8",
            ])
            .args(["timeout", &PATIENCE.as_secs().to_string(), "bash", "-ec"])
            .arg(format!("cd /root; {script}"))
            .stdin(Stdio::null())
            .stdout(writer.try_clone().unwrap())
            .stderr(writer);
        let mut shell = command.spawn().unwrap();
        drop(command);
        let mut printed = String::new();
        reader.read_to_string(&mut printed).unwrap();
        let ended = shell.wait().unwrap();
        if ended.success() {
            Ok(printed)
        } else {
            Err(printed)
        }
    }

    fn log(&self) -> String {
        let log =
            "journalctl --no-pager --lines 40 --unit halyard --unit halyard-edge --unit nginx";
        self.try_run(log).unwrap_or_else(|printed| printed)
    }

    /// That of the machine, as this one numbers it.
    fn first_process(&self) -> Option<String> {
        let container = self.container.id();
        let children = fs::read_to_string(format!("/proc/{container}/task/{container}/children"));
        children
            .unwrap()
            .split_whitespace()
            .next()
            .map(str::to_owned)
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // With its first process all others end.
        if let Some(first) = self.first_process() {
            drop(Command::new("kill").args(["-KILL", &first]).status());
        }
        drop(self.container.wait());
    }
}
