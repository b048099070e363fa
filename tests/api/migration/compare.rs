//! `deploy/compare/compare.py`, run beside the real platforms.

use std::path::Path;

use harness::{App, places};
use serde_json::{Value, json};
use tokio::process::Command;

/// Asks a platform and Halyard for these flags and contexts: the lines that it prints, and whether all agrees.
pub async fn compare(
    python: &Path,
    platform: &str,
    settings: &[(&str, &str)],
    flags: &[&str],
    users: &[Value],
) -> (Vec<Value>, bool) {
    let folder = tempfile::tempdir().unwrap();
    let (of_flags, of_users) = (folder.path().join("flags"), folder.path().join("users"));
    let users: Vec<_> = users.iter().map(Value::to_string).collect();
    std::fs::write(&of_flags, flags.join("\n")).unwrap();
    std::fs::write(&of_users, users.join("\n")).unwrap();
    let run = Command::new(python.join("bin/python"))
        .arg(places::repository().join("deploy/compare/compare.py"))
        .arg(platform)
        .arg("--flags")
        .arg(of_flags)
        .arg("--users")
        .arg(of_users)
        .envs(settings.iter().copied())
        .output()
        .await
        .unwrap();
    let errors = String::from_utf8_lossy(&run.stderr);
    assert!(
        run.status.code().is_some_and(|code| code < 2) && errors.is_empty(),
        "{errors}"
    );
    let lines = String::from_utf8(run.stdout).unwrap();
    let lines = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    (lines.collect(), run.status.success())
}

/// Demands that nothing differs.
pub async fn expect_agreement(
    app: &App,
    key: &str,
    python: &Path,
    platform: &str,
    settings: &[(&str, &str)],
    flags: &[&str],
    users: &[Value],
) {
    let halyard = [("HALYARD_URL", app.url.as_str()), ("HALYARD_KEY", key)];
    let settings = [settings, &halyard].concat();
    let (lines, agrees) = compare(python, platform, &settings, flags, users).await;
    let compared = flags.len() * users.len();
    assert_eq!(lines, [json!({"compared": compared, "differ": 0})]);
    assert!(agrees);
}
