//! A client that starts from a file.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod greeting;
mod sample;
mod server;

use std::{
    fs,
    path::PathBuf,
    time::{Duration, Instant},
};

use axum::http::StatusCode;
use halyard::{Client, State};
use tempfile::TempDir;

use self::{
    greeting::{greeting, says},
    sample::environment,
    server::{KEY, Server, eventually},
};

fn file() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flags");
    (folder, path)
}

/// A server whose flag says `v2`, after a client with this file has seen it change; the client has ended.
async fn copied(path: &PathBuf) -> Server {
    let server = Server::start(environment(1, vec![says("v1")])).await;
    let client = server.client().local_copy(path).start().await.unwrap();
    server.send_delta(&server.change(says("v2")));
    eventually("the change", || greeting(&client) == "v2").await;
    client.close().await;
    server
}

#[tokio::test]
async fn a_client_starts_with_nothing_running() {
    let (_folder, path) = file();
    drop(copied(&path).await);
    let begin = Instant::now();
    let client = Client::builder(KEY, "http://127.0.0.1:9").local_copy(&path);
    let client = client.start().await.unwrap();
    assert!(begin.elapsed() < Duration::from_secs(1));
    assert_eq!(greeting(&client), "v2");
    let State::Stale { since } = client.status().state else {
        panic!("{:?}", client.status());
    };
    let written = fs::metadata(&path).unwrap().modified().unwrap();
    let age = written.duration_since(since).unwrap();
    assert!(age < Duration::from_millis(1), "{age:?}");

    let offline = Client::from_snapshot_file(&path).unwrap();
    assert_eq!(
        (greeting(&offline), offline.status().version),
        ("v2".to_owned(), Some(2))
    );
}

#[tokio::test]
async fn what_was_copied_is_not_fetched_again() {
    let (_folder, path) = file();
    let server = copied(&path).await;
    let client = server.client().local_copy(&path).start().await.unwrap();
    eventually("it is ready", || client.status().state == State::Ready).await;
    assert_eq!(server.fetched(), (1, 2));
    server.send_delta(&server.change(says("v3")));
    eventually("the change", || greeting(&client) == "v3").await;
    client.close().await;
    let offline = Client::from_snapshot_file(&path).unwrap();
    assert_eq!(greeting(&offline), "v3");
}

#[tokio::test]
async fn a_copy_that_is_old_is_brought_up_to_date() {
    let (_folder, path) = file();
    let server = copied(&path).await;
    server.change(says("v3"));
    let client = server.client().local_copy(&path).start().await.unwrap();
    eventually("the change", || greeting(&client) == "v3").await;
    assert_eq!(client.status().state, State::Ready);
}

#[tokio::test]
async fn a_damaged_copy_is_not_used_and_is_replaced() {
    let (_folder, path) = file();
    let server = copied(&path).await;
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    fs::write(&path, &bytes).unwrap();
    let refused = Client::from_snapshot_file(&path).unwrap_err().to_string();
    assert!(
        refused.ends_with("it is damaged: contents with another checksum"),
        "{refused}"
    );

    server.refuse(Some(StatusCode::SERVICE_UNAVAILABLE));
    let client = server
        .client()
        .local_copy(&path)
        .start_without_waiting()
        .unwrap();
    assert_eq!(greeting(&client), "none");
    let why = client.status().last_error.unwrap();
    assert!(why.starts_with("the local copy is not used"), "{why}");
    server.refuse(None);
    eventually("flags are there", || greeting(&client) == "v2").await;
    client.close().await;
    assert_eq!(greeting(&Client::from_snapshot_file(&path).unwrap()), "v2");
}

#[tokio::test]
async fn a_copy_that_cannot_be_written_disturbs_nothing() {
    let (folder, path) = file();
    fs::create_dir(&path).unwrap();
    let server = Server::start(environment(1, vec![says("v1")])).await;
    let client = server.client().local_copy(&path).start().await.unwrap();
    assert_eq!(greeting(&client), "v1");
    client.close().await;
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        1,
        "nothing is left behind"
    );
}
