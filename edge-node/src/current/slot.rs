//! The slot of one environment: what readers load, what streams watch, and the turn of writers.

use std::{
    collections::HashSet,
    ops::Deref,
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicUsize, Ordering},
    },
};

use arc_swap::{ArcSwapOption, Guard};
use parking_lot::{Mutex, MutexGuard};
use protocol::{ids::EnvId, signature::SignatureError, snapshot::KeyHash, wire::message::Epoch};
use tokio::sync::watch;

use super::{Changes, Served, Weight, source::Source};

/// The slot of one environment. Requests hold it only while they run, streams for as long as they are open.
pub(crate) struct Slot {
    pub(super) env_id: EnvId,
    /// What is served now; `None` before the first snapshot and after removal.
    served: ArcSwapOption<Served>,
    pub(super) changes: watch::Sender<Changes>,
    /// From what it came.
    pub(super) source: Source,
    /// How many of its streams are those of SDKs.
    sdk_streams: AtomicUsize,
    turn: Mutex<Turn>,
    /// When it was last queried: milliseconds since the edge started, to the second; 0 for never.
    used_at_ms: AtomicI64,
    /// Until when what is served is known to have been current, Unix milliseconds.
    pub(super) proven_ms: AtomicI64,
}

/// What only writers need, and the right to write.
#[derive(Default)]
pub(super) struct Turn {
    /// The keys that open the environment.
    pub(super) keys: HashSet<KeyHash>,
    /// The epoch in which the served version was received.
    pub(super) epoch: Option<Epoch>,
    /// A removed slot is never filled again: a writer that still holds it fetches its successor.
    pub(super) is_removed: bool,
    /// Why contents were refused last, since some were served.
    pub(super) refused: Option<SignatureError>,
}

/// One version of an environment, for as long as a request needs it. Requests on different processors write to nothing that they
/// share to get or to leave it.
pub(crate) struct Reading(Guard<Option<Arc<Served>>>);

impl Deref for Reading {
    type Target = Served;

    fn deref(&self) -> &Served {
        self.0.as_ref().expect("it was there, and it cannot change")
    }
}

/// A stream of an SDK, for as long as it is open.
pub(crate) struct SdkStream(Arc<Slot>);

impl Drop for SdkStream {
    fn drop(&mut self) {
        self.0.sdk_streams.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Slot {
    pub(super) fn new(env_id: EnvId) -> Self {
        Self {
            env_id,
            served: ArcSwapOption::empty(),
            changes: watch::Sender::default(),
            source: Source::default(),
            sdk_streams: AtomicUsize::new(0),
            turn: Mutex::default(),
            used_at_ms: AtomicI64::new(0),
            proven_ms: AtomicI64::new(0),
        }
    }

    /// Has its streams look whether they may go on.
    pub(crate) fn wake_streams(&self) {
        self.changes.send_modify(|_| {});
    }

    /// What is served now; `None` before the first snapshot and after removal.
    pub(crate) fn load(&self) -> Option<Arc<Served>> {
        self.served.load_full()
    }

    /// The same for a request, which does not count as a holder.
    pub(crate) fn read(&self) -> Option<Reading> {
        let served = self.served.load();
        served.is_some().then_some(Reading(served))
    }

    /// Serves another version.
    pub(super) fn serve(&self, next: Served) -> Arc<Served> {
        let next = Arc::new(next);
        self.swap(Some(Arc::clone(&next)));
        next
    }

    /// Stops serving.
    pub(super) fn clear(&self) {
        self.swap(None);
    }

    /// The replaced environment's counts go to the ledger at once: requests still holding it may keep it for a while.
    fn swap(&self, next: Option<Arc<Served>>) {
        if let Some(before) = self.served.swap(next) {
            before.settle();
        }
    }

    /// Records that it was queried.
    pub(super) fn used(&self, elapsed_ms: i64) {
        self.used_at_ms.store(elapsed_ms, Ordering::Relaxed);
    }

    pub(super) fn used_at_ms(&self) -> i64 {
        self.used_at_ms.load(Ordering::Relaxed)
    }

    /// Its weight; `None` when it serves nothing.
    pub(super) fn weigh(&self) -> Option<Weight> {
        self.load().map(|served| Weight {
            env_id: self.env_id,
            bytes: served.bytes + self.source.bytes(),
            used_at_ms: self.used_at_ms(),
            has_streams: self.changes.receiver_count() > 0,
        })
    }

    /// The changes from now on, for a stream.
    pub(crate) fn subscribe(&self) -> watch::Receiver<Changes> {
        self.changes.subscribe()
    }

    /// Has changes themselves kept for a stream until what is returned is dropped.
    pub(crate) fn watch_deltas(self: &Arc<Self>) -> SdkStream {
        self.sdk_streams.fetch_add(1, Ordering::SeqCst);
        SdkStream(Arc::clone(self))
    }

    pub(super) fn has_sdk_streams(&self) -> bool {
        self.sdk_streams.load(Ordering::SeqCst) > 0
    }

    /// Waits for the right to write.
    pub(super) fn turn(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock()
    }
}
