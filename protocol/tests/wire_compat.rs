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

use messages::{control_messages, edge_messages, pushes, read, uploads};
use protocol::{
    digest,
    snapshot::Digest,
    wire::{
        codec::{Decode, Encode},
        frame,
        message::Push,
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
fn uploads_keep_their_bytes() {
    pinned(uploads());
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
