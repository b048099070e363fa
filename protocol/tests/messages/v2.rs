//! One message of every kind in version 2 of the link.

use protocol::wire::{
    message::{EdgeStatus, Epoch, StreamSecret},
    v2::{ControlMessage, EdgeMessage, Welcome},
};

use super::{held, v1::hello};
use crate::sample::id;

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
