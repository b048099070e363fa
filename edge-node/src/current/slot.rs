//! The place of one environment: what readers load, what streams watch, and the turn of writers.

use std::{
    collections::HashSet,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
};

use arc_swap::ArcSwapOption;
use protocol::{ids::EnvId, snapshot::KeyHash, wire::message::Epoch};
use tokio::sync::watch;

use super::{Changes, Served, Weight};

/// The place of one environment. Requests hold it no longer than they run, streams for as long as they are open.
pub(crate) struct Slot {
    pub(super) env_id: EnvId,
    /// What is served now; nothing before the first snapshot and after a removal.
    served: ArcSwapOption<Served>,
    pub(super) changes: watch::Sender<Changes>,
    turn: Mutex<Turn>,
    /// When it was last asked, Unix milliseconds to a second; 0 for never.
    used_at_ms: AtomicI64,
}

/// What only writers need, and the right to write.
#[derive(Default)]
pub(super) struct Turn {
    /// The keys that open the environment.
    pub(super) keys: HashSet<KeyHash>,
    /// Under which epoch the served version was learned.
    pub(super) epoch: Option<Epoch>,
    /// A removed slot is never filled again: whoever still has it fetches the new one.
    pub(super) is_removed: bool,
}

impl Slot {
    pub(super) fn new(env_id: EnvId) -> Self {
        Self {
            env_id,
            served: ArcSwapOption::empty(),
            changes: watch::Sender::default(),
            turn: Mutex::default(),
            used_at_ms: AtomicI64::new(0),
        }
    }

    /// What is served now; nothing before the first snapshot and after a removal.
    pub(crate) fn load(&self) -> Option<Arc<Served>> {
        self.served.load_full()
    }

    /// Serves something else.
    pub(super) fn serve(&self, next: Served) -> Arc<Served> {
        let next = Arc::new(next);
        self.swap(Some(Arc::clone(&next)));
        next
    }

    /// Serves nothing any more.
    pub(super) fn clear(&self) {
        self.swap(None);
    }

    /// What the environment before counted goes to the ledger: nobody looks for it here any more.
    fn swap(&self, next: Option<Arc<Served>>) {
        if let Some(before) = self.served.swap(next) {
            before.settle();
        }
    }

    /// Notes that it is asked.
    pub(super) fn used(&self, now_ms: i64) {
        self.used_at_ms.store(now_ms, Ordering::Relaxed);
    }

    /// What it weighs; nothing when it serves nothing.
    pub(super) fn weigh(&self) -> Option<Weight> {
        self.load().map(|served| Weight {
            env_id: self.env_id,
            bytes: served.bytes,
            used_at_ms: self.used_at_ms.load(Ordering::Relaxed),
            has_streams: self.changes.receiver_count() > 0,
        })
    }

    /// What streams are told, from now on.
    pub(crate) fn subscribe(&self) -> watch::Receiver<Changes> {
        self.changes.subscribe()
    }

    /// Waits for the right to write.
    pub(super) fn turn(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
