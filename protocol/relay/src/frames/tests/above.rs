//! What a control plane above would send, and what it holds itself.

use bytes::Bytes;
use protocol::{
    digest,
    ids::EnvId,
    snapshot::{ApiKey, Delta, Flag, FlagType, Head, RemovedFlag, Snapshot, Version},
    wire::{frame, message::Push},
};
use uuid::Uuid;

use crate::frames::Frames;

pub(super) fn env() -> EnvId {
    Uuid::from_u128(9).into()
}

fn flag(number: u32, value: &str) -> Flag {
    Flag {
        id: Uuid::from_u128(number.into()).into(),
        key: format!("flag-{number:05}"),
        flag_type: FlagType::Json,
        default_value: format!("{value:?}"),
        ..Flag::default()
    }
}

fn snapshot(version: Version, flags: u32) -> Snapshot {
    Snapshot {
        head: Head {
            env_id: env(),
            version,
            ..Head::default()
        },
        flags: (0..flags).map(|number| flag(number, "first")).collect(),
        ..Snapshot::default()
    }
}

fn encode(push: &Push) -> Bytes {
    frame::encode(push).unwrap().into()
}

fn whole(snapshot: &Snapshot) -> Bytes {
    encode(&Push::Snapshot(snapshot.clone(), digest::of(snapshot)))
}

/// A control plane with one environment.
pub(super) struct Above {
    pub(super) snapshot: Snapshot,
}

impl Above {
    pub(super) fn new(version: Version, flags: u32) -> Self {
        Self {
            snapshot: snapshot(version, flags),
        }
    }

    pub(super) fn version(&self) -> Version {
        self.snapshot.head.version
    }

    pub(super) fn send_whole(&self, frames: &Frames) -> Bytes {
        let bytes = whole(&self.snapshot);
        frames.whole(env(), self.version(), bytes.clone());
        bytes
    }

    /// Changes the snapshot, then sends the difference.
    pub(super) fn send_delta(&mut self, frames: &Frames, urgent: bool, change: Change) -> Bytes {
        let base = self.version();
        let delta = self.delta(urgent, change);
        let bytes = encode(&Push::Delta(delta));
        frames.delta(env(), base, self.version(), urgent, bytes.clone());
        bytes
    }

    pub(super) fn set(&mut self, frames: &Frames, number: u32, value: &str) -> Bytes {
        self.send_delta(frames, false, Change::Set(number, value.to_owned()))
    }

    pub(super) fn delta(&mut self, urgent: bool, change: Change) -> Delta {
        let held = &mut self.snapshot;
        let mut delta = Delta {
            base: held.head.version,
            urgent,
            ..Delta::default()
        };
        held.head.version += 1;
        match change {
            Change::Set(number, value) => {
                let flag = flag(number, &value);
                held.flags.retain(|other| other.key != flag.key);
                held.flags.push(flag.clone());
                held.flags.sort_by(|a, b| a.key.cmp(&b.key));
                delta.flags.push(flag);
            }
            Change::Remove(number) => {
                let flag = flag(number, "");
                held.flags.retain(|other| other.key != flag.key);
                let (id, key) = (flag.id, flag.key);
                delta.removed_flags.push(RemovedFlag { id, key });
            }
            Change::Toggle(byte) => {
                let hash = [byte; 32];
                match held.keys.iter().position(|key| key.hash == hash) {
                    Some(place) => {
                        held.keys.remove(place);
                        delta.removed_keys.push(hash);
                    }
                    None => {
                        let key = ApiKey {
                            id: Uuid::from_u128(byte.into()).into(),
                            hash,
                            expires_at_ms: None,
                        };
                        held.keys.push(key.clone());
                        held.keys.sort_by_key(|key| key.hash);
                        delta.keys.push(key);
                    }
                }
            }
        }
        delta.head = held.head.clone();
        delta.digest = digest::of(held);
        delta
    }
}

/// One change of the environment.
pub(super) enum Change {
    Set(u32, String),
    Remove(u32),
    /// A key is there or is not.
    Toggle(u8),
}
