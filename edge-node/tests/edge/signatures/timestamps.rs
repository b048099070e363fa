//! Contents that a server above holds back, and says all the same that they are fresh.

use data_encoding::BASE64;
use protocol::{
    timestamp::{Proof, Register, leaf},
    wire::{codec, message::ControlMessage},
};
use serde_json::Value;
use tokio::time::sleep;

use super::{Changes, HOUR, Scene, ack, version};
use crate::{
    authority::{Authority, Signer},
    peer::{NOW_MS, Peer, Process, SLOW},
    support::*,
};

const MINUTE: i64 = 60_000;

/// A timestamp that names a version, among others.
fn timestamp(signer: &Signer, version: u64, at_ms: i64) -> ControlMessage {
    let leaves = vec![leaf(env_id(9), version), [7; 16], [9; 16]];
    let register = Register::sign(&signer.key, leaves, at_ms);
    ControlMessage::Timestamp(register.stamped().clone())
}

/// Waits until the age that an edge admits is as many minutes.
async fn is_aged(process: &Process, minutes: i64) {
    let aged = async {
        loop {
            let answer = process.get("/ready").await;
            let body = answer.split("\r\n\r\n").nth(1).unwrap();
            let body: Value = serde_json::from_str(body).unwrap();
            if body["snapshot_age_ms"].as_i64().map(|age| age / MINUTE) == Some(minutes) {
                return;
            }
            sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, aged)
        .await
        .unwrap_or_else(|_| panic!("never {minutes} minutes"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_no_timestamp_names_is_old_whatever_the_server_above_says() {
    let scene = Scene::new();
    let peer = Peer::signing(&scene.authority, &[&scene.signer]);
    let process = Process::start(&scene.folder, peer.address()).await;
    let held = version(7, true);
    let (mut link, _) = peer.greet(vec![listed(&held)], SLOW).await;
    let push = scene.signer.push(&whole(&held), &held, NOW_MS - HOUR);
    link.push_bytes(&push).await;
    assert_eq!(link.next().await, ack(7));
    is_aged(&process, 55).await;
    let mut changes = Changes::open(&process).await;

    // One by somebody else says nothing, and neither does one that names another version.
    let theirs = Signer::new(&Authority::new(), 2);
    link.send(&timestamp(&theirs, 7, NOW_MS)).await;
    link.send(&timestamp(&scene.signer, 8, NOW_MS - 30 * MINUTE))
        .await;
    is_aged(&process, 55).await;
    link.send(&timestamp(&scene.signer, 7, NOW_MS - 20 * MINUTE))
        .await;
    is_aged(&process, 15).await;
    link.send(&timestamp(&scene.signer, 7, NOW_MS)).await;
    is_aged(&process, 0).await;
    // An earlier one again.
    link.send(&timestamp(&scene.signer, 8, NOW_MS - 10 * MINUTE))
        .await;
    is_aged(&process, 0).await;
    for at_ms in [NOW_MS - 20 * MINUTE, NOW_MS] {
        let told = BASE64.decode(changes.data().await.as_bytes()).unwrap();
        let proof: Proof = codec::decode(&told).unwrap();
        let keys = [scene.signer.public_key()];
        assert_eq!(proof.verify(env_id(9), 7, &keys), Ok(at_ms));
    }
    // Whoever opens a stream is told at once.
    let mut changes = Changes::open(&process).await;
    let told = BASE64.decode(changes.data().await.as_bytes()).unwrap();
    let proof: Proof = codec::decode(&told).unwrap();
    assert_eq!(proof.timestamp.at_ms, NOW_MS);
    process.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn timestamps_are_nothing_where_nobody_signs() {
    let scene = Scene::new();
    let peer = Peer::signing(&scene.authority, &[]);
    let process = Process::start(&scene.folder, peer.address()).await;
    let (held, next) = (version(7, true), version(8, false));
    let (mut link, _) = peer.greet(vec![listed(&held)], SLOW).await;
    link.push(&whole(&held)).await;
    assert_eq!(link.next().await, ack(7));
    link.send(&timestamp(&scene.signer, 8, NOW_MS)).await;
    link.push(&delta(&held, &next)).await;
    assert_eq!(link.next().await, ack(8), "the link goes on");
    is_aged(&process, 0).await;
    process.stop().await;
}
