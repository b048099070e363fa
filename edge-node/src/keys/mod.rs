//! From the hash of an API key to what it grants access to.
//!
//! Nearly always this is one look into the index. A key that is not there is looked up at the control plane: once for
//! all concurrent requests that present it, within a bounded time, and not again for a while if there is no such key.
//! Only that answer, or that there is nobody to ask, makes a key unknown; without an answer nobody can tell, and the
//! client may ask again. Nothing here grows with the number of keys that somebody makes up.

mod unknown;

use std::{collections::HashMap, net::IpAddr, sync::Arc, time::Duration};

use futures_util::{
    FutureExt,
    future::{BoxFuture, Shared},
};
use parking_lot::Mutex;
use protocol::snapshot::KeyHash;
use serving::{
    clock::Clock,
    rate::{Decision, Now, PerSecond},
};
use tokio::time::{Instant, timeout_at};

use self::unknown::Unknown;
use crate::{
    Edge, EdgeSettings, KeyLookup, Located,
    current::{Grant, Reading},
    limits::{Bound, KEY_LOOK_UPS, Limiter, Permit},
};

/// The environment that a key grants access to, and the count by the key's rate if there is one.
type Opened = (Reading, Option<Decision>);

/// Why a key was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Denied {
    /// There is no such key, as far as anybody can tell who can be asked.
    Unknown,
    /// This edge does not hold yet what belongs to it, and there is nobody to ask.
    NothingHeld,
    /// There is such a key, and its environment has not arrived.
    OnItsWay,
    /// There was no permit for the question, or no answer in time.
    Unanswered,
}

/// What came of a look-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// The control plane has no such key, or no longer.
    Unknown,
    /// It has, and the environment has not arrived in time.
    OnItsWay,
    Unanswered,
    /// There is no link.
    Nobody,
}

/// A look-up under way. What it finds is in the index when it ends.
type LookUp = Shared<BoxFuture<'static, Answer>>;

/// What is known about keys beyond the index.
pub(crate) struct Keys {
    lookup: Option<Arc<dyn KeyLookup>>,
    timeout: Duration,
    unknown: Unknown,
    under_way: Mutex<HashMap<KeyHash, LookUp>>,
    permits: Limiter<IpAddr>,
    /// For each network: however quickly the control plane answers, one of them cannot ask it without end.
    rate: PerSecond<IpAddr>,
}

/// A look-up is under way until this is dropped.
struct Asking {
    edge: Edge,
    hash: KeyHash,
    _permit: Permit<IpAddr>,
}

impl Drop for Asking {
    fn drop(&mut self) {
        self.edge.parts().keys.under_way.lock().remove(&self.hash);
    }
}

impl Keys {
    pub(crate) fn new(
        lookup: Option<Arc<dyn KeyLookup>>,
        settings: &EdgeSettings,
        clock: Clock,
    ) -> Self {
        Self {
            lookup,
            timeout: settings.key_lookup_timeout,
            unknown: Unknown::new(settings.unknown_key_ttl),
            under_way: Mutex::default(),
            permits: Limiter::new(KEY_LOOK_UPS),
            rate: PerSecond::new(settings.key_lookups_per_network, clock),
        }
    }

    pub(crate) fn created(&self, hash: &KeyHash) {
        self.unknown.forget(hash);
    }

    /// A permit for a look-up that requests from this network cause.
    fn permit(&self, network: IpAddr) -> Option<Permit<IpAddr>> {
        let bound = match self.permits.try_enter(network) {
            Ok(permit) if self.rate.allows(&network) => return Some(permit),
            Ok(_) => "network",
            Err(full) if full.bound == Bound::Share => "network",
            Err(_) => "shared",
        };
        metrics::counter!("halyard_edge_key_lookups_refused_total", "bound" => bound).increment(1);
        None
    }
}

impl Edge {
    /// The environment that the key grants access to, as it is now, with a request counted by the key's rate if there is one;
    /// `None` if it was removed just then. A look-up counts for the client's network, which is computed only then.
    pub(crate) async fn open(
        &self,
        hash: &KeyHash,
        network: impl FnOnce() -> IpAddr,
    ) -> Result<Option<Opened>, Denied> {
        if let Some(opened) = self.open_known(hash) {
            return opened;
        }
        let answer = match self.look_up(hash, network()) {
            Ok(look_up) => look_up.await,
            Err(answer) => answer,
        };
        // Whatever was answered: it may have arrived meanwhile.
        if let Some(opened) = self.open_known(hash) {
            return opened;
        }
        Err(match answer {
            Answer::Unknown => Denied::Unknown,
            Answer::OnItsWay => Denied::OnItsWay,
            Answer::Unanswered => Denied::Unanswered,
            Answer::Nobody if self.is_ready() => Denied::Unknown,
            Answer::Nobody => Denied::NothingHeld,
        })
    }

    /// The same for a key that the index has, which nobody need be asked about.
    #[inline]
    pub(crate) fn open_known(&self, hash: &KeyHash) -> Option<Result<Option<Opened>, Denied>> {
        let rate = self.parts().rate;
        self.with_known(hash, |grant, now| {
            let environment = grant.slot.read()?;
            let decision = rate.map(|limit| limit.check(&grant.allowance, now));
            Some((environment, decision))
        })
    }

    /// What the index says, if it has the key. An expired key needs no look-up: it stays expired. A valid key is
    /// recorded as used.
    pub(crate) fn known(&self, hash: &KeyHash) -> Option<Result<Arc<Grant>, Denied>> {
        self.with_known(hash, |grant, _| Arc::clone(grant))
    }

    /// Counts a request of a key as `more` requests more, as [`Limit::check_more`](serving::rate::Limit::check_more) does.
    pub(crate) fn charge(&self, hash: &KeyHash, more: u32) -> Option<Decision> {
        let parts = self.parts();
        let (limit, now) = (parts.rate?, parts.clock.now());
        let charge = |grant: &Arc<Grant>| limit.check_more(&grant.allowance, now, more);
        parts.current.with_grant(hash, charge)?
    }

    /// The same for who needs it only now.
    #[inline]
    fn with_known<T>(
        &self,
        hash: &KeyHash,
        read: impl FnOnce(&Arc<Grant>, Now) -> T,
    ) -> Option<Result<T, Denied>> {
        let now = self.parts().clock.now();
        self.parts().current.with_grant(hash, |grant| {
            if grant.is_expired(now.unix_ms) {
                return Err(Denied::Unknown);
            }
            grant.used(now);
            Ok(read(grant, now))
        })
    }

    /// Joins the look-up of this key, or starts one; the answer at once where that would be pointless or too much.
    fn look_up(&self, hash: &KeyHash, network: IpAddr) -> Result<LookUp, Answer> {
        let keys = &self.parts().keys;
        let lookup = keys
            .lookup
            .as_ref()
            .filter(|lookup| lookup.is_reachable())
            .ok_or(Answer::Nobody)?;
        if keys.unknown.contains(hash) {
            return Err(Answer::Unknown);
        }
        let mut under_way = keys.under_way.lock();
        if let Some(look_up) = under_way.get(hash) {
            return Ok(look_up.clone());
        }
        let permit = keys.permit(network).ok_or(Answer::Unanswered)?;
        // A task of its own, so that it completes even if every request waiting for it is cancelled.
        let lookup = Arc::clone(lookup);
        let asking = Asking {
            edge: self.clone(),
            hash: *hash,
            _permit: permit,
        };
        let task = tokio::spawn(async move { asking.edge.ask(lookup.as_ref(), asking.hash).await });
        let look_up = task
            .map(|answer| answer.unwrap_or(Answer::Unanswered))
            .boxed()
            .shared();
        under_way.insert(*hash, look_up.clone());
        Ok(look_up)
    }

    /// Asks the control plane, and waits until the answer is reflected in what is served, within the time-out.
    async fn ask(&self, lookup: &dyn KeyLookup, hash: KeyHash) -> Answer {
        let keys = &self.parts().keys;
        let until = Instant::now() + keys.timeout;
        // Noted before asking: a key created while the question is under way makes a negative answer worthless.
        let asked = keys.unknown.now();
        let located = match timeout_at(until, lookup.look_up(hash)).await {
            Ok(Ok(Some(located))) => located,
            Ok(Ok(None)) => {
                keys.unknown.remember(hash, asked);
                return Answer::Unknown;
            }
            Ok(Err(unavailable)) => {
                tracing::debug!(%unavailable, "an API key was not looked up");
                return Answer::Unanswered;
            }
            Err(_) => {
                metrics::counter!("halyard_edge_key_lookups_late_total").increment(1);
                return Answer::Unanswered;
            }
        };
        match timeout_at(until, self.arrival(located, &hash)).await {
            // The version may arrive without the key, which was then revoked meanwhile.
            Ok(()) => Answer::Unknown,
            Err(_) => Answer::OnItsWay,
        }
    }

    /// Waits until the key is served, or a version that would have it.
    async fn arrival(&self, located: Located, hash: &KeyHash) {
        let current = &self.parts().current;
        let mut changed = current.subscribe();
        while current.find(hash).is_none()
            && !current.has(located.env_id, located.version)
            && changed.changed().await.is_ok()
        {}
    }
}
