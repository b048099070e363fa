//! What a client and its background tasks share.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime},
};

use arc_swap::ArcSwapOption;
use parking_lot::Mutex;
use tokio::sync::{broadcast, watch};

use crate::{
    changes::Changed,
    held::Held,
    status::{State, Status},
    usage::Ledger,
};

/// Changes that wait for a listener that is slow.
const CHANGES: usize = 64;

/// What answers, and how things are.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) held: ArcSwapOption<Held>,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) status: watch::Sender<Status>,
    pub(crate) changes: broadcast::Sender<Changed>,
    /// Replaced environments that an evaluation may still be reading: here they end, so that no evaluation has to tidy up.
    retired: Mutex<Vec<Arc<Held>>>,
    /// When the edge was last heard of, Unix milliseconds.
    heard_at: AtomicU64,
    /// The process that started the client.
    process: u32,
}

impl Shared {
    pub(crate) fn new() -> Self {
        Self {
            held: ArcSwapOption::empty(),
            ledger: Arc::default(),
            status: watch::Sender::new(Status::NOT_READY),
            changes: broadcast::Sender::new(CHANGES),
            retired: Mutex::default(),
            heard_at: AtomicU64::new(0),
            process: std::process::id(),
        }
    }

    /// Swaps what answers, and tells of it. The state is what it was.
    pub(crate) fn hold(&self, held: Arc<Held>, changed: Vec<String>) {
        let version = held.version();
        let replaced = self.held.swap(Some(held));
        self.retired.lock().extend(replaced);
        self.retire();
        self.status
            .send_modify(|status| status.version = Some(version));
        // Nobody needs to listen.
        _ = self.changes.send(Changed {
            version,
            flags: changed,
        });
    }

    /// Moves all counts into the ledger.
    pub(crate) fn settle(&self) {
        self.retire();
        for retired in &*self.retired.lock() {
            retired.settle();
        }
        if let Some(held) = &*self.held.load() {
            held.settle();
        }
    }

    /// Lets go of replaced environments that nobody reads.
    fn retire(&self) {
        self.retired
            .lock()
            .retain(|retired| Arc::strong_count(retired) > 1);
    }

    /// What is held is what the edge serves.
    pub(crate) fn is_current(&self) {
        self.status.send_if_modified(|status| {
            let is_new = status.state != State::Ready;
            status.state = State::Ready;
            is_new
        });
    }

    /// The edge was heard of just now.
    #[expect(
        clippy::disallowed_methods,
        reason = "told to people; nothing is decided by it"
    )]
    pub(crate) fn heard(&self) {
        self.heard_at_time(SystemTime::now());
    }

    /// The edge was heard of then.
    pub(crate) fn heard_at_time(&self, at: SystemTime) {
        let since = at
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        let millis = u64::try_from(since.as_millis()).unwrap_or(0);
        self.heard_at.store(millis, Ordering::Relaxed);
    }

    /// What is held comes from a local copy.
    pub(crate) fn went_stale(&self) {
        let state = self.stale();
        self.status.send_modify(|status| status.state = state);
    }

    /// What is held may be old, and why.
    pub(crate) fn is_stale(&self, why: &str) {
        let is_held = self.held.load().is_some();
        let state = if is_held {
            self.stale()
        } else {
            State::NotReady
        };
        self.went_wrong(Some(state), why);
    }

    /// The key is refused, and why.
    pub(crate) fn is_refused(&self, why: &str) {
        self.went_wrong(Some(State::Refused), why);
    }

    /// Something did not succeed.
    pub(crate) fn went_wrong(&self, state: Option<State>, why: &str) {
        self.status.send_modify(|status| {
            status.state = state.unwrap_or(status.state);
            status.last_error = Some(why.into());
        });
    }

    /// How things are now.
    pub(crate) fn status_now(&self) -> Status {
        if !self.has_forked() {
            return self.status.borrow().clone();
        }
        let version = self.held.load().as_ref().map(|held| held.version());
        Status {
            state: version.map_or(State::NotReady, |_| self.stale()),
            version,
            last_error: Some("the process forked: nothing updates this client here".into()),
        }
    }

    /// Whether this is the child of a process that forked after the client was started. Only the thread that forks goes on there: a
    /// lock that another one had stays locked, so none is taken.
    pub(crate) fn has_forked(&self) -> bool {
        std::process::id() != self.process
    }

    fn stale(&self) -> State {
        let heard = Duration::from_millis(self.heard_at.load(Ordering::Relaxed));
        State::Stale {
            since: SystemTime::UNIX_EPOCH + heard,
        }
    }
}
