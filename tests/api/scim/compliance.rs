//! What others say of our SCIM: scim2-tester, a checker of compliance with RFC 7643 and 7644. `./dev test` installs it.

use std::io::Write;
use std::path::PathBuf;

use harness::{App, places};
use serde_json::Value;
use tokio::process::Command;

/// Its Python, in the folder that `./dev test` fills. `None` on a machine that says that it cannot fetch packages.
fn python() -> Option<PathBuf> {
    if std::env::var_os("HALYARD_WITHOUT_SCIM_TESTER").is_some() {
        return None;
    }
    let folder = std::env::var_os("HALYARD_SCIM_TESTER");
    let folder = folder.map_or_else(|| places::target().join("scim-tester"), PathBuf::from);
    let python = folder.join("bin/python");
    assert!(
        python.is_file(),
        "scim2-tester is not in {}: `./dev test` installs it; a machine without a network says HALYARD_WITHOUT_SCIM_TESTER=1",
        folder.display()
    );
    Some(python)
}

#[tokio::test]
async fn scim2_tester_finds_no_fault() {
    let Some(python) = python() else {
        eprintln!("not checked: HALYARD_WITHOUT_SCIM_TESTER is set");
        return;
    };
    let (app, owner) = App::with_owner().await;
    let provider = app.identity_provider(&owner).await;
    let run = Command::new(python)
        .arg(places::repository().join("tests/scim/compliance.py"))
        .env("HALYARD_SCIM_URL", format!("{}/v1/scim", app.url))
        .env("HALYARD_SCIM_TOKEN", &provider.token)
        .output()
        .await
        .expect("python runs");
    let report = String::from_utf8_lossy(&run.stdout);
    // Past what test runners keep to themselves: whoever runs the tests is to see it.
    let mut shown = std::io::stderr();
    shown
        .write_all(&run.stdout)
        .expect("a place for the report");
    shown
        .write_all(&run.stderr)
        .expect("a place for the report");
    assert!(run.status.success());

    let counts = report.lines().last().expect("counts");
    let counts: Value = serde_json::from_str(counts).expect("counts");
    let mut counts: Vec<_> = counts.as_object().expect("counts").iter().collect();
    counts.sort_unstable_by_key(|(status, _)| *status);
    // The one that is skipped searches by POST, which is not offered. A version of the tester with more checks has other numbers.
    let expected = [("SKIPPED", 1), ("SUCCESS", CHECKS)];
    let counts: Vec<_> = counts
        .iter()
        .map(|(status, count)| (status.as_str(), count.as_u64().expect("a number")))
        .collect();
    assert_eq!(counts, expected);
}

/// How many checks the locked version makes of a service with one type of resources and these attributes.
const CHECKS: u64 = 41;
