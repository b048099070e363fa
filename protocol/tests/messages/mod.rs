//! One message of every kind, with every part that it can have.

use protocol::{
    digest,
    snapshot::{Delta, Digest, Head, RemovedFlag},
    wire::{
        codec::Decode,
        message::{ControlMessage, EdgeMessage, Epoch, Held, Hello, Push, Subscribe, Welcome},
        v1::{self, FrameError, FrameHeader},
    },
};

use crate::sample::{id, snapshot};

fn held() -> Held {
    Held {
        env_id: id(3).into(),
        version: 41,
        digest: Digest([9; 32]),
    }
}

pub(crate) fn edge_messages() -> Vec<(&'static str, EdgeMessage)> {
    let hello = Hello {
        build: "0.1.0".to_owned(),
        region: Some("eu".to_owned()),
        epoch: Some(Epoch([5; 16])),
        holds: vec![held()],
        subscribe: Subscribe::OnDemand,
    };
    vec![
        ("edge_hello", EdgeMessage::Hello(hello)),
        (
            "edge_ack",
            EdgeMessage::Ack {
                env_id: id(3).into(),
                version: 42,
            },
        ),
        (
            "edge_resync",
            EdgeMessage::Resync {
                env_id: id(3).into(),
            },
        ),
        (
            "edge_lookup_key",
            EdgeMessage::LookupKey {
                request: 7,
                hash: [8; 32],
            },
        ),
        ("edge_heartbeat", EdgeMessage::Heartbeat(1_000)),
    ]
}

pub(crate) fn control_messages() -> Vec<(&'static str, ControlMessage)> {
    let welcome = Welcome {
        name: "edge-1".to_owned(),
        epoch: Epoch([5; 16]),
        now_ms: 1_700_000_000_000,
        heartbeat_ms: 5_000,
        environments: vec![held()],
    };
    vec![
        ("control_welcome", ControlMessage::Welcome(welcome)),
        (
            "control_key_found",
            ControlMessage::KeyFound {
                request: 7,
                env_id: id(3).into(),
                version: 42,
            },
        ),
        (
            "control_key_unknown",
            ControlMessage::KeyUnknown { request: 7 },
        ),
        ("control_heartbeat", ControlMessage::Heartbeat(1_000)),
        (
            "control_drain",
            ControlMessage::Drain {
                retry_after_ms: 2_000,
            },
        ),
        (
            "control_key_created",
            ControlMessage::KeyCreated { hash: [8; 32] },
        ),
    ]
}

pub(crate) fn pushes() -> Vec<(&'static str, Push)> {
    let snapshot = snapshot();
    let digest = digest::of(&snapshot);
    let delta = Delta {
        head: Head {
            version: 42,
            ..snapshot.head.clone()
        },
        base: 41,
        digest,
        flags: snapshot.flags.clone(),
        removed_flags: vec![RemovedFlag {
            id: id(12).into(),
            key: "old".to_owned(),
        }],
        segments: snapshot.segments.clone(),
        removed_segments: vec!["former".to_owned()],
        keys: snapshot.keys.clone(),
        removed_keys: vec![[6; 32]],
        urgent: true,
    };
    vec![
        ("push_snapshot", Push::Snapshot(snapshot, digest)),
        ("push_delta", Push::Delta(delta)),
        (
            "push_removed",
            Push::Removed {
                env_id: id(3).into(),
            },
        ),
    ]
}

/// Reads a frame as a receiver does: five bytes, then as many as they announce.
pub(crate) fn read<M: Decode<()>>(frame: &[u8], limit: usize) -> Result<M, FrameError> {
    let (header, payload) = frame.split_first_chunk().unwrap();
    v1::decode(FrameHeader::parse(*header, limit)?, payload)
}
