//! The bytes of every version, pinned: frames written by an older build are read the same.
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

use messages::{control_messages, edge_messages, pushes, read, uploads, v1, v2};
use protocol::{
    digest,
    snapshot::Digest,
    wire::{
        codec::{Decode, Encode},
        frame,
        message::{self, Push},
        v1 as version_1, v2 as version_2,
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
    pinned(v1::edge_messages());
    pinned(v2::edge_messages());
    pinned(edge_messages());
}

#[test]
fn messages_of_the_control_plane_keep_their_bytes() {
    pinned(v1::control_messages());
    pinned(v2::control_messages());
    pinned(control_messages());
}

#[test]
fn pushes_keep_their_bytes_in_all_versions() {
    pinned(pushes());
}

#[test]
fn uploads_keep_their_bytes() {
    pinned(uploads());
}

#[test]
fn every_message_of_an_older_edge_has_a_meaning_today() {
    let today = edge_messages();
    let without_position = |message| match message {
        message::EdgeMessage::Hello(hello) => message::EdgeMessage::Hello(message::Hello {
            position: 77,
            ..hello
        }),
        other => other,
    };
    let is_known = |translated| {
        let translated = without_position(translated);
        today.iter().any(|(_, message)| *message == translated)
    };
    for (name, message) in v2::edge_messages() {
        assert!(is_known(message.into()), "{name}");
    }
    for (name, message) in v1::edge_messages() {
        let translated = message::EdgeMessage::from(message);
        let heartbeat = message::EdgeMessage::Heartbeat {
            number: 1_000,
            status: message::EdgeStatus::default(),
        };
        assert!(translated == heartbeat || is_known(translated), "{name}");
    }
}

#[test]
fn an_older_edge_is_sent_what_it_understands_and_nothing_else() {
    fn others<M>(messages: Vec<(&str, M)>) -> Vec<M> {
        // The first one is the greeting, which is translated together with what it lists.
        messages.into_iter().skip(1).map(|(_, it)| it).collect()
    }
    let today = || control_messages().into_iter().map(|(_, message)| message);
    let understood: Vec<_> = today().filter_map(version_1::ControlMessage::of).collect();
    assert_eq!(understood, others(v1::control_messages()));
    let understood: Vec<_> = today().filter_map(version_2::ControlMessage::of).collect();
    assert_eq!(understood, others(v2::control_messages()));
}

#[test]
fn an_older_edge_is_greeted_in_its_version() {
    let Some((_, message::ControlMessage::Welcome(welcome))) =
        control_messages().into_iter().next()
    else {
        panic!("the first message is the greeting");
    };
    let held = vec![messages::held()];
    let first = version_1::Welcome::of(welcome.clone(), held.clone());
    assert_eq!(
        v1::control_messages()[0].1,
        version_1::ControlMessage::Welcome(first)
    );
    assert_eq!(
        v2::control_messages()[0].1,
        version_2::ControlMessage::Welcome(version_2::Welcome::of(welcome, held))
    );
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
