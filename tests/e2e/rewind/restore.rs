//! `halyard backup` and `halyard restore`: what came after a backup is lost, and edges follow what is there.

use std::{env, ffi::OsStr, fs, path::Path, process::Command};

use harness::cluster::Cluster;
use tempfile::TempDir;

use super::Rewindable;
use crate::{proxies::proxy::program, scene::value_at};

/// A service with a backup of the value `kept`, after which `lost` was served.
async fn backed_up() -> (Rewindable, TempDir, String) {
    let it = Rewindable::start().await;
    it.serve("kept").await;
    it.edge_serves("kept").await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("halyard.dump");
    let file = file.to_str().unwrap().to_owned();
    let told = it.stack.halyard(&["backup", "--out", &file]);
    let size = fs::metadata(&file).unwrap().len();
    assert_eq!(told, format!("{size} bytes, complete and readable\n"));
    it.serve_everywhere("lost").await;
    it.edge_serves("lost").await;
    (it, folder, file)
}

/// That the log tells of the restore once.
fn is_told_once(it: &Rewindable) {
    let log = it.stack.control.log();
    let words = "the database was restored, copied or failed over";
    assert_eq!(log.matches(words).count(), 1, "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn edges_follow_a_backup_that_is_restored_into_a_fresh_cluster() {
    let (mut it, _folder, file) = backed_up().await;
    assert!(it.stack.control.terminate().success());
    assert_eq!(
        value_at(&it.edge.with_key(&it.key)).await,
        "lost",
        "edges serve on"
    );

    it.cluster = Cluster::start();
    it.stack.control.set("DATABASE_URL", it.cluster.url());
    assert_eq!(it.stack.halyard(&["restore", &file]), "restored\n");
    it.stack.start_control().await;
    it.edge_serves("kept").await;
    assert!(it.rewinds("identity").await);
    it.serve_everywhere("new").await;
    it.edge_serves("new").await;

    // It is told once, and not at each start.
    assert!(it.stack.control.terminate().success());
    it.stack.start_control().await;
    it.edge_serves("new").await;
    is_told_once(&it);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_replaces_what_a_database_holds_while_control_planes_run() {
    let (it, _folder, file) = backed_up().await;
    let refused = it.stack.control.refused(&["restore", &file]);
    assert!(
        refused.contains("have all of it deleted by --replace"),
        "{refused}"
    );
    let refused = it.stack.control.refused(&["restore", "--replace", &file]);
    assert!(
        refused.contains("a control plane runs or ran seconds ago"),
        "{refused}"
    );
    it.edge_serves("lost").await;

    let told = it
        .stack
        .halyard(&["restore", "--replace", "--while-running", &file]);
    assert_eq!(told, "restored\n");
    it.edge_serves("kept").await;
    it.serve_everywhere("new").await;
    it.edge_serves("new").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_backup_changes_nothing() {
    let (mut it, _folder, file) = backed_up().await;
    let refused = it.stack.control.refused(&["backup", "--out", &file]);
    assert!(refused.contains("is there already"), "{refused}");
    assert!(it.stack.control.terminate().success());
    let whole = fs::read(&file).unwrap();
    fs::write(&file, &whole[..whole.len() * 9 / 10]).unwrap();
    let refused = it.stack.control.refused(&["restore", "--replace", &file]);
    assert!(refused.contains("nothing was restored"), "{refused}");
    it.stack.start_control().await;
    it.edge_serves("lost").await;
    it.serve_everywhere("new").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_that_fails_leaves_no_file() {
    let (mut it, folder, _file) = backed_up().await;
    it.stack.control.set("PATH", "/nonexistent");
    let out = folder.path().join("second.dump");
    let refused = it
        .stack
        .control
        .refused(&["backup", "--out", out.to_str().unwrap()]);
    assert!(
        refused.contains("cannot run pg_dump, which has to be in PATH"),
        "{refused}"
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// Makes a file of an identity; gives its path and the recipient it can read for.
fn identity(keygen: &Path, folder: &TempDir, name: &str) -> (String, String) {
    let path = folder.path().join(name);
    let run = |args: &[&OsStr]| {
        let made = Command::new(keygen).args(args).output().unwrap();
        assert!(made.status.success(), "{made:?}");
        String::from_utf8(made.stdout).unwrap().trim().to_owned()
    };
    run(&["-o".as_ref(), path.as_ref()]);
    let recipient = run(&["-y".as_ref(), path.as_ref()]);
    (path.to_str().unwrap().to_owned(), recipient)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_encrypted_backup_is_restored_by_its_identity_alone() {
    let (Some(age), Some(keygen)) = (program("age"), program("age-keygen")) else {
        return;
    };
    let (mut it, folder, _file) = backed_up().await;
    let path = env::var("PATH").unwrap();
    let path = format!("{}:{path}", age.parent().unwrap().display());
    it.stack.control.set("PATH", &path);
    let (own, recipient) = identity(&keygen, &folder, "own");
    let (foreign, _) = identity(&keygen, &folder, "foreign");
    let file = folder.path().join("halyard.age");
    let file = file.to_str().unwrap();
    let backup = ["backup", "--out", file, "--recipient", &recipient];
    let told = it.stack.halyard(&backup);
    let written = fs::read(file).unwrap();
    assert_eq!(
        told,
        format!("{} bytes, complete and readable\n", written.len())
    );
    assert!(written.starts_with(b"age-encryption.org/v1\n"));
    it.serve_everywhere("after").await;
    it.edge_serves("after").await;

    let restore = ["restore", "--replace", "--while-running", file];
    for args in [&[][..], &["--identity", &foreign]] {
        let refused = it.stack.control.refused(&[&restore[..], args].concat());
        assert!(refused.contains("nothing was restored"), "{refused}");
    }
    it.edge_serves("after").await;
    let restore = [&restore[..], &["--identity", &own]].concat();
    assert_eq!(it.stack.halyard(&restore), "restored\n");
    it.edge_serves("lost").await;
}
