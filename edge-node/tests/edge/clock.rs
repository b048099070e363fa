//! The time of the control plane, which every heartbeat tells.

use std::time::Duration;

use protocol::{digest, wire::message::Listed};
use tempfile::TempDir;

use crate::{
    peer::{Authority, NOW_MS, Peer, Process},
    support::*,
};

const DAY_MS: i64 = 24 * 3_600_000;

/// Answers heartbeats with a time until a key is answered with that status.
async fn is_answered_at(now_ms: i64, expires_at_ms: i64, statuses: [&str; 2]) {
    let authority = Authority::new();
    let folder = TempDir::new().unwrap();
    authority.enroll(folder.path());
    let peer = Peer::new(&authority, &authority);
    let process = Process::start(&folder, peer.address()).await;
    let mut contents = snapshot(9, 1, vec![toggle(1, "on", true)]);
    contents.keys = vec![key(KEY, Some(expires_at_ms))];
    let listed = Listed {
        env_id: contents.head.env_id,
        version: contents.head.version,
        digest: Some(digest::of(&contents)),
    };
    let heartbeat = Duration::from_millis(200);
    let (mut link, _) = peer.greet(vec![listed], heartbeat).await;
    link.push(&whole(&contents)).await;
    process.becomes_ready().await;
    let [wrong, right] = statuses;
    let answer = process.ask(KEY, "on").await;
    assert!(answer.starts_with(wrong), "{answer}");

    link.now_ms = now_ms;
    let corrected = async {
        while !process.ask(KEY, "on").await.starts_with(right) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let talking = async {
        loop {
            link.next().await;
        }
    };
    tokio::select! {
        () = corrected => {}
        () = talking => {}
        () = tokio::time::sleep(PATIENCE) => panic!("the time is not corrected"),
    }
    process.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_was_ahead_at_the_greeting_is_corrected_by_heartbeats() {
    let statuses = ["HTTP/1.1 401 ", "HTTP/1.1 200 "];
    is_answered_at(NOW_MS - 2 * DAY_MS, NOW_MS - DAY_MS, statuses).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_was_behind_at_the_greeting_is_corrected_by_heartbeats() {
    let statuses = ["HTTP/1.1 200 ", "HTTP/1.1 401 "];
    is_answered_at(NOW_MS + 2 * DAY_MS, NOW_MS + DAY_MS, statuses).await;
}
