//! How what is served changes: by another whole, by a delta.

use std::{
    collections::HashSet,
    sync::{Arc, atomic::Ordering},
};

use bytes::Bytes;
use protocol::{
    eval::Environment,
    ids::{EnvId, FlagId},
    signature::Signature,
    snapshot::{ApiKey, Delta, Digest, KeyHash, Snapshot},
    wire::{
        frame,
        message::{Epoch, Push},
        sdk, signed,
    },
};

use super::{Current, Outcome, Served, Slot, outcome::refused, slot::Turn};

/// Beside its contents, what a push came with.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Came {
    /// That of the contents to which it leads.
    pub(super) signature: Option<Signature>,
    /// The epoch in which a cache received it; nothing if it is from the control plane.
    pub(super) restored: Option<Epoch>,
}

impl Current {
    /// `whole` makes the signed push that is kept.
    pub(super) fn replace(
        &self,
        snapshot: &Snapshot,
        digest: Digest,
        whole: &dyn Fn() -> Option<Bytes>,
        came: Came,
        then: impl FnOnce(Outcome),
    ) -> Outcome {
        let env_id = snapshot.head.env_id;
        self.in_turn(env_id, |slot, turn| {
            let greeted = self.expected.lock().epoch();
            let held = slot.load();
            // Older than anything received over the link.
            if came.restored.is_some() && (held.is_some() || greeted.is_some()) {
                return Outcome::Ignored;
            }
            let epoch = came.restored.or(greeted);
            if let Some(held) = &held
                && turn.epoch == epoch
                && held.head().version > snapshot.head.version
            {
                return Outcome::Ignored;
            }
            // Prepared under the turn alone: readers and the other environments go on meanwhile.
            let next = match Environment::prepare(snapshot) {
                Ok(next) if next.digest() == digest => next,
                Ok(_) => return refused(env_id, "its digest differs"),
                Err(error) => return refused(env_id, &error.to_string()),
            };
            if let Err(error) = self.verify(&next, came, held.as_deref()) {
                return turn.refuse(env_id, error);
            }
            turn.epoch = epoch;
            let keys: HashSet<_> = snapshot.keys.iter().map(|key| key.hash).collect();
            let gone: Vec<_> = turn.keys.difference(&keys).copied().collect();
            let flags = held
                .map(|held| next.flags_changed_since(&held))
                .unwrap_or_default();
            let keys = KeyChanges {
                new: &snapshot.keys,
                gone: &gone,
            };
            slot.source.replace(whole());
            let next = self.served(next, came);
            let outcome = self.serve(slot, turn, next, keys, Told { flags, delta: None });
            then(outcome);
            outcome
        })
    }

    pub(super) fn advance(&self, delta: &Delta, came: Came, then: impl FnOnce(Outcome)) -> Outcome {
        let env_id = delta.head.env_id;
        let resync = Outcome::Resync { env_id };
        // `in_turn` would create a slot for an environment that is not held.
        if !self.slots.lock().contains_key(&env_id) {
            return resync;
        }
        self.in_turn(env_id, |slot, turn| {
            let Some(held) = slot.load() else {
                return resync;
            };
            let epoch = self.expected.lock().epoch();
            if epoch.is_some() && turn.epoch != epoch {
                return resync;
            }
            // What is held was named to the control plane, whose own changes follow.
            let is_late = came.restored.is_some() && epoch.is_some();
            if is_late || delta.head.version <= held.head().version {
                return Outcome::Ignored;
            }
            let next = match held.apply(delta) {
                Ok(next) => next,
                Err(error) => {
                    tracing::debug!(env.id = %env_id, %error, "a delta does not fit");
                    return resync;
                }
            };
            if let Err(error) = self.verify(&next, came, Some(&held)) {
                return turn.refuse(env_id, error);
            }
            let flags = next.flags_changed_by(delta);
            let keys = KeyChanges {
                new: &delta.keys,
                gone: &delta.removed_keys,
            };
            let delta = encoded(&sdk::delta(delta, &next), came.signature);
            slot.source.add(delta.clone());
            let next = self.served(next, came);
            let outcome = self.serve(slot, turn, next, keys, Told { flags, delta });
            then(outcome);
            outcome
        })
    }

    fn served(&self, environment: Environment, came: Came) -> Served {
        Served::new(environment, came.signature, Arc::clone(&self.ledger))
    }

    /// Swaps the environment, then its keys, then notifies the streams.
    fn serve(
        &self,
        slot: &Arc<Slot>,
        turn: &mut Turn,
        next: Served,
        keys: KeyChanges<'_>,
        Told { flags, delta }: Told,
    ) -> Outcome {
        let (env_id, version) = (slot.env_id, next.head().version);
        let next = slot.serve(next);
        turn.refused = None;

        self.index.remove(slot, keys.gone);
        self.index.insert(slot, keys.new);
        keys.gone.iter().for_each(|hash| {
            turn.keys.remove(hash);
        });
        turn.keys.extend(keys.new.iter().map(|key| key.hash));

        // Even without events: it wakes the streams, which check whether their key is still valid.
        slot.changes.send_modify(|changes| {
            if slot.changes.receiver_count() == 0 {
                changes.forget();
            } else if !flags.is_empty() {
                changes.add(&next, flags);
            }
            if slot.has_sdk_streams() {
                changes.deltas.add(&next, delta.as_ref());
            } else {
                changes.deltas.skip();
            }
        });

        self.serves(slot, &next);
        self.held_any.store(true, Ordering::Release);
        self.expected.lock().arrived(env_id, version);
        self.changed.send_replace(());
        Outcome::Applied { env_id, version }
    }

    /// Runs `write` when its turn comes, on the environment's slot, which is created if there is none.
    fn in_turn(
        &self,
        env_id: EnvId,
        write: impl FnOnce(&Arc<Slot>, &mut Turn) -> Outcome,
    ) -> Outcome {
        loop {
            let slot = Arc::clone(
                self.slots
                    .lock()
                    .entry(env_id)
                    .or_insert_with(|| Arc::new(Slot::new(env_id))),
            );
            let mut turn = slot.turn();
            // A slot removed while this writer waited has left the map: the next round gets its successor.
            if !turn.is_removed {
                return write(&slot, &mut turn);
            }
        }
    }
}
/// Keys to be added or given another expiry, and keys to be removed.
struct KeyChanges<'a> {
    new: &'a [ApiKey],
    gone: &'a [KeyHash],
}

/// What streams are told of a change.
struct Told {
    flags: Vec<FlagId>,
    /// The frame of the change itself, without API keys; nothing where the whole was replaced.
    delta: Option<Bytes>,
}

/// The signed push of a message; nothing if it is larger than any.
pub(super) fn encoded(push: &Push, signature: Option<Signature>) -> Option<Bytes> {
    let frame = frame::encode(push).ok()?;
    Some(signed::with(frame, signature.as_ref()).into())
}
