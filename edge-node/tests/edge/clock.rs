//! The time of the control plane, which every heartbeat tells.

use std::time::Duration;

use crate::{
    peer::{Authority, NOW_MS, Peer, Process, enrolled},
    relays::{Relayed, answer},
    support::*,
};

const DAY_MS: i64 = 24 * 3_600_000;

/// Answers heartbeats with a time until a key is answered with that status.
async fn is_answered_at(now_ms: i64, expires_at_ms: i64, statuses: [&str; 2]) {
    let (peer, folder) = enrolled();
    let process = Process::start(&folder, peer.address()).await;
    let mut contents = snapshot(9, 1, vec![toggle(1, "on", true)]);
    contents.keys = vec![key(KEY, Some(expires_at_ms))];
    let heartbeat = Duration::from_millis(200);
    let (mut link, _) = peer.greet(vec![listed(&contents)], heartbeat).await;
    link.push(&whole(&contents)).await;
    process.becomes_ready().await;
    let [wrong, right] = statuses;
    let answer = process.ask(KEY, "on").await;
    assert!(answer.starts_with(wrong), "{answer}");

    link.now_ms = now_ms;
    becomes(&process, right, async || drop(link.next().await)).await;
    process.stop().await;
}

/// Waits until a request is answered like that, while the other end of the link talks.
async fn becomes(process: &Process, expected: &str, mut talk: impl AsyncFnMut()) {
    let is_answered = async {
        while !process.ask(KEY, "on").await.starts_with(expected) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let talking = async {
        loop {
            talk().await;
        }
    };
    tokio::select! {
        () = is_answered => {}
        () = talking => {}
        () = tokio::time::sleep(PATIENCE) => panic!("never {expected}"),
    }
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

#[tokio::test(flavor = "multi_thread")]
async fn an_edge_below_a_relay_is_told_the_time_that_the_relay_is_told() {
    let authority = Authority::new();
    let peer = Peer::new(&authority, &authority);
    let mut contents = snapshot(9, 1, vec![toggle(1, "on", true)]);
    contents.keys = vec![key(KEY, Some(NOW_MS - DAY_MS))];
    let heartbeat = Duration::from_millis(200);
    let mut above = Relayed::start(&authority, &peer, &contents, heartbeat).await;
    above.link.push(&whole(&contents)).await;
    let leaf = Process::start(&above.below, above.address).await;
    let link = &mut above.link;
    // The key is there, and has expired by the time of the greeting; of an unknown one the relay would be asked.
    becomes(&leaf, "HTTP/1.1 401 ", async || answer(link).await).await;
    link.now_ms = NOW_MS - 2 * DAY_MS;
    becomes(&leaf, "HTTP/1.1 200 ", async || answer(link).await).await;
    leaf.stop().await;
    above.relay.stop().await;
}
