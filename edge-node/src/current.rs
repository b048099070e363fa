//! What the edge serves at this moment, and the only place where that changes.
//!
//! Readers find a key's environment and load it without a lock; they keep what they loaded for one request. Writers take
//! turns for each environment, so that a large one does not hold up a small one: whoever has the turn compares versions,
//! prepares the next environment beside the served one, swaps, enters the keys, and tells the streams, in this order. So a
//! client that is told of a change finds it, and a newer version is never replaced by an older one, except in a new epoch,
//! where versions start over.

mod changes;
mod index;

use std::{
    collections::{HashMap, HashSet},
    mem,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use arc_swap::ArcSwapOption;
use protocol::{
    eval::Environment,
    ids::{EnvId, FlagId},
    snapshot::{ApiKey, Delta, Digest, KeyHash, Snapshot, Version},
    wire::message::{Epoch, Held, Push},
};
use tokio::sync::watch;

use self::index::Index;

pub(crate) use self::{changes::Changes, index::Grant};

/// What became of a push.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The edge serves this version now. Acknowledge it.
    Applied {
        /// Which environment.
        env_id: EnvId,
        /// Which version.
        version: Version,
    },
    /// The edge no longer serves this environment.
    Removed {
        /// Which environment.
        env_id: EnvId,
    },
    /// A delta does not fit what is held. Ask for the whole environment.
    Resync {
        /// Which environment.
        env_id: EnvId,
    },
    /// Older than what is served, or of no use: nothing changed, nothing is to be done.
    Ignored,
}

/// What a greeting changed besides what is still to come.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Greeting {
    /// Environments that do not belong to the edge any more, and are no longer served.
    pub dropped: Vec<EnvId>,
    /// Environments that were held as they are under another epoch.
    pub adopted: Vec<EnvId>,
}

/// Everything that is served.
pub(crate) struct Current {
    index: Index,
    slots: Mutex<HashMap<EnvId, Arc<Slot>>>,
    expected: Mutex<Expected>,
    /// Set when the first environment was there, for ever.
    held_any: AtomicBool,
    /// Told after every change.
    changed: watch::Sender<()>,
}

/// The place of one environment. Requests hold it no longer than they run, streams for as long as they are open.
pub(crate) struct Slot {
    env_id: EnvId,
    served: ArcSwapOption<Environment>,
    changes: watch::Sender<Changes>,
    turn: Mutex<Turn>,
}

/// What only writers need, and the right to write.
#[derive(Default)]
struct Turn {
    /// The keys that open the environment.
    keys: HashSet<KeyHash>,
    /// Under which epoch the served version was learned.
    epoch: Option<Epoch>,
    /// A removed slot is never filled again: whoever still has it fetches the new one.
    is_removed: bool,
}

/// What the control plane said belongs to the edge.
#[derive(Default)]
struct Expected {
    epoch: Option<Epoch>,
    /// What is still missing of it, and the version it must have.
    missing: HashMap<EnvId, Version>,
    /// Whether there ever was a greeting of which nothing is missing.
    is_complete: bool,
}

impl Slot {
    fn new(env_id: EnvId) -> Self {
        Self {
            env_id,
            served: ArcSwapOption::empty(),
            changes: watch::Sender::default(),
            turn: Mutex::default(),
        }
    }

    /// What is served now; nothing before the first snapshot and after a removal.
    pub(crate) fn load(&self) -> Option<Arc<Environment>> {
        self.served.load_full()
    }

    /// What streams are told, from now on.
    pub(crate) fn subscribe(&self) -> watch::Receiver<Changes> {
        self.changes.subscribe()
    }

    fn turn(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Current {
    fn default() -> Self {
        Self {
            index: Index::default(),
            slots: Mutex::default(),
            expected: Mutex::default(),
            held_any: AtomicBool::new(false),
            changed: watch::Sender::new(()),
        }
    }
}

impl Current {
    /// What a key opens, expired or not.
    pub(crate) fn find(&self, hash: &KeyHash) -> Option<Grant> {
        self.index.find(hash)
    }

    /// Whether there ever was an environment.
    pub(crate) fn held_any(&self) -> bool {
        self.held_any.load(Ordering::Acquire)
    }

    /// Whether all that a greeting listed is there.
    pub(crate) fn is_complete(&self) -> bool {
        self.expected().is_complete
    }

    /// The version that is served of an environment.
    pub(crate) fn version(&self, env_id: EnvId) -> Option<Version> {
        let slot = self.slots().get(&env_id).cloned()?;
        slot.load().map(|environment| environment.head().version)
    }

    /// How many environments are served.
    pub(crate) fn count(&self) -> usize {
        self.slots().len()
    }

    /// Wakes after every change.
    pub(crate) fn subscribe(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// The epoch of the last greeting, else that of the cache, and what is held from it.
    pub(crate) fn holds(&self) -> (Option<Epoch>, Vec<Held>) {
        let slots: Vec<_> = self.slots().values().cloned().collect();
        let mut epoch = self.expected().epoch;
        let mut holds = Vec::with_capacity(slots.len());
        for slot in slots {
            let turn = slot.turn();
            epoch = epoch.or(turn.epoch);
            if let Some(environment) = slot.load().filter(|_| turn.epoch == epoch) {
                let version = environment.head().version;
                holds.push(Held {
                    env_id: slot.env_id,
                    version,
                    digest: environment.digest(),
                });
            }
        }
        (epoch, holds)
    }

    /// Takes over what belongs to the edge: drops the rest, and is complete once everything listed is there.
    pub(crate) fn expect(&self, epoch: Epoch, listed: &[Held]) -> Greeting {
        {
            // Before anything is compared, so that what is applied meanwhile counts as learned in this epoch.
            let mut expected = self.expected();
            expected.epoch = Some(epoch);
            expected.missing = listed
                .iter()
                .map(|held| (held.env_id, held.version))
                .collect();
        }
        let mut greeting = Greeting::default();
        let slots: Vec<_> = self.slots().values().cloned().collect();
        let listed: HashMap<_, _> = listed.iter().map(|held| (held.env_id, held)).collect();
        for slot in slots {
            let Some(wanted) = listed.get(&slot.env_id) else {
                self.remove(slot.env_id, || {});
                greeting.dropped.push(slot.env_id);
                continue;
            };
            let mut turn = slot.turn();
            let Some(environment) = slot.load() else {
                continue;
            };
            let version = environment.head().version;
            if turn.epoch != Some(epoch)
                && version == wanted.version
                && environment.digest() == wanted.digest
            {
                turn.epoch = Some(epoch);
                greeting.adopted.push(slot.env_id);
            }
            let is_current = version > wanted.version || environment.digest() == wanted.digest;
            if turn.epoch == Some(epoch) && is_current {
                self.arrived(slot.env_id, version);
            }
        }
        self.complete();
        greeting
    }

    /// Applies a push. `then` hears the outcome before the environment's next push can be applied.
    pub(crate) fn apply(&self, push: &Push, then: impl FnOnce(Outcome)) -> Outcome {
        match push {
            Push::Snapshot(snapshot, digest) => self.replace(snapshot, *digest, None, then),
            Push::Delta(delta) => self.advance(delta, then),
            Push::Removed { env_id } => {
                let outcome = Outcome::Removed { env_id: *env_id };
                self.remove(*env_id, || then(outcome));
                outcome
            }
        }
    }

    /// Takes what a cache held; false when it is of no use. After the first greeting it comes too late.
    pub(crate) fn restore(&self, epoch: Epoch, push: &Push) -> bool {
        let outcome = match push {
            Push::Snapshot(snapshot, digest) => {
                self.replace(snapshot, *digest, Some(epoch), |_| {})
            }
            Push::Delta(delta) => self.advance(delta, |_| {}),
            Push::Removed { .. } => Outcome::Ignored,
        };
        matches!(outcome, Outcome::Applied { .. }) || self.expected().epoch.is_some()
    }

    /// Drops what came from a damaged cache. What a greeting confirmed meanwhile stays.
    pub(crate) fn forget_restored(&self) {
        if self.expected().epoch.is_some() {
            return;
        }
        let all: Vec<_> = self.slots().keys().copied().collect();
        for env_id in all {
            self.remove(env_id, || {});
        }
        self.held_any.store(false, Ordering::Release);
    }

    fn replace(
        &self,
        snapshot: &Snapshot,
        digest: Digest,
        restored: Option<Epoch>,
        then: impl FnOnce(Outcome),
    ) -> Outcome {
        let env_id = snapshot.head.env_id;
        self.in_turn(env_id, |slot, turn| {
            let epoch = restored.or_else(|| self.expected().epoch);
            let held = slot.load();
            if restored.is_some() && (held.is_some() || self.expected().epoch.is_some()) {
                return Outcome::Ignored;
            }
            if let Some(held) = &held
                && turn.epoch == epoch
                && held.head().version > snapshot.head.version
            {
                return Outcome::Ignored;
            }
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
            let outcome = self.serve(
                slot,
                turn,
                next,
                KeyChanges {
                    new: &snapshot.keys,
                    gone: &gone,
                },
                flags,
            );
            then(outcome);
            outcome
        })
    }

    fn advance(&self, delta: &Delta, then: impl FnOnce(Outcome)) -> Outcome {
        let env_id = delta.head.env_id;
        let resync = Outcome::Resync { env_id };
        if !self.slots().contains_key(&env_id) {
            return resync;
        }
        self.in_turn(env_id, |slot, turn| {
            let Some(held) = slot.load() else {
                return resync;
            };
            let epoch = self.expected().epoch;
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
            let outcome = self.serve(slot, turn, next, keys, flags);
            then(outcome);
            outcome
        })
    }

    /// Swaps what is served, then its keys, then tells the streams.
    fn serve(
        &self,
        slot: &Arc<Slot>,
        turn: &mut Turn,
        next: Environment,
        keys: KeyChanges<'_>,
        flags: Vec<FlagId>,
    ) -> Outcome {
        let (env_id, version) = (slot.env_id, next.head().version);
        slot.served.store(Some(Arc::new(next)));

        self.index.remove(slot, keys.gone);
        self.index.insert(slot, keys.new);
        keys.gone.iter().for_each(|hash| {
            turn.keys.remove(hash);
        });
        turn.keys.extend(keys.new.iter().map(|key| key.hash));

        // Also without events: streams look whether their key is still good.
        slot.changes.send_modify(|changes| {
            if slot.changes.receiver_count() == 0 {
                changes.forget();
            } else if !flags.is_empty() {
                changes.add(env_id, version, flags);
            }
        });

        self.held_any.store(true, Ordering::Release);
        self.arrived(env_id, version);
        self.complete();
        self.changed.send_replace(());
        Outcome::Applied { env_id, version }
    }

    fn remove(&self, env_id: EnvId, then: impl FnOnce()) {
        let slot = self.slots().remove(&env_id);
        if let Some(slot) = slot {
            let mut turn = slot.turn();
            turn.is_removed = true;
            self.index.remove(&slot, &mem::take(&mut turn.keys));
            slot.served.store(None);
            slot.changes.send_modify(Changes::close);
            then();
        } else {
            then();
        }
        self.expected().missing.remove(&env_id);
        self.complete();
        self.changed.send_replace(());
    }

    /// Runs a writer in its turn, with the slot of the environment, which is made when there is none.
    fn in_turn(
        &self,
        env_id: EnvId,
        write: impl FnOnce(&Arc<Slot>, &mut Turn) -> Outcome,
    ) -> Outcome {
        loop {
            let slot = Arc::clone(
                self.slots()
                    .entry(env_id)
                    .or_insert_with(|| Arc::new(Slot::new(env_id))),
            );
            let mut turn = slot.turn();
            if !turn.is_removed {
                return write(&slot, &mut turn);
            }
        }
    }

    fn arrived(&self, env_id: EnvId, version: Version) {
        let mut expected = self.expected();
        if expected
            .missing
            .get(&env_id)
            .is_some_and(|wanted| version >= *wanted)
        {
            expected.missing.remove(&env_id);
        }
    }

    fn complete(&self) {
        let mut expected = self.expected();
        if expected.epoch.is_some() && expected.missing.is_empty() {
            expected.is_complete = true;
        }
    }

    /// Locks are held for a moment each, never across a call that can panic.
    fn slots(&self) -> MutexGuard<'_, HashMap<EnvId, Arc<Slot>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn expected(&self) -> MutexGuard<'_, Expected> {
        self.expected.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keys to be entered, anew or with another expiry, and keys to be struck out.
struct KeyChanges<'a> {
    new: &'a [ApiKey],
    gone: &'a [KeyHash],
}

/// A whole environment that cannot be used would be as bad the second time: it is not asked for again.
fn refused(env_id: EnvId, reason: &str) -> Outcome {
    tracing::error!(env.id = %env_id, reason, "an environment cannot be used; what is held stays");
    metrics::counter!("halyard_edge_refused_environments_total").increment(1);
    Outcome::Ignored
}
