//! One message of every kind in version 1 of the link.

use protocol::wire::{
    message::{Epoch, Subscribe},
    v1::{ControlMessage, EdgeMessage, Hello, Welcome},
};

use super::held;
use crate::sample::id;

/// The same in version 2.
pub(crate) fn hello() -> Hello {
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
        ("edge_hello", EdgeMessage::Hello(hello())),
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
