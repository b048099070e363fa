//! One edge: the interface for its upstream, which feeds it, and for what serves its router.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
    time::Duration,
};

use axum::Router;
use bytes::Bytes;
use parking_lot::Mutex;
use protocol::{
    ids::{EnvId, OrgId},
    signature::{PublicKey, Signature},
    snapshot::{KeyHash, Version},
    timestamp::Register,
    wire::{
        message::{EdgeStatus, Epoch, Held, Looked, Push, StreamSecret},
        usage::UsageBatch,
    },
};
use serving::{clock::Clock, rate::Limit};
use tokio_util::sync::CancellationToken;

use crate::{
    EdgeSettings, Greeting, KeyLookup, Listing, Located, Outcome,
    clock::EdgeClock,
    current::Current,
    http::{self, Front},
    keys::Keys,
    limits::{self, Limiter},
    rehearsals::Rehearsals,
    stream_credential::StreamCredentials,
    streams::StreamLimits,
    upstream::Unaccepted,
    usage::{Ledger, Usage},
    what_if::WhatIf,
};

/// An edge in this process. Clones share it.
#[derive(Clone)]
pub struct Edge(Arc<Parts>);

pub(crate) struct Parts {
    pub(crate) settings: EdgeSettings,
    pub(crate) current: Current,
    pub(crate) clock: EdgeClock,
    pub(crate) keys: Keys,
    /// Of evaluations by each key.
    pub(crate) rate: Option<Limit>,
    pub(crate) streams: StreamLimits,
    pub(crate) large_answers: Limiter<OrgId>,
    pub(crate) credentials: StreamCredentials,
    pub(crate) usage: Usage,
    pub(crate) rehearsals: Rehearsals,
    pub(crate) what_if: WhatIf,
    /// Ends the streams.
    pub(crate) stop: CancellationToken,
    is_connected: AtomicBool,
    /// Why the certificate was not accepted when that was last asked; nothing once a link is made.
    unaccepted: Mutex<Option<Unaccepted>>,
    is_restored: AtomicBool,
    /// When the control plane began its last look at the database after which it sent everything newer, in milliseconds
    /// since the edge started.
    confirmed_ms: AtomicI64,
    /// The last of these times at which all that the greeting listed had arrived.
    arrived_ms: AtomicI64,
    /// The furthest position of the database's log that was told, and in which epoch.
    position: Mutex<Option<(Epoch, u64)>>,
}

/// There was no look.
const NEVER: i64 = i64::MIN;

impl Edge {
    /// An edge that holds nothing yet. Without `lookup`, keys it does not hold are refused at once.
    #[must_use]
    pub fn new(settings: EdgeSettings, clock: Clock, lookup: Option<Arc<dyn KeyLookup>>) -> Self {
        let ledger = Arc::new(Ledger::default());
        Self(Arc::new(Parts {
            current: Current::new(Arc::clone(&ledger)),
            usage: Usage::new(ledger),
            keys: Keys::new(lookup, &settings, clock.clone()),
            rate: Limit::per_minute(settings.rate_evaluation),
            clock: EdgeClock::new(clock),
            streams: StreamLimits::new(&settings),
            large_answers: Limiter::new(limits::large_answers()),
            credentials: StreamCredentials::default(),
            rehearsals: Rehearsals::default(),
            what_if: WhatIf::default(),
            stop: CancellationToken::new(),
            is_connected: AtomicBool::new(false),
            unaccepted: Mutex::default(),
            is_restored: AtomicBool::new(false),
            confirmed_ms: AtomicI64::new(NEVER),
            arrived_ms: AtomicI64::new(NEVER),
            position: Mutex::default(),
            settings,
        }))
    }

    /// The evaluation paths, with their CORS, rate and caching rules. Request ids, answers to unknown paths and the
    /// like are added by the caller (`serving::layers::common`), since they apply to everything it serves.
    pub fn router(&self) -> Router {
        http::router(self.clone())
    }

    /// The same paths in front of a router that has them too, and all that is around them.
    #[must_use]
    pub fn front(&self, rest: Router) -> Front {
        Front::new(self.clone(), rest)
    }

    /// Takes what belongs to this edge: everything else it holds is dropped, and it is ready once all of it was applied.
    /// Versions held from another epoch are not compared.
    pub fn expect(&self, epoch: Epoch, listing: &Listing) -> Greeting {
        let greeting = self.0.current.expect(epoch, listing);
        for env_id in &greeting.dropped {
            self.0.what_if.removed(*env_id);
        }
        greeting
    }

    /// Records when the control plane last looked into the database of this epoch: the edge was sent, or is being sent,
    /// everything that was there then.
    pub fn confirmed(&self, epoch: Epoch, looked: Looked) {
        let then = self.0.clock.elapsed_ms() - i64::from(looked.ago_ms);
        self.0.confirmed_ms.store(then, Ordering::Relaxed);
        if !self.0.current.is_missing_any() {
            self.0.arrived_ms.store(then, Ordering::Relaxed);
        }
        let mut furthest = self.0.position.lock();
        match &mut *furthest {
            Some((of, position)) if *of == epoch => *position = looked.position.max(*position),
            _ => *furthest = Some((epoch, looked.position)),
        }
    }

    /// Takes a timestamp, which was verified or is the control plane's own.
    pub fn stamp(&self, register: Arc<Register>) {
        self.0.current.stamp(register);
    }

    /// Applies a push: the served environment is swapped, then streams are notified. Takes as long as preparing the
    /// environment, so a large one does not belong on an async thread. Pushes of one environment take turns, others run
    /// in parallel.
    pub fn apply(&self, push: &Push) -> Outcome {
        self.note(self.0.current.apply(push, None, |_| {}))
    }

    /// Like [`Edge::apply`] of a push that came in these bytes: its frame, which a signature may follow. SDKs are given the
    /// signature too.
    pub fn apply_signed(&self, push: &Push, bytes: &Bytes) -> Outcome {
        self.note(self.0.current.apply(push, Some(bytes), |_| {}))
    }

    /// Like [`Edge::apply_signed`]; `then` is called with the outcome before the environment's next push can be applied.
    pub(crate) fn apply_then(
        &self,
        push: &Push,
        bytes: &Bytes,
        then: impl FnOnce(Outcome),
    ) -> Outcome {
        self.note(self.0.current.apply(push, Some(bytes), then))
    }

    /// Samples of an environment that is gone are dropped.
    fn note(&self, outcome: Outcome) -> Outcome {
        if let Outcome::Removed { env_id } = outcome {
            self.0.what_if.removed(env_id);
        }
        outcome
    }

    /// From now on, what comes must be signed by one of these; without any it is taken as it is.
    pub(crate) fn trust(&self, signers: Vec<PublicKey>) {
        self.0.current.trust(signers);
    }

    /// The version of an environment that is served, if any.
    pub fn version(&self, env_id: EnvId) -> Option<Version> {
        self.0.current.version(env_id)
    }

    /// The environment of a key that is valid now, and the version that is served, if it is held.
    pub(crate) fn locate(&self, hash: &KeyHash) -> Option<Located> {
        let grant = self.0.current.find(hash)?;
        let is_valid = !grant.is_expired(self.0.clock.now_ms());
        let served = grant.slot.load().filter(|_| is_valid)?;
        Some(Located {
            env_id: served.head().env_id,
            version: served.head().version,
        })
    }

    /// A key was created: an earlier negative answer about it no longer holds.
    pub fn key_created(&self, hash: &KeyHash) {
        self.0.keys.created(hash);
    }

    /// Sets the secret with which all edges of the service issue stream credentials. Without it, OFREP answers name no
    /// event stream.
    pub fn set_stream_secret(&self, secret: &StreamSecret) {
        self.0.credentials.set_secret(secret);
    }

    /// Whether everything that belongs to the edge was applied, or the cache held something to serve and the control plane
    /// had the time to say how old that is.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.0.current.is_complete()
            || (self.0.is_restored.load(Ordering::Acquire)
                && self.0.current.held_any()
                && self.has_waited())
    }

    fn has_waited(&self) -> bool {
        let wait_ms = self.0.settings.greeting_wait.as_millis();
        self.0.current.is_greeted()
            || u128::from(self.0.clock.elapsed_ms().unsigned_abs()) >= wait_ms
    }

    /// Ends all streams. Requests are still answered.
    pub fn shutdown(&self) {
        self.0.stop.cancel();
    }

    /// Its parts, for the modules of this crate.
    pub(crate) fn parts(&self) -> &Parts {
        &self.0
    }

    /// What is held, and in which epoch it was received.
    #[must_use]
    pub fn holds(&self) -> (Option<Epoch>, Vec<Held>) {
        self.0.current.holds()
    }

    /// Its status, for the operator at the control plane.
    pub(crate) fn status(&self) -> EdgeStatus {
        EdgeStatus {
            streams: self.0.streams.count(),
            environments: u32::try_from(self.0.current.count()).unwrap_or(u32::MAX),
            held_bytes: self.0.current.held_bytes(),
        }
    }

    /// Adopts the control plane's time.
    pub(crate) fn set_time(&self, now_ms: i64) {
        self.0.clock.correct(now_ms);
    }

    /// Records whether there is a link to a control plane. What had not arrived when it ended is not being sent any more.
    pub(crate) fn set_connected(&self, connected: bool) {
        if connected {
            *self.0.unaccepted.lock() = None;
        } else if self.0.current.is_missing_any() {
            let arrived_ms = self.0.arrived_ms.load(Ordering::Relaxed);
            self.0.confirmed_ms.store(arrived_ms, Ordering::Relaxed);
        }
        self.0.is_connected.store(connected, Ordering::Release);
    }

    /// Records that the control plane did not accept the certificate.
    pub(crate) fn set_unaccepted(&self, unaccepted: Unaccepted) {
        *self.0.unaccepted.lock() = Some(unaccepted);
    }

    /// Why there is no link and will be none, as far as that is known.
    pub(crate) fn unaccepted(&self) -> Option<Unaccepted> {
        *self.0.unaccepted.lock()
    }

    /// Whether there is a link to a control plane.
    pub(crate) fn is_connected(&self) -> bool {
        self.0.is_connected.load(Ordering::Acquire)
    }

    /// Applies what the cache held; false when it is unusable.
    pub(crate) fn restore(&self, epoch: Epoch, push: &Push, signature: Option<Signature>) -> bool {
        self.0.current.restore(epoch, push, signature)
    }

    /// Takes over the batches of usage found in the cache, which an earlier run of this edge counted.
    pub(crate) fn restore_usage(&self, batches: Vec<UsageBatch>) {
        self.0.usage.restore(batches, &self.0.current);
    }

    /// Drops what came from a damaged cache.
    pub(crate) fn forget_restored(&self) {
        self.0.current.forget_restored();
    }

    /// Records that the cache was loaded, which makes the edge ready if something came of it. An empty cache does not say
    /// that nothing belongs to the edge, and after a greeting that alone says what does.
    pub(crate) fn restored(&self) {
        let is_restored = self.0.current.held_any() && !self.0.current.is_greeted();
        self.0.is_restored.store(is_restored, Ordering::Release);
    }

    /// The furthest position of the database's log that was told in this epoch; 0 if none was.
    pub(crate) fn position_in(&self, epoch: Option<Epoch>) -> u64 {
        match *self.0.position.lock() {
            Some((of, position)) if Some(of) == epoch => position,
            _ => 0,
        }
    }

    /// How old what is served may be: the time since the control plane's last look; `None` if there was none. Whoever says
    /// when that was is believed as far as [timestamps](protocol::timestamp) prove it.
    pub(crate) fn age(&self) -> Option<Duration> {
        match self.0.confirmed_ms.load(Ordering::Relaxed) {
            NEVER => None,
            then => {
                let said = self.0.clock.elapsed_ms().saturating_sub(then);
                let unproven = self.0.current.unproven_ms(self.0.clock.latest_ms());
                Some(Duration::from_millis(said.max(unproven).unsigned_abs()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use protocol::wire::message::Listed;
    use serving::settings::Reader;
    use time::OffsetDateTime;

    use super::*;

    fn edge() -> (Edge, Clock) {
        let none = BTreeMap::new();
        let settings = EdgeSettings::load(&mut Reader::new(&none));
        let clock = Clock::manual(OffsetDateTime::UNIX_EPOCH);
        (Edge::new(settings, clock.clone(), None), clock)
    }

    #[test]
    fn an_age_does_not_change_when_the_time_is_adjusted() {
        let (edge, clock) = edge();
        assert_eq!(edge.age(), None);
        edge.confirmed(
            Epoch([1; 16]),
            Looked {
                ago_ms: 2_000,
                position: 1,
            },
        );
        clock.advance(Duration::from_secs(25));
        for hours in [1, -1, -1] {
            clock.adjust(time::Duration::hours(hours));
            assert_eq!(edge.age(), Some(Duration::from_secs(27)));
        }
        clock.advance(Duration::from_secs(1));
        assert_eq!(edge.age(), Some(Duration::from_secs(28)));
    }

    #[test]
    fn what_had_not_arrived_when_the_link_ended_counts_for_its_age() {
        let (edge, clock) = edge();
        let (epoch, now) = (
            Epoch([1; 16]),
            Looked {
                ago_ms: 0,
                position: 1,
            },
        );
        edge.expect(epoch, &Listing::default());
        edge.confirmed(epoch, now);
        edge.set_connected(true);
        clock.advance(Duration::from_secs(60));
        edge.set_connected(false);
        assert_eq!(edge.age(), Some(Duration::from_secs(60)));

        let listed = Listed {
            env_id: uuid::Uuid::from_u128(1).into(),
            version: 7,
            digest: None,
        };
        let listing = Listing {
            environments: vec![listed],
            ..Listing::default()
        };
        edge.expect(epoch, &listing);
        edge.confirmed(epoch, now);
        edge.set_connected(true);
        assert_eq!(edge.age(), Some(Duration::ZERO), "it is being sent");
        edge.set_connected(false);
        assert_eq!(edge.age(), Some(Duration::from_secs(60)));
    }
}
