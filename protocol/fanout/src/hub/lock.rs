//! The hub's lock, with a clock: whoever holds it for long holds up every session and every write.

use std::{
    ops::{Deref, DerefMut},
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use parking_lot::{Mutex, MutexGuard};

use super::state::State;

#[derive(Debug, Default)]
pub(super) struct Lock {
    state: Mutex<State>,
    total: AtomicU64,
    longest: AtomicU64,
}

/// For how long the lock was held.
#[derive(Clone, Copy, Debug, Default)]
pub struct HeldFor {
    /// In all.
    pub total: Duration,
    /// In one go.
    pub longest: Duration,
}

impl Lock {
    /// It protects plain bookkeeping; a panic while it is held leaves nothing that the next poll does not repair.
    pub(super) fn hold(&self) -> Held<'_> {
        let state = self.state.lock();
        Held {
            lock: self,
            since: Instant::now(),
            state,
        }
    }

    /// For how long it was held since the last call.
    pub(super) fn held_for(&self) -> HeldFor {
        let take = |nanos: &AtomicU64| Duration::from_nanos(nanos.swap(0, Ordering::Relaxed));
        HeldFor {
            total: take(&self.total),
            longest: take(&self.longest),
        }
    }
}

/// The state, as long as the lock is held.
#[derive(Debug)]
pub(super) struct Held<'a> {
    lock: &'a Lock,
    since: Instant,
    state: MutexGuard<'a, State>,
}

impl Deref for Held<'_> {
    type Target = State;

    fn deref(&self) -> &State {
        &self.state
    }
}

impl DerefMut for Held<'_> {
    fn deref_mut(&mut self) -> &mut State {
        &mut self.state
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let nanos = u64::try_from(self.since.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.lock.total.fetch_add(nanos, Ordering::Relaxed);
        self.lock.longest.fetch_max(nanos, Ordering::Relaxed);
    }
}
