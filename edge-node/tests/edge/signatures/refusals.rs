//! What is not signed, or not for what it is.

use std::time::Duration;

use protocol::wire::{message::Epoch, signed::SIGNATURE};
use rcgen::{CertificateParams, ExtendedKeyUsagePurpose::ServerAuth, KeyPair};
use tokio::time::timeout;

use super::{HOUR, Scene, ack, resync, version};
use crate::{
    authority::{Authority, Signer, with},
    peer::{NOW_MS, Peer, Process, SLOW, cut},
    support::*,
};

const OTHER_EPOCH: Epoch = Epoch([2; 16]);

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_signed_for_what_it_is_changes_nothing() {
    let scene = Scene::new();
    let theirs = Signer::new(&Authority::new(), 2);
    let named = Signer::named(&scene.authority, 3, "edge-1");
    let mut peer = Peer::signing(&scene.authority, &[&scene.signer, &theirs, &named]);
    let p256 = {
        let mut params = CertificateParams::new(vec!["halyard-signer".to_owned()]).unwrap();
        params.extended_key_usages = vec![ServerAuth];
        let key = KeyPair::generate().unwrap();
        scene.authority.sign(&params, &key).der().to_vec()
    };
    peer.signers.as_mut().unwrap().push(p256);
    let process = Process::start(&scene.folder, peer.address()).await;
    let held = version(7, true);
    let (mut link, _) = peer.greet(vec![listed(&held)], SLOW).await;
    let first = scene.signer.push(&whole(&held), &held, NOW_MS);
    link.push_bytes(&first).await;
    assert_eq!(link.next().await, ack(7));

    let next = version(8, false);
    let mut forged = next.clone();
    forged.flags.push(toggle(2, "b", true));
    let cases = [
        ("unsigned", &next, None),
        (
            "of another authority",
            &next,
            Some(theirs.sign(&next, NOW_MS)),
        ),
        (
            "with the name of an edge",
            &next,
            Some(named.sign(&next, NOW_MS)),
        ),
        (
            "with a flag more",
            &forged,
            Some(scene.signer.sign(&next, NOW_MS)),
        ),
        (
            "of another version",
            &next,
            Some(scene.signer.sign(&held, NOW_MS)),
        ),
        (
            "of an hour ago",
            &next,
            Some(scene.signer.sign(&next, NOW_MS - HOUR)),
        ),
    ];
    for (how, contents, signature) in cases {
        for push in [whole(contents), delta(&held, contents)] {
            match &signature {
                Some(signature) => link.push_bytes(&with(&push, signature)).await,
                None => link.push(&push).await,
            }
            assert_eq!(link.next().await, resync(), "{how}");
            let answer = process.ask(KEY, "a").await;
            assert!(answer.contains("x-snapshot-version: 7"), "{how}: {answer}");
        }
    }
    let push = scene.signer.push(&delta(&held, &next), &next, NOW_MS);
    link.push_bytes(&push).await;
    assert_eq!(link.next().await, ack(8));
    process.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_history_is_no_way_back() {
    let scene = Scene::new();
    let (mut peer, process, link) = scene.connected().await;
    cut(&link);
    peer.epoch = OTHER_EPOCH;
    let old = version(3, false);
    let (mut link, _) = peer.greet(vec![listed(&old)], SLOW).await;
    link.push_bytes(&scene.signer.push(&whole(&old), &old, NOW_MS - HOUR))
        .await;
    assert_eq!(link.next().await, resync());
    assert!(process.ask(KEY, "a").await.contains(r#""value":true"#));
    // Signed anew after a restore.
    link.push_bytes(&scene.signer.push(&whole(&old), &old, NOW_MS + 1))
        .await;
    assert_eq!(link.next().await, ack(3));
    process.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_with_half_a_signature_is_none() {
    let scene = Scene::new();
    let (_peer, process, mut link) = scene.connected().await;
    let (held, next) = (version(7, true), version(8, false));
    let push = scene.signer.push(&delta(&held, &next), &next, NOW_MS);
    link.push_bytes(&push[..push.len() - 1]).await;
    link.push_bytes(&[&push[..], &[0]].concat()).await;
    link.push_bytes(&[&push[..], &[0; SIGNATURE]].concat())
        .await;
    let more = timeout(Duration::from_millis(500), link.next()).await;
    assert!(more.is_err(), "{more:?}");
    link.push_bytes(&push).await;
    assert_eq!(link.next().await, ack(8));
    process.stop().await;
}
