//! One message of every kind, with every part that it can have.

mod relay;
mod what_if;

use protocol::{
    bucketing::Bucketing,
    digest,
    reason::Reason,
    rehearsal::{Failure, Rehearsal, Running, SignedRehearsal},
    signature::SigningKey,
    snapshot::{Delta, Digest, Head, RemovedFlag},
    summary::Summary,
    timestamp::{Proof, Register, leaf},
    wire::{
        codec::Decode,
        frame::{self, FrameError, FrameHeader},
        message::{
            ControlMessage, EdgeMessage, EdgeStatus, Epoch, Held, Hello, Holds, Listed, Lists,
            Looked, Push, StreamSecret, Subscribe, Welcome,
        },
        sdk::{Count, Report, Shown},
        usage::{EvaluationCount, Impression, KeyUse, ToldDefault, Upload, UsageBatch},
    },
};

use crate::sample::{id, snapshot};

pub(crate) fn held() -> Held {
    Held {
        env_id: id(3).into(),
        version: 41,
        digest: Digest([9; 32]),
    }
}

fn hello(holds: Holds) -> Hello {
    Hello {
        build: "0.1.0".to_owned(),
        region: Some("eu".to_owned()),
        epoch: Some(Epoch([5; 16])),
        position: 77,
        holds,
        subscribe: Subscribe::OnDemand,
    }
}

pub(crate) fn edge_messages() -> Vec<(&'static str, EdgeMessage)> {
    let mut messages = own_messages();
    messages.extend(relay::messages());
    messages
}

fn own_messages() -> Vec<(&'static str, EdgeMessage)> {
    vec![
        (
            "edge_hello",
            EdgeMessage::Hello(hello(Holds::Listed(vec![held()]))),
        ),
        (
            "edge_hello_summed",
            EdgeMessage::Hello(hello(Holds::Summed(Summary::from_iter([&held()])))),
        ),
        (
            "edge_holding",
            EdgeMessage::Holding {
                environments: vec![held()],
                is_last: true,
            },
        ),
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
        (
            "edge_heartbeat",
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
            "edge_forget",
            EdgeMessage::Forget {
                env_id: id(3).into(),
            },
        ),
        ("edge_flushed", EdgeMessage::Flushed { request: 7 }),
        (
            "edge_renew",
            EdgeMessage::Renew {
                request: 7,
                certificate_request: vec![1, 2, 3],
            },
        ),
    ]
}

pub(crate) fn control_messages() -> Vec<(&'static str, ControlMessage)> {
    let looked = Looked {
        ago_ms: 12,
        position: 78,
    };
    let welcome = |lists| Welcome {
        name: "edge-1".to_owned(),
        epoch: Epoch([5; 16]),
        looked,
        now_ms: 1_700_000_000_000,
        heartbeat_ms: 5_000,
        stream_secret: StreamSecret([4; 32]),
        lists,
    };
    let listed = |digest| Listed {
        env_id: id(3).into(),
        version: 41,
        digest,
    };
    let mut messages = vec![
        (
            "control_welcome",
            ControlMessage::Welcome(welcome(Lists::Everything)),
        ),
        (
            "control_welcome_buckets",
            ControlMessage::Welcome(welcome(Lists::Buckets(vec![3, 200]))),
        ),
        (
            "control_listing",
            ControlMessage::Listing {
                environments: vec![listed(None), listed(Some(Digest([9; 32])))],
                is_last: true,
            },
        ),
        (
            "control_heartbeat",
            ControlMessage::Heartbeat {
                number: 1_000,
                looked,
                now_ms: 1_700_000_000_000,
            },
        ),
        (
            "control_drain",
            ControlMessage::Drain {
                retry_after_ms: 2_000,
            },
        ),
        (
            "control_usage_stored",
            ControlMessage::UsageStored {
                boot: [6; 16],
                sequence: 9,
            },
        ),
        (
            "control_flush_usage",
            ControlMessage::FlushUsage { request: 7 },
        ),
        (
            "control_renewed",
            ControlMessage::Renewed {
                request: 7,
                certificate: vec![1, 2, 3],
            },
        ),
        (
            "control_not_renewed",
            ControlMessage::NotRenewed {
                request: 7,
                reason: "revoked".to_owned(),
            },
        ),
    ];
    let certificates = vec![vec![1, 2, 3]];
    messages.push(("control_signers", ControlMessage::Signers { certificates }));
    messages.push((
        "control_timestamp",
        ControlMessage::Timestamp(register().stamped().clone()),
    ));
    messages.push((
        "control_rehearsals",
        ControlMessage::Rehearsals(vec![running(Some(1)), running(None)]),
    ));
    messages.extend(what_if::messages());
    messages.extend(about_keys());
    messages.extend(relay::answers());
    messages
}

fn running(seed: Option<u8>) -> Running {
    let rehearsal = Rehearsal {
        id: [9; 16],
        env_id: id(3).into(),
        key: [7; 32],
        failure: Failure::Silence,
        began_ms: 1_780_000_000_000,
        lasts_ms: 60_000,
    };
    let signed = match seed {
        Some(seed) => rehearsal.sign(&SigningKey::from_seed(&[seed; 32]).unwrap()),
        None => SignedRehearsal {
            rehearsal,
            signature: None,
        },
    };
    Running {
        signed,
        remaining_ms: 59_000,
    }
}

fn register() -> Register {
    let key = SigningKey::from_seed(&[1; 32]).unwrap();
    let leaves = vec![leaf(id(3).into(), 42), leaf(id(4).into(), 7)];
    Register::sign(&key, leaves, 1_780_000_000_000)
}

pub(crate) fn proof() -> Proof {
    register().prove(id(3).into(), 42).unwrap()
}

fn about_keys() -> [(&'static str, ControlMessage); 4] {
    [
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
        (
            "control_key_unavailable",
            ControlMessage::KeyUnavailable { request: 7 },
        ),
        (
            "control_key_created",
            ControlMessage::KeyCreated { hash: [8; 32] },
        ),
    ]
}

pub(crate) fn pushes() -> Vec<(&'static str, Push)> {
    let snapshot = snapshot();
    let mut kept = snapshot.clone();
    let kept_state = kept.flags[0].state.as_mut().expect("a state");
    kept_state.bucketing = Some(Bucketing::LaunchDarkly {
        salt: "salt".to_owned(),
        seed: Some(61),
    });
    let kept_digest = digest::of(&kept);
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
        ("push_bucketing", Push::Snapshot(kept, kept_digest)),
        (
            "push_removed",
            Push::Removed {
                env_id: id(3).into(),
            },
        ),
    ]
}

pub(crate) fn uploads() -> Vec<(&'static str, Upload)> {
    let count = |reason| EvaluationCount {
        env_id: id(3).into(),
        flag_key: "new-checkout".to_owned(),
        reason,
        value: if reason == Reason::NotFound {
            "null"
        } else {
            "\"blue\""
        }
        .to_owned(),
        variant_key: if reason == Reason::Variant { "b" } else { "" }.to_owned(),
        count: 12,
    };
    let batch = UsageBatch {
        boot: [6; 16],
        sequence: 9,
        evaluations: Reason::ALL.map(count).to_vec(),
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
    let below = Upload::ServedBelow {
        certificate: [3; 32],
        batch: batch.clone(),
    };
    let served = Upload::Served(batch);
    let defaults = Upload::Defaults(vec![ToldDefault {
        env_id: id(3).into(),
        flag_key: "new-checkout".to_owned(),
        service: "shop".to_owned(),
        value: "false".to_owned(),
        answers: 10,
        differing: 3,
    }]);
    vec![
        ("upload_served", served),
        ("upload_served_below", below),
        ("upload_defaults", defaults),
        ("upload_finding", what_if::finding()),
    ]
}

/// Reads a frame as a receiver does: five bytes, then as many as they announce.
pub(crate) fn read<M: Decode<()>>(frame: &[u8], limit: usize) -> Result<M, FrameError> {
    let (header, payload) = frame.split_first_chunk().unwrap();
    frame::decode(FrameHeader::parse(*header, limit)?, payload)
}

pub(crate) fn report() -> Report {
    Report {
        instance: [8; 16],
        sequence: 3,
        counts: vec![Count {
            flag_key: "flag-10".to_owned(),
            reason: Reason::Variant,
            value: "1".to_owned(),
            variant_key: "a".to_owned(),
            count: 1_000,
        }],
        impressions: vec![Shown {
            flag_key: "flag-10".to_owned(),
            variant_key: "a".to_owned(),
            user_key: "ann".to_owned(),
            age_ms: 250,
        }],
    }
}
