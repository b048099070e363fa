//! What relays and those who feed them say.

use protocol::wire::{
    message::{ControlMessage, EdgeMessage, Epoch, Looked},
    relay::{EdgeBelow, Refusal, RelayMessage, ToRelay},
};

use super::held;
use crate::sample::id;

pub(super) fn messages() -> Vec<(&'static str, EdgeMessage)> {
    let below = EdgeBelow {
        certificate: [3; 32],
        name: "edge-2".to_owned(),
        region: Some("eu".to_owned()),
        build: "0.1.0".to_owned(),
        since_ms: 1_700_000_000_000,
        rtt_us: 1_500,
        streams: 3,
        held: 2,
        behind: 1,
        via: Some("relay-2".to_owned()),
    };
    let messages = [
        (
            "relay_admit",
            RelayMessage::Admit {
                request: 7,
                certificate: [3; 32],
            },
        ),
        (
            "relay_below",
            RelayMessage::Below {
                edges: vec![below],
                is_last: true,
            },
        ),
        ("relay_catch_up", RelayMessage::CatchUp { request: 7 }),
        (
            "relay_reached",
            RelayMessage::Reached {
                request: 7,
                acknowledged: vec!["edge-2".to_owned()],
                lagging: vec!["edge-3".to_owned()],
                is_last: true,
            },
        ),
        (
            "relay_rewound",
            RelayMessage::Rewound {
                epoch: Epoch([5; 16]),
                position: 77,
                held: Some(held()),
            },
        ),
        (
            "relay_renew",
            RelayMessage::Renew {
                request: 7,
                certificate: [3; 32],
                certificate_request: vec![1, 2, 3],
            },
        ),
    ];
    let of_edges = messages.map(|(name, message)| (name, EdgeMessage::Relay(message)));
    of_edges.to_vec()
}

pub(super) fn answers() -> Vec<(&'static str, ControlMessage)> {
    let answers = [
        (
            "to_relay_admitted",
            ToRelay::Admitted {
                request: 7,
                name: "edge-2".to_owned(),
                region: Some("eu".to_owned()),
                is_relay: true,
            },
        ),
        (
            "to_relay_not_admitted",
            ToRelay::NotAdmitted {
                request: 7,
                refusal: Some(Refusal::Unknown),
            },
        ),
        (
            "to_relay_dismiss",
            ToRelay::Dismiss {
                certificate: [3; 32],
                refusal: Refusal::Revoked,
            },
        ),
        (
            "to_relay_caught_up",
            ToRelay::CaughtUp {
                request: 7,
                looked: Looked {
                    ago_ms: 12,
                    position: 78,
                },
            },
        ),
        (
            "to_relay_ask_reached",
            ToRelay::AskReached {
                request: 7,
                version: 42,
                environments: vec![id(3).into()],
                patience_ms: 500,
            },
        ),
        (
            "to_relay_region",
            ToRelay::Region {
                region: "eu".to_owned(),
                environments: vec![id(3).into()],
            },
        ),
        (
            "to_relay_serves",
            ToRelay::Serves {
                region: Some("eu".to_owned()),
                patience_ms: 400,
            },
        ),
        (
            "to_relay_renewed",
            ToRelay::Renewed {
                request: 7,
                certificate: vec![1, 2, 3],
            },
        ),
        (
            "to_relay_not_renewed",
            ToRelay::NotRenewed {
                request: 7,
                reason: "revoked".to_owned(),
            },
        ),
    ];
    let to_edges = answers.map(|(name, answer)| (name, ControlMessage::Relay(answer)));
    to_edges.to_vec()
}
