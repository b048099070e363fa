//! One message of every kind, with every part that it can have.

pub(crate) mod v1;

use protocol::{
    digest,
    reason::Reason,
    snapshot::{Delta, Digest, Head, RemovedFlag},
    wire::{
        codec::Decode,
        frame::{self, FrameError, FrameHeader},
        message::{
            ControlMessage, EdgeMessage, EdgeStatus, Epoch, Held, Hello, Push, StreamSecret,
            Subscribe, Welcome,
        },
        usage::{EvaluationCount, Impression, KeyUse, Upload, UsageBatch},
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

fn hello() -> Hello {
    Hello {
        build: "0.1.0".to_owned(),
        region: Some("eu".to_owned()),
        epoch: Some(Epoch([5; 16])),
        holds: vec![held()],
        subscribe: Subscribe::OnDemand,
    }
}

pub(crate) fn edge_messages() -> Vec<(&'static str, EdgeMessage)> {
    vec![
        ("v2/edge_hello", EdgeMessage::Hello(hello())),
        (
            "v2/edge_ack",
            EdgeMessage::Ack {
                env_id: id(3).into(),
                version: 42,
            },
        ),
        (
            "v2/edge_resync",
            EdgeMessage::Resync {
                env_id: id(3).into(),
            },
        ),
        (
            "v2/edge_lookup_key",
            EdgeMessage::LookupKey {
                request: 7,
                hash: [8; 32],
            },
        ),
        (
            "v2/edge_heartbeat",
            EdgeMessage::Heartbeat {
                number: 1_000,
                status: EdgeStatus {
                    streams: 3,
                    environments: 2,
                    held_bytes: 70_000,
                },
            },
        ),
        (
            "v2/edge_forget",
            EdgeMessage::Forget {
                env_id: id(3).into(),
            },
        ),
        ("v2/edge_flushed", EdgeMessage::Flushed { request: 7 }),
    ]
}

pub(crate) fn control_messages() -> Vec<(&'static str, ControlMessage)> {
    let welcome = Welcome {
        name: "edge-1".to_owned(),
        epoch: Epoch([5; 16]),
        now_ms: 1_700_000_000_000,
        heartbeat_ms: 5_000,
        environments: vec![held()],
        stream_secret: StreamSecret([4; 32]),
    };
    vec![
        ("v2/control_welcome", ControlMessage::Welcome(welcome)),
        (
            "v2/control_key_found",
            ControlMessage::KeyFound {
                request: 7,
                env_id: id(3).into(),
                version: 42,
            },
        ),
        (
            "v2/control_key_unknown",
            ControlMessage::KeyUnknown { request: 7 },
        ),
        ("v2/control_heartbeat", ControlMessage::Heartbeat(1_000)),
        (
            "v2/control_drain",
            ControlMessage::Drain {
                retry_after_ms: 2_000,
            },
        ),
        (
            "v2/control_key_created",
            ControlMessage::KeyCreated { hash: [8; 32] },
        ),
        (
            "v2/control_usage_stored",
            ControlMessage::UsageStored {
                boot: [6; 16],
                sequence: 9,
            },
        ),
        (
            "v2/control_flush_usage",
            ControlMessage::FlushUsage { request: 7 },
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

pub(crate) fn uploads() -> Vec<(&'static str, Upload)> {
    let reasons = [
        Reason::NotFound,
        Reason::Disabled,
        Reason::MutuallyExcluded,
        Reason::PrerequisiteFailed,
        Reason::Targeted,
        Reason::Rollout,
        Reason::Variant,
        Reason::Fallthrough,
        Reason::Error,
    ];
    let count = |reason| EvaluationCount {
        env_id: id(3).into(),
        flag_key: "new-checkout".to_owned(),
        reason,
        count: 12,
    };
    let batch = UsageBatch {
        boot: [6; 16],
        sequence: 9,
        evaluations: reasons.map(count).to_vec(),
        impressions: vec![Impression {
            env_id: id(3).into(),
            flag_key: "new-checkout".to_owned(),
            variant_key: "blue".to_owned(),
            user_key: "user-1".to_owned(),
            at_ms: 1_700_000_000_000,
        }],
        keys_used: vec![KeyUse {
            hash: [8; 32],
            at_ms: 1_700_000_000_000,
        }],
    };
    vec![("v2/upload_usage", Upload::Usage(batch))]
}

/// Reads a frame as a receiver does: five bytes, then as many as they announce.
pub(crate) fn read<M: Decode<()>>(frame: &[u8], limit: usize) -> Result<M, FrameError> {
    let (header, payload) = frame.split_first_chunk().unwrap();
    frame::decode(FrameHeader::parse(*header, limit)?, payload)
}
