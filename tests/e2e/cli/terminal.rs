//! What people see: tables, completions, manual pages, and nothing that moves their cursor.

use std::{
    fs,
    io::Write,
    process::{Command, Stdio},
};

use harness::places;
use serde_json::json;

use super::{Home, token};
use crate::scene::Scene;

#[tokio::test]
async fn tables_show_what_others_wrote_without_acting_on_it() {
    let scene = Scene::start().await;
    let token = token(&scene.owner, json!({})).await;
    let home = Home::logged_in(&scene, &token);
    let evil = "plain\u{202e}turned";
    let path = format!("/v1/projects/{}/segments", scene.project);
    let body = json!({"key": "evil", "name": evil, "rules": []});
    let answer = scene.owner.post(&path, body).await;
    let name = if answer.status == 201 { evil } else { "plain" };
    if answer.status != 201 {
        scene
            .owner
            .create(&path, json!({"key": "evil", "name": name, "rules": []}))
            .await;
    }
    let shown = home.run(&["segment", "list", "--project", "default"]);
    shown.expect(0);
    assert!(
        !shown.stdout.contains(['\u{1b}', '\u{202e}']),
        "{}",
        shown.stdout
    );
    assert!(shown.stdout.starts_with("KEY "), "{}", shown.stdout);
    assert!(shown.stdout.contains("evil"), "{}", shown.stdout);
    let yaml = home.run(&["project", "list", "-o", "yaml"]);
    assert!(
        yaml.expect(0).stdout.starts_with("data:\n  - "),
        "{}",
        yaml.stdout
    );
}

#[test]
fn completions_and_manual_pages_are_made_without_a_service() {
    let home = Home::new("http://127.0.0.1:1");
    for shell in ["bash", "zsh", "fish"] {
        let script = home.run(&["completions", shell]);
        assert!(script.expect(0).stdout.contains("halyardctl"), "{shell}");
    }
    let out = home.path().join("man");
    home.run(&["man", "--out", out.to_str().unwrap()]).expect(0);
    let pages: Vec<_> = fs::read_dir(&out).unwrap().collect();
    assert!(pages.len() > 50, "{}", pages.len());
    let page = fs::read_to_string(out.join("halyardctl-flag-kill.1")).unwrap();
    assert!(page.contains("Switch a flag off at once"), "{page}");
    let version = home.run(&["version"]);
    assert_eq!(
        version.expect(0).stdout,
        format!("halyardctl {}\n", env!("CARGO_PKG_VERSION"))
    );
}

/// What a terminal shows of a command, where somebody types `typed`.
fn in_terminal(home: &Home, command: &str, settings: &[(&str, &str)], typed: &str) -> String {
    let program = places::binary("halyardctl");
    let mut script = Command::new("script");
    script
        .args(["--quiet", "--return", "--command"])
        .arg(format!(
            "{} {command}; echo ended with $?",
            program.display()
        ))
        .arg("/dev/null")
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("TERM", "xterm")
        .env("XDG_CONFIG_HOME", home.path())
        .envs(settings.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = script.spawn().expect("script runs (bsdutils)");
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(typed.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test]
async fn a_terminal_is_asked_before_a_deletion_and_has_titles_in_bold() {
    let scene = Scene::start().await;
    let token = token(&scene.owner, json!({})).await;
    let home = Home::logged_in(&scene, &token);
    let path = format!("/v1/projects/{}/segments", scene.project);
    let body = json!({"key": "old", "name": "Old", "rules": []});
    scene.owner.create(&path, body).await;
    let delete = "segment delete old --project default";
    let refused = in_terminal(&home, delete, &[], "n\n");
    let question = "deleting segment old cannot be taken back. Go on? [y/N]";
    assert!(refused.contains(question), "{refused}");
    assert!(
        refused.contains("halyardctl: nothing was done"),
        "{refused}"
    );
    assert!(refused.contains("ended with 1"), "{refused}");
    let list = "segment list --project default";
    let shown = in_terminal(&home, list, &[], "");
    assert!(shown.contains("\u{1b}[1mKEY"), "{shown:?}");
    let plain = in_terminal(&home, list, &[("NO_COLOR", "1")], "");
    assert!(
        plain.contains("KEY") && !plain.contains('\u{1b}'),
        "{plain:?}"
    );
    let done = in_terminal(&home, delete, &[], "y\n");
    assert!(done.contains("deleted segment old"), "{done}");
    assert_eq!(scene.owner.get(&path).await.body["total"], 0);
}
