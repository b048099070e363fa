//! Contents with signatures of several kinds, on top of others.

use std::sync::Arc;

use metrics_exporter_prometheus::PrometheusBuilder;
use protocol::{
    digest,
    signature::{Signature, SigningKey},
    snapshot::{ApiKey, Delta, Flag, Snapshot, Version},
    timestamp::{self, Register},
    wire::{
        frame,
        message::{Epoch, Push},
        signed,
    },
};

use super::*;
use crate::{current::Listing, usage::Ledger};

const EPOCH: Epoch = Epoch([1; 16]);
const NOW: i64 = 1_780_000_000_000;
const MINUTE: i64 = 60_000;

fn signer(number: u8) -> SigningKey {
    SigningKey::from_seed(&[number; 32]).unwrap()
}

fn public(numbers: &[u8]) -> Vec<PublicKey> {
    let numbers = numbers.iter();
    let public = |number: &u8| PublicKey::new(&signer(*number).public_key()).unwrap();
    numbers.map(public).collect()
}

fn snapshot(version: Version, value: &str) -> Snapshot {
    let mut snapshot = Snapshot::default();
    snapshot.head.version = version;
    snapshot.flags = vec![Flag {
        key: "a".to_owned(),
        default_value: value.to_owned(),
        ..Flag::default()
    }];
    snapshot.keys = vec![ApiKey {
        id: uuid::Uuid::from_u128(1).into(),
        hash: [7; 32],
        expires_at_ms: None,
    }];
    snapshot
}

fn signature_of(snapshot: &Snapshot, signer: &SigningKey, at_ms: i64) -> Signature {
    let environment = Environment::prepare(snapshot).unwrap();
    signer.sign(&environment.contents(), at_ms)
}

fn whole(snapshot: &Snapshot) -> Push {
    Push::Snapshot(snapshot.clone(), digest::of(snapshot))
}

fn delta(from: &Snapshot, to: &Snapshot) -> Push {
    Push::Delta(Delta {
        head: to.head.clone(),
        base: from.head.version,
        digest: digest::of(to),
        flags: to.flags.clone(),
        ..Delta::default()
    })
}

fn current(trusted: &[u8]) -> Current {
    let current = Current::new(Arc::new(Ledger::default()));
    current.expect(EPOCH, &Listing::default());
    current.trust(public(trusted));
    current
}

fn env_id() -> EnvId {
    snapshot(1, "").head.env_id
}

/// The version that is served after a push; nothing if it was refused.
fn apply(current: &Current, push: &Push, signature: Option<Signature>) -> Option<Version> {
    let bytes = signed::with(frame::encode(push).unwrap(), signature.as_ref()).into();
    match current.apply(push, Some(&bytes), |_| {}) {
        Outcome::Applied { version, .. } => Some(version),
        Outcome::Resync { .. } => None,
        other => panic!("{other:?}"),
    }
}

/// Why contents were refused last, since some were served.
fn reason(current: &Current) -> Option<SignatureError> {
    current.slot(env_id()).unwrap().turn().refused
}

fn held_signature(current: &Current) -> Option<Signature> {
    let slot = current.slot(env_id()).unwrap();
    slot.load().unwrap().signature().copied()
}

#[test]
fn what_is_signed_is_served_with_its_signature() {
    let current = current(&[1, 2]);
    let (first, second) = (snapshot(7, "1"), snapshot(8, "2"));
    let of_first = signature_of(&first, &signer(1), NOW);
    assert_eq!(apply(&current, &whole(&first), Some(of_first)), Some(7));
    assert_eq!(held_signature(&current), Some(of_first));
    let of_second = signature_of(&second, &signer(2), NOW + 1);
    let next = delta(&first, &second);
    assert_eq!(apply(&current, &next, Some(of_second)), Some(8));
    assert_eq!(held_signature(&current), Some(of_second));
}

#[test]
fn everything_else_is_refused_and_what_is_held_stays() {
    let current = current(&[1]);
    let (held, next) = (snapshot(7, "1"), snapshot(8, "2"));
    let of_held = signature_of(&held, &signer(1), NOW);
    apply(&current, &whole(&held), Some(of_held));
    let forged = snapshot(8, "3");
    let cases = [
        (&next, None, SignatureError::Missing),
        (
            &next,
            Some(signature_of(&next, &signer(2), NOW)),
            SignatureError::Unknown,
        ),
        (
            &forged,
            Some(signature_of(&next, &signer(1), NOW)),
            SignatureError::Wrong,
        ),
        // That of another version.
        (&next, Some(of_held), SignatureError::Wrong),
        (
            &next,
            Some(signature_of(&next, &signer(1), NOW - 6 * MINUTE)),
            SignatureError::Older,
        ),
    ];
    for (contents, signature, why) in cases {
        for push in [whole(contents), delta(&held, contents)] {
            assert_eq!(apply(&current, &push, signature), None, "{why}");
            assert_eq!(reason(&current), Some(why));
        }
    }
    assert_eq!(current.version(env_id()), Some(7));
    let signature = signature_of(&next, &signer(1), NOW - 4 * MINUTE);
    assert_eq!(
        apply(&current, &delta(&held, &next), Some(signature)),
        Some(8)
    );
    assert_eq!(reason(&current), None);
}

#[test]
fn refusals_are_counted_by_their_reasons() {
    let recorder = PrometheusBuilder::new().build_recorder();
    metrics::with_local_recorder(&recorder, || {
        let current = current(&[1]);
        let held = snapshot(7, "1");
        for _ in 0..2 {
            assert_eq!(apply(&current, &whole(&held), None), None);
        }
        let signature = signature_of(&held, &signer(2), NOW);
        apply(&current, &whole(&held), Some(signature));
    });
    let counted = recorder.handle().render();
    for expected in [r#"{reason="missing"} 2"#, r#"{reason="unknown"} 1"#] {
        let line = format!("halyard_edge_refused_signatures_total{expected}");
        assert!(counted.contains(&line), "{line} in {counted}");
    }
}

#[test]
fn a_new_epoch_is_no_way_back_in_time() {
    let current = current(&[1]);
    let held = snapshot(7, "1");
    let signature = signature_of(&held, &signer(1), NOW);
    apply(&current, &whole(&held), Some(signature));
    let old = snapshot(3, "0");
    current.expect(Epoch([2; 16]), &listed(&old));
    let signature = signature_of(&old, &signer(1), NOW - 60 * MINUTE);
    assert_eq!(apply(&current, &whole(&old), Some(signature)), None);
    assert_eq!(reason(&current), Some(SignatureError::Older));
    // What the control plane signs after a restore.
    let signature = signature_of(&old, &signer(1), NOW + MINUTE);
    current.expect(Epoch([3; 16]), &listed(&old));
    assert_eq!(apply(&current, &whole(&old), Some(signature)), Some(3));
}

fn listed(snapshot: &Snapshot) -> Listing {
    Listing {
        environments: vec![protocol::wire::message::Listed {
            env_id: snapshot.head.env_id,
            version: snapshot.head.version,
            digest: Some(digest::of(snapshot)),
        }],
        ..Listing::default()
    }
}

#[test]
fn a_time_that_nobody_vouches_for_says_nothing() {
    let (held, next) = (snapshot(7, "1"), snapshot(8, "2"));
    let far = NOW + 1_000_000 * MINUTE;
    let by_others = signature_of(&held, &signer(2), far);
    let made_up = Signature {
        key: public(&[1])[0].id(),
        ..by_others
    };
    for signature in [by_others, made_up] {
        let current = current(&[]);
        assert_eq!(apply(&current, &whole(&held), Some(signature)), Some(7));
        current.trust(public(&[1]));
        let signature = signature_of(&next, &signer(1), NOW);
        assert_eq!(apply(&current, &whole(&next), Some(signature)), Some(8));
    }
}

#[test]
fn where_nobody_signs_contents_are_taken_as_they_are() {
    let current = current(&[]);
    let held = snapshot(7, "1");
    assert_eq!(apply(&current, &whole(&held), None), Some(7));
    assert!(current.unsigned().is_empty());
    let signature = signature_of(&held, &signer(1), NOW);
    assert_eq!(apply(&current, &whole(&held), Some(signature)), Some(7));
    assert_eq!(held_signature(&current), Some(signature));
}

#[test]
fn what_is_held_without_a_trusted_signature_is_named_once_somebody_signs() {
    let current = current(&[]);
    let held = snapshot(7, "1");
    apply(&current, &whole(&held), None);
    current.trust(public(&[1]));
    assert_eq!(current.unsigned(), [env_id()].into());
    let signature = signature_of(&held, &signer(1), NOW);
    apply(&current, &whole(&held), Some(signature));
    assert!(current.unsigned().is_empty());
    // A key that signs no more.
    current.trust(public(&[2]));
    assert_eq!(current.unsigned(), [env_id()].into());
    // It comes by itself.
    current.expect(EPOCH, &listed(&snapshot(8, "2")));
    assert!(current.unsigned().is_empty());
}

#[test]
fn a_cache_needs_no_signatures_and_its_last_change_brings_one() {
    let current = Current::new(Arc::new(Ledger::default()));
    current.trust(public(&[1]));
    let (first, second) = (snapshot(7, "1"), snapshot(8, "2"));
    assert!(current.restore(EPOCH, &whole(&first), None));
    let signature = signature_of(&second, &signer(1), NOW);
    assert!(current.restore(EPOCH, &delta(&first, &second), Some(signature)));
    assert_eq!(held_signature(&current), Some(signature));
}

fn stamp(current: &Current, version: Version, at_ms: i64) {
    let leaves = vec![timestamp::leaf(env_id(), version), [7; 16]];
    let stamped = Register::sign(&signer(1), leaves, at_ms).stamped().clone();
    if let Some(register) = current.verify_timestamp(stamped).unwrap() {
        current.stamp(Arc::new(register));
    }
}

#[test]
fn what_no_timestamp_names_for_a_while_is_as_old_as_the_last_one_that_did() {
    let current = current(&[1]);
    assert_eq!(current.unproven_ms(NOW), 0, "nothing is served");
    let (held, next) = (snapshot(7, "1"), snapshot(8, "2"));
    let signature = signature_of(&held, &signer(1), NOW - 60 * MINUTE);
    apply(&current, &whole(&held), Some(signature));
    assert_eq!(current.unproven_ms(NOW), 55 * MINUTE, "since it was signed");

    stamp(&current, 7, NOW - MINUTE);
    assert_eq!(current.unproven_ms(NOW), 0);
    assert_eq!(current.unproven_ms(NOW + 5 * MINUTE), MINUTE);
    // There is another version, which is held back; and an earlier timestamp again.
    stamp(&current, 8, NOW + 5 * MINUTE);
    stamp(&current, 7, NOW + 4 * MINUTE);
    assert_eq!(current.unproven_ms(NOW + 5 * MINUTE), MINUTE);

    // What comes after the timestamp that names it.
    let signature = signature_of(&next, &signer(1), NOW);
    let change = delta(&held, &next);
    assert_eq!(apply(&current, &change, Some(signature)), Some(8));
    let served = current.slot(env_id()).unwrap().load().unwrap();
    let proof = current.proof(&served).unwrap();
    assert_eq!(proof.timestamp.at_ms, NOW + 5 * MINUTE);
    stamp(&current, 8, NOW + 6 * MINUTE);
    assert_eq!(current.unproven_ms(NOW + 11 * MINUTE), 0);
}

#[test]
fn timestamps_are_taken_of_whoever_signs_alone() {
    let current = current(&[2]);
    let stamped = Register::sign(&signer(1), vec![[7; 16]], NOW);
    let refused = current.verify_timestamp(stamped.stamped().clone());
    assert_eq!(refused.map(drop), Err(SignatureError::Unknown));
    current.trust(Vec::new());
    let ignored = current.verify_timestamp(stamped.stamped().clone());
    assert!(ignored.unwrap().is_none(), "nobody signs");
    apply(&current, &whole(&snapshot(7, "1")), None);
    assert_eq!(current.unproven_ms(NOW), 0);
}
