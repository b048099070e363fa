//! `docs/cli.md`: its sessions are run as they are written.

use std::{
    fs,
    process::{Command, Stdio},
};

use harness::places;
use serde_json::json;

use super::{Home, token};
use crate::scene::Scene;

/// Stands between the outputs of commands.
const MARK: &str = "-- next --";

/// The commands of the document, each with what it prints.
fn sessions(document: &str) -> Vec<(String, Vec<String>)> {
    let mut commands: Vec<(String, Vec<String>)> = Vec::new();
    let mut inside = false;
    for line in document.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if let (true, Some(command)) = (inside, line.strip_prefix("$ ")) {
            commands.push((command.to_owned(), Vec::new()));
        } else if inside {
            let printed = &mut commands.last_mut().expect("a command first").1;
            printed.push(line.to_owned());
        }
    }
    commands
}

/// Whether a line is as written: `…` stands for anything, and spaces for any number of them.
fn is_like(written: &str, line: &str) -> bool {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let parts: Vec<_> = written.split('…').map(regex::escape).collect();
    let pattern = words(&parts.join(".*")).replace(' ', "\\s*");
    let pattern = regex::Regex::new(&format!("^{pattern}$")).expect("a pattern");
    pattern.is_match(&words(line))
}

/// Whether lines are as written: a line of `…` alone stands for any number of lines.
fn are_like(written: &[String], lines: &[&str]) -> bool {
    match (written.split_first(), lines.split_first()) {
        (None, rest) => rest.is_none(),
        (Some((first, rest)), _) if first == "…" => {
            (0..=lines.len()).any(|skipped| are_like(rest, &lines[skipped..]))
        }
        (Some(_), None) => false,
        (Some((first, rest)), Some((line, others))) => {
            is_like(first, line) && are_like(rest, others)
        }
    }
}

#[tokio::test]
async fn the_sessions_of_the_document_are_what_happens() {
    let scene = Scene::start().await;
    happens(&scene, "docs/cli.md").await;
}

#[tokio::test]
async fn the_sessions_of_flags_as_files_are_what_happens() {
    let scene = Scene::start().await;
    happens(&scene, "docs/gitops.md").await;
}

async fn happens(scene: &Scene, document: &str) {
    let home = Home::new(&scene.stack.url);
    let token = token(&scene.owner, json!({})).await;
    fs::write(home.path().join("token.txt"), format!("{token}\n")).unwrap();
    let document = fs::read_to_string(places::repository().join(document)).unwrap();
    let commands = sessions(&document);
    assert!(commands.len() > 10, "{commands:?}");

    let script: Vec<_> = commands
        .iter()
        // The status of a command is that of the one before, for `echo $?`.
        .map(|(command, _)| format!("(exit $status)\n{command}\nstatus=$?\necho '{MARK}'\n"))
        .collect();
    let folder = places::binary("halyardctl");
    let folder = folder.parent().unwrap();
    let mut shell = Command::new("sh");
    shell
        .arg("-c")
        .arg(format!("exec 2>&1\nstatus=0\n{}", script.concat()))
        .current_dir(home.path())
        .env_clear()
        .env("PATH", format!("{}:/usr/bin:/bin", folder.display()))
        .env("XDG_CONFIG_HOME", home.path())
        .env("URL", &scene.stack.url)
        .stdin(Stdio::null());
    let output = shell.output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let printed: Vec<_> = printed.split(&format!("{MARK}\n")).collect();

    assert_eq!(printed.len(), commands.len() + 1, "{}", printed.join("\n"));
    for ((command, written), printed) in commands.iter().zip(printed) {
        let lines: Vec<_> = printed.lines().collect();
        assert!(
            are_like(written, &lines),
            "$ {command}\nis written as\n{}\nand prints\n{printed}",
            written.join("\n")
        );
    }
}

#[test]
fn outputs_are_compared() {
    let written = ["a  …  c", "…", "d"].map(str::to_owned);
    assert!(are_like(&written, &["a b c", "d"]));
    assert!(are_like(&written, &["a  b b  c", "x", "y", "d"]));
    assert!(!are_like(&written, &["a b c", "x"]));
    assert!(!are_like(&written, &["b b c", "d"]));
    assert!(!are_like(&written[..1], &["a b c", "d"]));
}
