//! The bytes of the protocol, pinned: frames written by an older build are read the same.
//!
//! The files in `golden/` are written only if `HALYARD_WRITE_GOLDEN` is set, and only those that are missing: a changed
//! file would mean that edges in the field no longer understand us.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod messages;
mod sample;

use std::{
    fmt::Debug,
    fs,
    path::{Path, PathBuf},
};

use messages::{control_messages, edge_messages, proof, pushes, read, report, uploads};
use protocol::{
    digest,
    eval::Environment,
    signature::{PublicKey, SigningKey},
    snapshot::{Delta, Digest, Head},
    wire::{
        codec::{Decode, Encode},
        frame,
        message::Push,
        sdk, signed,
    },
};
use sample::snapshot;

fn golden(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden"))
        .join(name)
        .with_extension("bin")
}

#[expect(
    clippy::disallowed_methods,
    reason = "asks whether to write the files, which only a person may decide"
)]
fn is_writing() -> bool {
    std::env::var("HALYARD_WRITE_GOLDEN").is_ok()
}

fn pinned<M: Encode + Decode<()> + PartialEq + Debug>(messages: Vec<(&str, M)>) {
    for (name, message) in messages {
        let frame = frame::encode(&message).unwrap();
        let file = golden(name);
        if is_writing() && !file.exists() {
            fs::write(&file, &frame).unwrap();
        }
        assert_eq!(fs::read(&file).unwrap(), frame, "{name}: the bytes changed");
        assert_eq!(
            read::<M>(&frame, frame::PUSH_LIMIT).unwrap(),
            message,
            "{name}"
        );
    }
}

#[test]
fn messages_of_edges_keep_their_bytes() {
    pinned(edge_messages());
}

#[test]
fn messages_of_the_control_plane_keep_their_bytes() {
    pinned(control_messages());
}

#[test]
fn pushes_keep_their_bytes() {
    pinned(pushes());
}

#[test]
fn a_signed_push_keeps_its_bytes() {
    let snapshot = snapshot();
    let environment = Environment::prepare(&snapshot).unwrap();
    let key = SigningKey::from_seed(&[7; 32]).unwrap();
    let signature = key.sign(&environment.contents(), 1_780_000_000_123);
    let push = Push::Snapshot(snapshot, environment.digest());
    let signed = signed::with(frame::encode(&push).unwrap(), Some(&signature));
    let file = golden("push_signed");
    if is_writing() && !file.exists() {
        fs::write(&file, &signed).unwrap();
    }
    let stored = fs::read(&file).unwrap();
    assert_eq!(stored, signed);
    let read = signed::signature(&stored).unwrap().unwrap();
    let public = [PublicKey::new(&key.public_key()).unwrap()];
    assert_eq!(read.verify(&environment.contents(), &public), Ok(()));
}

#[test]
fn uploads_keep_their_bytes() {
    pinned(uploads());
}

/// Format 1 of what SDKs hold: without API keys, under a digest of what is left.
#[test]
fn messages_of_sdks_keep_their_bytes_and_hold_no_keys() {
    let held = snapshot();
    let change = Delta {
        head: Head {
            version: 42,
            ..held.head.clone()
        },
        base: 41,
        removed_keys: vec![held.keys[0].hash],
        removed_segments: vec![held.segments[0].key.clone()],
        ..Delta::default()
    };
    let mut after = held.clone();
    after.segments.clear();
    after.keys.clear();
    after.head.version = 42;
    let prepared = Environment::prepare(&after).unwrap();
    let (whole, delta) = (sdk::snapshot(held), sdk::delta(&change, &prepared));

    let Push::Snapshot(whole_snapshot, digest) = &whole else {
        panic!("not a snapshot");
    };
    assert!(whole_snapshot.keys.is_empty());
    let environment = Environment::prepare(whole_snapshot).unwrap();
    assert_eq!(environment.digest(), *digest);
    let Push::Delta(keyless) = &delta else {
        panic!("not a delta");
    };
    assert!(keyless.removed_keys.is_empty());
    let environment = environment.apply(keyless).unwrap();
    assert_eq!(environment.digest(), sdk::digest_without_keys(&prepared));

    pinned(vec![("sdk_snapshot", whole), ("sdk_delta", delta)]);
    pinned(vec![("sdk_report", report())]);
    pinned(vec![("sdk_proof", proof())]);
}

#[test]
fn an_environment_with_keys_has_the_digest_without_them_too() {
    let with_keys = Environment::prepare(&snapshot()).unwrap();
    let Push::Snapshot(_, digest) = sdk::snapshot(snapshot()) else {
        panic!("not a snapshot");
    };
    assert_eq!(sdk::digest_without_keys(&with_keys), digest);
    assert_ne!(with_keys.digest(), digest);
}

/// Only read: another release of zstd may well compress the same contents into other bytes.
#[test]
fn a_compressed_frame_of_an_older_build_reads() {
    let mut large = snapshot();
    large.flags[0].default_value = format!("\"{}\"", "long ".repeat(1_000));
    let message = Push::Snapshot(large, Digest([1; 32]));
    let file = golden("push_compressed");
    if is_writing() && !file.exists() {
        fs::write(&file, frame::encode(&message).unwrap()).unwrap();
    }
    let frame = fs::read(file).unwrap();
    assert_eq!(frame[4], 1, "the flag for zstd");
    assert!(frame.len() < 1_500);
    assert_eq!(read::<Push>(&frame, frame::PUSH_LIMIT).unwrap(), message);
}

#[test]
fn digests_keep_their_bytes() {
    let digest = digest::of(&snapshot());
    let file = golden("digest");
    if is_writing() && !file.exists() {
        fs::write(&file, digest.0).unwrap();
    }
    assert_eq!(fs::read(file).unwrap(), digest.0);
}
