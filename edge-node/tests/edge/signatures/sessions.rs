//! Who signs, from one session to the next and within one.

use std::time::Duration;

use edge_node::config::Signatures;
use protocol::wire::{message::ControlMessage, signed};
use tempfile::TempDir;
use tokio::time::timeout;

use super::{Scene, ack, fetch, is_fetched, resync, version};
use crate::{
    authority::{Authority, Signer},
    peer::{NOW_MS, Peer, Process, SLOW},
    support::*,
};

#[tokio::test(flavor = "multi_thread")]
async fn signers_take_turns() {
    let scene = Scene::new();
    let (_peer, process, mut link) = scene.connected().await;
    let second = Signer::new(&scene.authority, 2);
    let name = |signers: &[&Signer]| ControlMessage::Signers {
        certificates: signers.iter().map(|one| one.certificate.clone()).collect(),
    };
    link.send(&name(&[&scene.signer, &second])).await;
    let states: Vec<_> = (7..=11).map(|n| version(n, n % 2 == 1)).collect();
    let push = |signer: &Signer, to: usize| {
        signer.push(&delta(&states[to - 1], &states[to]), &states[to], NOW_MS)
    };
    link.push_bytes(&push(&scene.signer, 1)).await;
    assert_eq!(link.next().await, ack(8));

    // What the first one signed is asked for, so that it gets the second one's signature.
    link.send(&name(&[&second])).await;
    assert_eq!(link.next().await, resync());
    link.push_bytes(&push(&scene.signer, 2)).await;
    assert_eq!(link.next().await, resync());
    let again = second.push(&whole(&states[1]), &states[1], NOW_MS);
    link.push_bytes(&again).await;
    assert_eq!(link.next().await, ack(8));
    is_fetched(&process, 8, &second).await;
    link.push_bytes(&push(&second, 2)).await;
    assert_eq!(link.next().await, ack(9));

    // Nobody any more, within a session.
    link.send(&name(&[])).await;
    timeout(PATIENCE, link.connection.closed()).await.unwrap();
    process.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_held_without_a_signature_is_asked_for_once() {
    let scene = Scene::new();
    let before = Peer::new(&scene.authority, &scene.authority);
    let process = Process::start(&scene.folder, before.address()).await;
    let held = version(7, true);
    let (mut link, _) = before.greet(vec![listed(&held)], SLOW).await;
    link.push(&whole(&held)).await;
    assert_eq!(link.next().await, ack(7));
    assert_eq!(signed::signature(&fetch(&process).await), Ok(None));
    process.stop().await;

    let peer = Peer::signing(&scene.authority, &[&scene.signer]);
    let process = Process::start(&scene.folder, peer.address()).await;
    let (mut link, _) = peer.greet(vec![listed(&held)], SLOW).await;
    assert_eq!(link.next().await, resync());
    // One that does not sign what it says that it signs.
    link.push(&whole(&held)).await;
    assert_eq!(link.next().await, resync(), "it was refused");
    let more = timeout(Duration::from_secs(2), link.next()).await;
    assert!(more.is_err(), "{more:?}");
    link.push_bytes(&scene.signer.push(&whole(&held), &held, NOW_MS))
        .await;
    assert_eq!(link.next().await, ack(7));
    is_fetched(&process, 7, &scene.signer).await;
    process.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn where_signatures_are_required_nothing_is_taken_from_who_does_not_sign() {
    let scene = Scene::new();
    let (_signing, process, _link) = scene.connected().await;
    process.stop().await;

    let theirs = Signer::new(&Authority::new(), 2);
    let peers = [
        Peer::new(&scene.authority, &scene.authority),
        Peer::signing(&scene.authority, &[]),
        Peer::signing(&scene.authority, &[&theirs]),
    ];
    for peer in peers {
        let process =
            Process::start_taking(&scene.folder, peer.address(), Signatures::Required).await;
        process.becomes_ready().await;
        for _ in 0..2 {
            // Not even that nothing belongs to it.
            let (link, _) = peer.greet(Vec::new(), SLOW).await;
            timeout(PATIENCE, link.connection.closed()).await.unwrap();
        }
        process.eventually("/ready", r#""connected":false"#).await;
        assert!(process.ask(KEY, "a").await.contains(r#""value":true"#));
        process.stop().await;
    }

    let peer = Peer::signing(&scene.authority, &[&theirs, &scene.signer]);
    let process = Process::start_taking(&scene.folder, peer.address(), Signatures::Required).await;
    let (held, next) = (version(7, true), version(8, false));
    let (mut link, _) = peer.greet(vec![listed(&next)], SLOW).await;
    link.push_bytes(&scene.signer.push(&delta(&held, &next), &next, NOW_MS))
        .await;
    assert_eq!(link.next().await, ack(8));
    process.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn where_they_are_optional_contents_are_taken_from_who_does_not_sign() {
    let scene = Scene::new();
    let (_signing, process, _link) = scene.connected().await;
    process.stop().await;
    let (held, next) = (version(7, true), version(8, false));
    let theirs = Signer::new(&Authority::new(), 2);
    let peer = Peer::signing(&scene.authority, &[&theirs]);
    let process = Process::start(&scene.folder, peer.address()).await;
    let (mut link, _) = peer.greet(vec![listed(&next)], SLOW).await;
    link.push(&delta(&held, &next)).await;
    assert_eq!(link.next().await, ack(8));
    assert_eq!(signed::signature(&fetch(&process).await), Ok(None));
    // It is not asked for signatures that it does not have.
    let more = timeout(Duration::from_secs(1), link.next()).await;
    assert!(more.is_err(), "{more:?}");
    process.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_control_plane_that_speaks_of_signatures_names_signers_first() {
    let scene = Scene::new();
    let mut peer = Peer::signing(&scene.authority, &[&scene.signer]);
    let process = Process::start(&scene.folder, peer.address()).await;
    for signers in [None, Some(vec![scene.signer.certificate.clone(); 17])] {
        peer.signers = signers;
        let (link, _) = peer.greet(Vec::new(), SLOW).await;
        timeout(PATIENCE, link.connection.closed()).await.unwrap();
    }
    // In the version before, nobody names any.
    let before = Peer::new(&scene.authority, &scene.authority);
    let other = TempDir::new().unwrap();
    scene.authority.enroll(other.path());
    let second = Process::start(&other, before.address()).await;
    let (mut link, _) = before.greet(Vec::new(), SLOW).await;
    second.is_greeted().await;
    let certificates = vec![scene.signer.certificate.clone()];
    link.send(&ControlMessage::Signers { certificates }).await;
    timeout(PATIENCE, link.connection.closed()).await.unwrap();
    second.stop().await;
    process.stop().await;
}
