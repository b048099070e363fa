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
mod signers;
mod slot;
mod source;
mod state;
mod tag;
mod timestamps;
mod weight;
mod writing;

use std::{
    collections::HashMap,
    mem,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
};

use arc_swap::ArcSwapOption;
use bytes::Bytes;
use parking_lot::Mutex;
use protocol::{
    ids::{EnvId, OrgId},
    signature::{PublicKey, Signature},
    snapshot::{KeyHash, Version},
    timestamp::Register,
    wire::{
        message::{Epoch, Push},
        signed,
        usage::KeyUse,
    },
};
use tokio::sync::{Semaphore, watch};

use self::{
    expected::Expected,
    index::Index,
    writing::{Came, encoded},
};
use crate::usage::{Ledger, Tally};

pub use self::outcome::{Greeting, Listing, Outcome};
pub(crate) use self::{
    changes::{Changes, refetch},
    deltas::greeting,
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
    /// Whose signatures contents must have; nobody's without any.
    signers: ArcSwapOption<Vec<PublicKey>>,
    /// The last timestamp.
    register: ArcSwapOption<Register>,
    /// Until when all that is served is known to have been current, Unix milliseconds.
    oldest_ms: AtomicI64,
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
            signers: ArcSwapOption::empty(),
            register: ArcSwapOption::empty(),
            oldest_ms: AtomicI64::new(timestamps::NOTHING),
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

    /// An environment as it is served, if it is.
    pub(crate) fn environment(&self, env_id: EnvId) -> Option<Arc<Served>> {
        self.slot(env_id)?.load()
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

    /// Applies a push. If it came in bytes, which a signature may follow, these are kept, and else its frame is made. `then`
    /// is called with the outcome before the environment's next push can be applied.
    pub(crate) fn apply(
        &self,
        push: &Push,
        bytes: Option<&Bytes>,
        then: impl FnOnce(Outcome),
    ) -> Outcome {
        let signature = bytes.and_then(|bytes| signed::signature(bytes).ok().flatten());
        let came = Came {
            signature,
            restored: None,
        };
        let outcome = match push {
            Push::Snapshot(snapshot, digest) => {
                let whole = || bytes.cloned().or_else(|| encoded(push, None));
                self.replace(snapshot, *digest, &whole, came, then)
            }
            Push::Delta(delta) => self.advance(delta, came, then),
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

    /// Applies what a cache held, the signature of which is known of the last change alone; false when it is unusable. After
    /// the first greeting it comes too late.
    pub(crate) fn restore(&self, epoch: Epoch, push: &Push, signature: Option<Signature>) -> bool {
        let came = Came {
            signature,
            restored: Some(epoch),
        };
        let outcome = match push {
            Push::Snapshot(snapshot, digest) => {
                let whole = || encoded(push, signature);
                self.replace(snapshot, *digest, &whole, came, |_| {})
            }
            Push::Delta(delta) => self.advance(delta, came, |_| {}),
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
}
