//! What the edge serves now, and the only place where that changes.
//!
//! Readers find a key's environment and load it without a lock; what they loaded is theirs for one request. Writers
//! take turns per environment, so that a large environment does not hold up a small one. A writer whose turn it is
//! compares versions, prepares the next environment beside the served one, swaps, indexes the keys and notifies the
//! streams, in this order. A client notified of a change therefore finds it, and a newer version is never replaced by an
//! older one, except in a new epoch, where versions start over.

mod changes;
mod deltas;
mod expected;
mod greeted;
mod index;
mod outcome;
mod served;
mod slot;
mod source;
mod state;
mod tag;
mod weight;

use std::{
    collections::{HashMap, HashSet},
    mem,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use bytes::Bytes;
use parking_lot::Mutex;
use protocol::{
    eval::Environment,
    ids::{EnvId, FlagId, OrgId},
    snapshot::{ApiKey, Delta, Digest, KeyHash, Snapshot, Version},
    wire::{
        frame,
        message::{Epoch, Push},
        sdk,
        usage::KeyUse,
    },
};
use tokio::sync::{Semaphore, watch};

use self::{expected::Expected, index::Index, outcome::refused, slot::Turn};
use crate::usage::{Ledger, Tally};

pub use self::outcome::{Greeting, Listing, Outcome};
pub(crate) use self::{
    changes::{Changes, refetch},
    deltas::at,
    index::Grant,
    served::Served,
    slot::{Reading, SdkStream, Slot},
    source::Whole,
    state::State,
    weight::{Weight, surplus},
};

/// All environments that are served.
pub(crate) struct Current {
    index: Index,
    slots: Mutex<HashMap<EnvId, Arc<Slot>>>,
    expected: Mutex<Expected>,
    /// Set for good once there was an environment.
    held_any: AtomicBool,
    /// Notified after every change.
    changed: watch::Sender<()>,
    /// Takes over what environments counted that are no longer served.
    ledger: Arc<Ledger>,
    /// One permit: kept frames are merged one environment after the other.
    shortening: Arc<Semaphore>,
}

impl Current {
    pub(crate) fn new(ledger: Arc<Ledger>) -> Self {
        Self {
            index: Index::default(),
            slots: Mutex::default(),
            expected: Mutex::default(),
            held_any: AtomicBool::new(false),
            changed: watch::Sender::new(()),
            ledger,
            shortening: Arc::new(Semaphore::new(1)),
        }
    }

    /// What a key grants access to, expired or not.
    pub(crate) fn find(&self, hash: &KeyHash) -> Option<Arc<Grant>> {
        self.with_grant(hash, Arc::clone)
    }

    /// The same for who needs it only now.
    pub(crate) fn with_grant<T>(
        &self,
        hash: &KeyHash,
        read: impl FnOnce(&Arc<Grant>) -> T,
    ) -> Option<T> {
        self.index.with(hash, read)
    }

    /// Whether there ever was an environment.
    pub(crate) fn held_any(&self) -> bool {
        self.held_any.load(Ordering::Acquire)
    }

    /// Whether everything listed by a greeting has arrived.
    pub(crate) fn is_complete(&self) -> bool {
        self.expected.lock().is_complete()
    }

    /// The version of an environment that is served, if any.
    pub(crate) fn version(&self, env_id: EnvId) -> Option<Version> {
        let slot = self.slot(env_id)?;
        slot.load().map(|environment| environment.head().version)
    }

    /// The organization of an environment, if that is served.
    pub(crate) fn org_of(&self, env_id: EnvId) -> Option<OrgId> {
        let slot = self.slot(env_id)?;
        slot.load().map(|environment| environment.head().org_id)
    }

    /// How many environments are served.
    pub(crate) fn count(&self) -> usize {
        self.slots.lock().len()
    }

    /// The weight of each environment.
    pub(crate) fn weigh(&self) -> Vec<Weight> {
        let slots: Vec<_> = self.slots.lock().values().cloned().collect();
        slots.iter().filter_map(|slot| slot.weigh()).collect()
    }

    /// Estimated memory that the environments take.
    pub(crate) fn held_bytes(&self) -> u64 {
        self.weigh().iter().map(|weight| weight.bytes).sum()
    }

    /// Takes what the served environments counted since the last time.
    pub(crate) fn take_counts(&self, tally: &mut Tally) {
        let slots: Vec<_> = self.slots.lock().values().cloned().collect();
        let served = slots.iter().filter_map(|slot| slot.load());
        served.for_each(|served| served.take_counts(tally));
    }

    /// Takes the keys used since they were last taken, each at most once a minute.
    pub(crate) fn take_used_keys(&self, used: &mut Vec<KeyUse>) {
        self.index.take_used(used);
    }

    /// Wakes after every change.
    pub(crate) fn subscribe(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// Applies a push, whose frame is kept if there is one and made otherwise. `then` is called with the outcome before the
    /// environment's next push can be applied.
    pub(crate) fn apply(
        &self,
        push: &Push,
        frame: Option<&Bytes>,
        then: impl FnOnce(Outcome),
    ) -> Outcome {
        let outcome = match push {
            Push::Snapshot(snapshot, digest) => {
                let whole = || frame.cloned().or_else(|| encoded(push));
                self.replace(snapshot, *digest, &whole, None, then)
            }
            Push::Delta(delta) => self.advance(delta, then),
            Push::Removed { env_id } => {
                let outcome = Outcome::Removed { env_id: *env_id };
                self.remove(*env_id, || then(outcome));
                outcome
            }
        };
        metrics::counter!("halyard_edge_pushes_total", "outcome" => outcome.name()).increment(1);
        if matches!(push, Push::Delta(_))
            && let Some(slot) = self.slot(push.env_id())
        {
            slot.shorten(&self.shortening);
        }
        outcome
    }

    /// Applies what a cache held; false when it is unusable. After the first greeting it comes too late.
    pub(crate) fn restore(&self, epoch: Epoch, push: &Push) -> bool {
        let outcome = match push {
            Push::Snapshot(snapshot, digest) => {
                let whole = || encoded(push);
                self.replace(snapshot, *digest, &whole, Some(epoch), |_| {})
            }
            Push::Delta(delta) => self.advance(delta, |_| {}),
            Push::Removed { .. } => Outcome::Ignored,
        };
        matches!(outcome, Outcome::Applied { .. }) || self.expected.lock().epoch().is_some()
    }

    /// Drops what came from a damaged cache. After a greeting everything stays, since the control plane has confirmed
    /// it.
    pub(crate) fn forget_restored(&self) {
        if self.expected.lock().epoch().is_some() {
            return;
        }
        let all: Vec<_> = self.slots.lock().keys().copied().collect();
        for env_id in all {
            self.remove(env_id, || {});
        }
        self.held_any.store(false, Ordering::Release);
    }

    fn replace(
        &self,
        snapshot: &Snapshot,
        digest: Digest,
        whole: &dyn Fn() -> Option<Bytes>,
        restored: Option<Epoch>,
        then: impl FnOnce(Outcome),
    ) -> Outcome {
        let env_id = snapshot.head.env_id;
        self.in_turn(env_id, |slot, turn| {
            let greeted = self.expected.lock().epoch();
            let held = slot.load();
            // Older than anything received over the link.
            if restored.is_some() && (held.is_some() || greeted.is_some()) {
                return Outcome::Ignored;
            }
            let epoch = restored.or(greeted);
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
            let outcome = self.serve(slot, turn, next, keys, Told { flags, delta: None });
            then(outcome);
            outcome
        })
    }

    fn advance(&self, delta: &Delta, then: impl FnOnce(Outcome)) -> Outcome {
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
            if delta.head.version <= held.head().version {
                return Outcome::Ignored;
            }
            let next = match held.apply(delta) {
                Ok(next) => next,
                Err(error) => {
                    tracing::debug!(env.id = %env_id, %error, "a delta does not fit");
                    return resync;
                }
            };
            let flags = next.flags_changed_by(delta);
            let keys = KeyChanges {
                new: &delta.keys,
                gone: &delta.removed_keys,
            };
            let delta = encoded(&sdk::delta(delta, &next));
            slot.source.add(delta.clone());
            let outcome = self.serve(slot, turn, next, keys, Told { flags, delta });
            then(outcome);
            outcome
        })
    }

    /// Swaps the environment, then its keys, then notifies the streams.
    fn serve(
        &self,
        slot: &Arc<Slot>,
        turn: &mut Turn,
        next: Environment,
        keys: KeyChanges<'_>,
        Told { flags, delta }: Told,
    ) -> Outcome {
        let (env_id, version) = (slot.env_id, next.head().version);
        let next = slot.serve(Served::new(next, Arc::clone(&self.ledger)));

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

        self.held_any.store(true, Ordering::Release);
        self.expected.lock().arrived(env_id, version);
        self.changed.send_replace(());
        Outcome::Applied { env_id, version }
    }

    /// Stops serving an environment. `then` is called before anything else can happen to it.
    pub(crate) fn remove(&self, env_id: EnvId, then: impl FnOnce()) {
        let slot = self.slot(env_id);
        // Released at the end: the environment's next writer waits until all of this is done.
        let mut turn = slot.as_ref().map(|slot| slot.turn());
        if let (Some(slot), Some(turn)) = (&slot, &mut turn)
            && !turn.is_removed
        {
            turn.is_removed = true;
            self.index.remove(slot, &mem::take(&mut turn.keys));
            slot.clear();
            slot.source.replace(None);
            slot.changes.send_modify(Changes::close);
            self.slots.lock().remove(&env_id);
        }
        self.expected.lock().gone(env_id);
        self.changed.send_replace(());
        then();
    }

    fn slot(&self, env_id: EnvId) -> Option<Arc<Slot>> {
        self.slots.lock().get(&env_id).cloned()
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

/// The frame of a message; nothing if it is larger than any.
fn encoded(push: &Push) -> Option<Bytes> {
    frame::encode(push).ok().map(Bytes::from)
}
