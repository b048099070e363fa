//! The edge process and the other end of its link: connecting, receiving, losing the link, starting without it.

use std::time::Duration;

use protocol::{
    snapshot::{Digest, Snapshot},
    wire::{
        frame,
        message::{ControlMessage, EdgeMessage, Holds, Push},
        relay::SERVER_NAME,
    },
};
use rcgen::{
    CertificateParams,
    ExtendedKeyUsagePurpose::{self, ClientAuth, ServerAuth},
};
use tempfile::TempDir;
use tokio::time::Instant;

use crate::{
    peer::{Authority, EPOCH, Link, NOW_MS, Peer, Process, SLOW, cut, enrolled},
    support::*,
};

fn version(number: u64, enabled: bool) -> Snapshot {
    snapshot(9, number, vec![toggle(1, "a", enabled)])
}

fn ack(version: u64) -> EdgeMessage {
    EdgeMessage::Ack {
        env_id: env_id(9),
        version,
    }
}

fn resync() -> EdgeMessage {
    EdgeMessage::Resync { env_id: env_id(9) }
}

/// An edge that is connected and serves version 7.
async fn connected() -> (Peer, TempDir, Process, Link) {
    let (peer, folder) = enrolled();
    let process = Process::start(&folder, peer.address()).await;
    let (mut link, hello) = peer.greet(vec![listed(&version(7, true))], SLOW).await;
    assert_eq!(
        (hello.holds, hello.epoch),
        (Holds::Listed(Vec::new()), None)
    );
    assert!(process.get("/ready").await.starts_with("HTTP/1.1 503 "));
    link.push(&whole(&version(7, true))).await;
    assert_eq!(link.next().await, ack(7));
    assert!(process.get("/ready").await.starts_with("HTTP/1.1 200 "));
    (peer, folder, process, link)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edge_joins_serves_and_acknowledges() {
    let (_peer, _folder, process, mut link) = connected().await;
    assert!(process.ask(KEY, "a").await.contains(r#""value":true"#));
    link.push(&delta(&version(7, true), &version(8, false)))
        .await;
    assert_eq!(link.next().await, ack(8));
    let answer = process.ask(KEY, "a").await;
    assert!(
        answer.contains("x-snapshot-version: 8") && answer.contains(r#""value":false"#),
        "{answer}"
    );
    process.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delta_that_overtook_its_snapshot_waits_for_it() {
    let (_peer, _folder, process, mut link) = connected().await;
    let large = |version: u64, first: bool| {
        let others =
            (2..2_000).map(|number| toggle(number, &format!("b-{number}-{version}"), true));
        snapshot(
            9,
            version,
            [toggle(1, "a", first)].into_iter().chain(others).collect(),
        )
    };
    let frame = frame::encode(&whole(&large(10, true))).unwrap();
    let (start, rest) = frame.split_at(frame.len() / 2);
    let mut slow = link.connection.open_uni().await.unwrap();
    slow.write_all(start).await.unwrap();
    let mut next = large(10, true);
    next.head.version = 11;
    next.flags[0] = toggle(1, "a", false);
    link.push(&delta(&large(10, true), &next)).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    slow.write_all(rest).await.unwrap();
    slow.finish().unwrap();
    assert_eq!(link.next().await, ack(10));
    assert_eq!(link.next().await, ack(11));
    process.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delta_that_does_not_fit_is_answered_with_resync() {
    let (_peer, _folder, process, mut link) = connected().await;
    link.push(&delta(&version(8, true), &version(9, false)))
        .await;
    assert_eq!(link.next().await, resync());
    link.push(&whole(&version(9, false))).await;
    assert_eq!(link.next().await, ack(9));
    process.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pushes_that_cannot_be_used_change_nothing_and_leave_the_link_alone() {
    let (_peer, _folder, process, mut link) = connected().await;
    link.push_bytes(&[0xff; 5]).await;
    link.push_bytes(&[0xff, 0xff, 0xff, 0xff, 0]).await;
    link.push_bytes(b"\x05\0\0\0\0nope!").await;
    link.push_bytes(b"\x05\0\0\0\x01nope!").await;
    link.push_bytes(b"\x50\0\0").await;
    link.push(&Push::Snapshot(version(8, false), Digest([0; 32])))
        .await;
    assert_eq!(link.next().await, resync());
    link.push(&delta(&version(7, true), &version(9, true)))
        .await;
    assert_eq!(link.next().await, ack(9));
    assert!(process.ask(KEY, "a").await.contains(r#""value":true"#));
    link.push(&whole(&version(8, false))).await;
    assert_eq!(link.next().await, ack(9));
    assert!(
        process
            .ask(KEY, "a")
            .await
            .contains("x-snapshot-version: 9")
    );
    link.push(&Push::Removed { env_id: env_id(9) }).await;
    assert_eq!(link.next().await, ack(0));
    is_refused_as_unknown(&process, &mut link, KEY).await;
    process.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_lost_link_the_edge_keeps_serving_and_reports_what_it_holds() {
    let (peer, _folder, process, link) = connected().await;
    cut(&link);
    assert!(process.ask(KEY, "a").await.contains(r#""value":true"#));
    // Until the edge knows that the link is lost, there might be an answer.
    let begun = Instant::now();
    loop {
        let answer = process.ask(NOBODY, "a").await;
        if answer.starts_with("HTTP/1.1 401 ") {
            break;
        }
        assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
        assert!(begun.elapsed() < PATIENCE, "the link is not given up");
    }
    let (mut link, hello) = peer.greet(vec![listed(&version(8, false))], SLOW).await;
    assert_eq!(
        (hello.epoch, hello.holds),
        (Some(EPOCH), Holds::Listed(vec![held(&version(7, true))]))
    );
    link.push(&delta(&version(7, true), &version(8, false)))
        .await;
    assert_eq!(link.next().await, ack(8));
    process.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_silent_link_is_given_up_and_a_draining_one_left() {
    let (peer, folder) = enrolled();
    let process = Process::start(&folder, peer.address()).await;
    let (_silent, _) = peer.greet(Vec::new(), Duration::from_millis(50)).await;
    let (mut draining, _) = peer.greet(Vec::new(), SLOW).await;
    draining
        .send(&ControlMessage::Drain { retry_after_ms: 10 })
        .await;
    peer.greet(Vec::new(), SLOW).await;
    process.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edge_that_is_refused_keeps_trying_and_serves_nothing() {
    let (ours, theirs) = (Authority::new(), Authority::new());
    let folder = TempDir::new().unwrap();
    ours.enroll(folder.path());
    let peer = Peer::new(&ours, &theirs);
    let process = Process::start(&folder, peer.address()).await;
    for _ in 0..3 {
        assert!(peer.connection().await.is_err());
    }
    assert!(process.ask(KEY, "a").await.starts_with("HTTP/1.1 503 "));
    process.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edge_does_not_talk_to_a_stranger() {
    let (ours, theirs) = (Authority::new(), Authority::new());
    let folder = TempDir::new().unwrap();
    ours.enroll(folder.path());
    let peer = Peer::new(&theirs, &ours);
    let process = Process::start(&folder, peer.address()).await;
    assert!(peer.connection().await.is_err());
    process.stop().await;
}

/// A peer with a certificate for these names and purposes, and an edge that connects to it.
async fn towards(names: &[&str], purposes: &[ExtendedKeyUsagePurpose]) -> (Peer, TempDir, Process) {
    let authority = Authority::new();
    let folder = TempDir::new().unwrap();
    authority.enroll(folder.path());
    let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    let mut params = CertificateParams::new(names).unwrap();
    params.extended_key_usages = purposes.to_vec();
    let peer = Peer::presenting(&params, &authority, &authority);
    let process = Process::start(&folder, peer.address()).await;
    (peer, folder, process)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edge_is_fed_by_a_relay() {
    let (peer, _folder, process) =
        towards(&["relay-1", SERVER_NAME], &[ClientAuth, ServerAuth]).await;
    let (mut link, _) = peer.greet(vec![listed(&version(7, true))], SLOW).await;
    link.push(&whole(&version(7, true))).await;
    assert_eq!(link.next().await, ack(7));
    process.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edge_is_not_fed_by_another_edge() {
    for name in ["edge-2", SERVER_NAME, "halyard-control"] {
        let (peer, _folder, process) = towards(&[name], &[ClientAuth]).await;
        assert!(peer.connection().await.is_err(), "{name}");
        process.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restarted_edge_serves_from_its_cache_without_a_control_plane() {
    let (peer, folder, process, mut link) = connected().await;
    for number in 8..20 {
        link.push(&delta(
            &version(number - 1, number % 2 == 0),
            &version(number, number % 2 == 1),
        ))
        .await;
        assert_eq!(link.next().await, ack(number));
    }
    process.stop().await;
    let address = peer.address();
    drop((peer, link));

    let process = Process::start(&folder, address).await;
    process.becomes_ready().await;
    assert!(
        process
            .ask(KEY, "a")
            .await
            .contains("x-snapshot-version: 19\r\n")
    );
    process.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edge_whose_disk_fails_serves_all_the_same() {
    let (peer, folder) = enrolled();
    std::fs::write(folder.path().join("cache"), "in the way").unwrap();
    let process = Process::start(&folder, peer.address()).await;
    let (mut link, _) = peer.greet(vec![listed(&version(7, true))], SLOW).await;
    link.push(&whole(&version(7, true))).await;
    assert_eq!(link.next().await, ack(7));
    link.push(&delta(&version(7, true), &version(8, false)))
        .await;
    assert_eq!(link.next().await, ack(8));
    process.becomes_ready().await;
    assert!(
        process
            .ask(KEY, "a")
            .await
            .contains("x-snapshot-version: 8\r\n")
    );
    process.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restarted_edge_drops_what_no_longer_belongs_to_it() {
    let (peer, folder, process, _link) = connected().await;
    process.stop().await;
    for expected in [vec![held(&version(7, true))], Vec::new()] {
        let process = Process::start(&folder, peer.address()).await;
        let (_link, hello) = peer.greet(Vec::new(), SLOW).await;
        assert_eq!(hello.holds, Holds::Listed(expected));
        process.is_greeted().await;
        process.stop().await;
    }
}

/// Asks with a key that the control plane does not know.
async fn is_refused_as_unknown(process: &Process, link: &mut Link, key: &str) {
    let answering = async {
        let EdgeMessage::LookupKey { request, .. } = link.next().await else {
            panic!("no question")
        };
        link.send(&ControlMessage::KeyUnknown { request }).await;
    };
    let (answer, ()) = tokio::join!(process.ask(key, "a"), answering);
    assert!(answer.starts_with("HTTP/1.1 401 "), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_key_is_looked_up_over_the_link() {
    let (_peer, _folder, process, mut link) = connected().await;
    let mut next = version(8, true);
    next.keys.push(key(LATE, None));
    next.keys.sort_by_key(|key| key.hash);

    let asking = process.ask(LATE, "a");
    let answering = async {
        let EdgeMessage::LookupKey { request, hash } = link.next().await else {
            panic!("no question")
        };
        assert_eq!(hash, key(LATE, None).hash);
        link.send(&ControlMessage::KeyFound {
            request,
            env_id: env_id(9),
            version: 8,
        })
        .await;
        link.push(&delta(&version(7, true), &next)).await;
        assert_eq!(link.next().await, ack(8));
    };
    let (answer, ()) = tokio::join!(asking, answering);
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");

    is_refused_as_unknown(&process, &mut link, NOBODY).await;
    assert!(process.ask(NOBODY, "a").await.starts_with("HTTP/1.1 401 "));
    process.stop().await;
}

/// The control plane's clock is months ahead of this machine's.
#[tokio::test(flavor = "multi_thread")]
async fn a_key_expires_by_the_clock_of_the_control_plane() {
    let (peer, folder) = enrolled();
    let process = Process::start(&folder, peer.address()).await;
    let mut contents = version(7, true);
    contents.keys = vec![
        key(KEY, Some(NOW_MS + 3_000)),
        key("hk_dev_expired", Some(NOW_MS - 1)),
    ];
    let (mut link, _) = peer.greet(vec![listed(&contents)], SLOW).await;
    link.push(&whole(&contents)).await;
    assert_eq!(link.next().await, ack(7));

    let is_refused = |answer: &str| answer.starts_with("HTTP/1.1 401 ");
    assert!(is_refused(&process.ask("hk_dev_expired", "a").await));
    assert!(!is_refused(&process.ask(KEY, "a").await));
    let begun = Instant::now();
    while !is_refused(&process.ask(KEY, "a").await) {
        assert!(
            begun.elapsed() < Duration::from_secs(8),
            "the key never expires"
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    process.stop().await;
}
