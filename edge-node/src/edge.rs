//! One edge, as whoever feeds it and whoever asks it see it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
    time::Duration,
};

use axum::Router;
use protocol::{
    ids::EnvId,
    snapshot::{KeyHash, Version},
    wire::{
        message::{EdgeStatus, Epoch, Held, Push, StreamSecret},
        usage::UsageBatch,
    },
};
use serving::{clock::Clock, rate::PerMinute};
use tokio_util::sync::CancellationToken;

use crate::{
    EdgeSettings, Greeting, KeyLookup, Outcome,
    clock::EdgeClock,
    current::Current,
    http,
    keys::Keys,
    stream_credential::StreamCredentials,
    streams::StreamLimits,
    usage::{Ledger, Usage},
};

/// An edge in this process. Clones are the same edge.
#[derive(Clone)]
pub struct Edge(Arc<Parts>);

pub(crate) struct Parts {
    pub(crate) settings: EdgeSettings,
    pub(crate) current: Current,
    pub(crate) clock: EdgeClock,
    pub(crate) keys: Keys,
    pub(crate) rate: PerMinute<KeyHash>,
    pub(crate) streams: StreamLimits,
    pub(crate) credentials: StreamCredentials,
    pub(crate) usage: Usage,
    /// Ends the streams.
    pub(crate) stop: CancellationToken,
    is_connected: AtomicBool,
    is_restored: AtomicBool,
    /// When the control plane last said that what is held is right, by the clock of this machine; 0 for never.
    confirmed_ms: AtomicI64,
    local: Clock,
}

impl Edge {
    /// An edge that holds nothing yet. Without a look-up, keys that it does not hold are refused at once.
    #[must_use]
    pub fn new(settings: EdgeSettings, clock: Clock, lookup: Option<Arc<dyn KeyLookup>>) -> Self {
        let ledger = Arc::new(Ledger::default());
        Self(Arc::new(Parts {
            current: Current::new(Arc::clone(&ledger)),
            usage: Usage::new(ledger),
            clock: EdgeClock::new(clock.clone()),
            keys: Keys::new(lookup, &settings),
            rate: PerMinute::new(settings.rate_evaluation, clock.clone()),
            streams: StreamLimits::new(&settings),
            credentials: StreamCredentials::default(),
            stop: CancellationToken::new(),
            is_connected: AtomicBool::new(false),
            is_restored: AtomicBool::new(false),
            confirmed_ms: AtomicI64::new(0),
            local: clock,
            settings,
        }))
    }

    /// The evaluation paths, with their CORS, rates and caching rules. Request ids, bodies of unknown paths and the like
    /// are the caller's to add (`serving::layers::common`), since they go around everything it serves.
    pub fn router(&self) -> Router {
        http::router(self.clone())
    }

    /// Says what belongs to this edge: what it holds besides is dropped, and it is ready once everything listed was
    /// applied. Versions held from another epoch are not compared.
    pub fn expect(&self, epoch: Epoch, listed: &[Held]) -> Greeting {
        let greeting = self.0.current.expect(epoch, listed);
        self.confirmed();
        greeting
    }

    /// Applies a push: what is served is swapped, then streams are told. Takes as long as preparing the environment does,
    /// so a large one does not belong on an async thread. Pushes of one environment take turns, others run side by side.
    pub fn apply(&self, push: &Push) -> Outcome {
        self.apply_then(push, |_| {})
    }

    /// As [`Edge::apply`]; `then` hears of a change before the environment's next push can be applied.
    pub(crate) fn apply_then(&self, push: &Push, then: impl FnOnce(Outcome)) -> Outcome {
        self.0.current.apply(push, then)
    }

    /// The version that is served of an environment, if any.
    pub fn version(&self, env_id: EnvId) -> Option<Version> {
        self.0.current.version(env_id)
    }

    /// A key was created: an earlier negative answer about it no longer counts.
    pub fn key_created(&self, hash: &KeyHash) {
        self.0.keys.created(hash);
    }

    /// Takes the secret under which all edges of the service issue stream credentials. Until then OFREP answers name no
    /// event stream.
    pub fn set_stream_secret(&self, secret: &StreamSecret) {
        self.0.credentials.set_secret(secret);
    }

    /// Whether everything that belongs to the edge was applied, or the cache had something to serve.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.0.current.is_complete()
            || (self.0.is_restored.load(Ordering::Acquire) && self.0.current.held_any())
    }

    /// Ends all streams. Requests go on being answered.
    pub fn shutdown(&self) {
        self.0.stop.cancel();
    }

    /// What it is made of, for the modules of this crate.
    pub(crate) fn parts(&self) -> &Parts {
        &self.0
    }

    /// What is held, and from which epoch.
    pub(crate) fn holds(&self) -> (Option<Epoch>, Vec<Held>) {
        self.0.current.holds()
    }

    /// How it is, for the operator at the control plane.
    pub(crate) fn status(&self) -> EdgeStatus {
        EdgeStatus {
            streams: self.0.streams.count(),
            environments: u32::try_from(self.0.current.count()).unwrap_or(u32::MAX),
            held_bytes: self.0.current.held_bytes(),
        }
    }

    /// Takes the control plane's time for the edge's.
    pub(crate) fn set_time(&self, now_ms: i64) {
        self.0.clock.correct(now_ms);
    }

    /// Notes whether there is a link to a control plane.
    pub(crate) fn set_connected(&self, connected: bool) {
        self.0.is_connected.store(connected, Ordering::Release);
    }

    /// Whether there is a link to a control plane.
    pub(crate) fn is_connected(&self) -> bool {
        self.0.is_connected.load(Ordering::Acquire)
    }

    /// Takes what the cache held; false when it is of no use.
    pub(crate) fn restore(&self, epoch: Epoch, push: &Push) -> bool {
        self.0.current.restore(epoch, push)
    }

    /// Takes the batches of usage that the cache held, which an earlier run of this edge counted.
    pub(crate) fn restore_usage(&self, batches: Vec<UsageBatch>) {
        self.0.usage.restore(batches);
    }

    /// Drops what came from a damaged cache.
    pub(crate) fn forget_restored(&self) {
        self.0.current.forget_restored();
    }

    /// Notes that the cache was loaded.
    pub(crate) fn restored(&self) {
        self.0.is_restored.store(true, Ordering::Release);
    }

    /// Notes that the control plane stands behind what is held: it would have sent what is newer.
    pub(crate) fn confirmed(&self) {
        self.0
            .confirmed_ms
            .store(self.0.local.unix_ms(), Ordering::Relaxed);
    }

    /// How long ago that was; absent when it never was.
    pub(crate) fn age(&self) -> Option<Duration> {
        match self.0.confirmed_ms.load(Ordering::Relaxed) {
            0 => None,
            then => Some(Duration::from_millis(
                self.0
                    .local
                    .unix_ms()
                    .saturating_sub(then)
                    .try_into()
                    .unwrap_or(0),
            )),
        }
    }
}
