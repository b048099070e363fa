//! From the hash of an API key to what it grants access to.
//!
//! Nearly always this is one look into the index. A key that is not there is looked up at the control plane: once for
//! all concurrent requests that present it, within a bounded time, and not again for a while if there is no such key.
//! Nothing here grows with the number of keys that somebody makes up.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use futures_util::{
    FutureExt,
    future::{BoxFuture, Shared},
};
use moka::sync::Cache;
use protocol::snapshot::KeyHash;
use tokio::time::timeout;

use crate::{Edge, EdgeSettings, KeyLookup, Located, current::Grant};

/// Negative answers kept.
const UNKNOWN: u64 = 10_000;
/// Concurrent look-ups; requests beyond that are refused as if no control plane were reachable.
const LOOKUPS: usize = 256;

/// Why a key was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Denied {
    /// This edge knows no such key.
    Unknown,
    /// This edge has never held anything: it cannot know.
    NothingHeld,
}

/// What is known about keys beyond the index.
pub(crate) struct Keys {
    lookup: Option<Arc<dyn KeyLookup>>,
    timeout: Duration,
    unknown: Unknown,
    under_way: Mutex<HashMap<KeyHash, Shared<BoxFuture<'static, ()>>>>,
}

impl Keys {
    pub(crate) fn new(lookup: Option<Arc<dyn KeyLookup>>, settings: &EdgeSettings) -> Self {
        Self {
            lookup,
            timeout: settings.key_lookup_timeout,
            unknown: Unknown::new(settings.unknown_key_ttl),
            under_way: Mutex::default(),
        }
    }

    pub(crate) fn created(&self, hash: &KeyHash) {
        self.unknown.forget(hash);
    }

    fn under_way(&self) -> MutexGuard<'_, HashMap<KeyHash, Shared<BoxFuture<'static, ()>>>> {
        self.under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Edge {
    /// What the key grants access to now.
    pub(crate) async fn grant(&self, hash: &KeyHash) -> Result<Arc<Grant>, Denied> {
        if let Some(known) = self.known(hash) {
            return known;
        }
        // An on-demand edge is complete as soon as it is greeted, and looks the key up.
        if !self.parts().current.held_any() && !self.parts().current.is_complete() {
            return Err(Denied::NothingHeld);
        }
        if let Some(lookup) = self.look_up(hash) {
            lookup.await;
        }
        self.known(hash).unwrap_or(Err(Denied::Unknown))
    }

    /// What the index says, if it has the key. An expired key needs no look-up: it stays expired. A valid key is
    /// recorded as used.
    pub(crate) fn known(&self, hash: &KeyHash) -> Option<Result<Arc<Grant>, Denied>> {
        let grant = self.parts().current.find(hash)?;
        let now_ms = self.parts().clock.now_ms();
        Some(if grant.is_expired(now_ms) {
            Err(Denied::Unknown)
        } else {
            grant.used(now_ms);
            Ok(grant)
        })
    }

    /// Joins the look-up of this key, or starts one; `None` when it would be pointless.
    fn look_up(&self, hash: &KeyHash) -> Option<Shared<BoxFuture<'static, ()>>> {
        let lookup = self.parts().keys.lookup.as_ref()?;
        if self.parts().keys.unknown.contains(hash) {
            return None;
        }
        let mut under_way = self.parts().keys.under_way();
        if let Some(lookup) = under_way.get(hash) {
            return Some(lookup.clone());
        }
        if under_way.len() >= LOOKUPS {
            metrics::counter!("halyard_edge_key_lookups_refused_total").increment(1);
            return None;
        }
        // A task of its own, so that it completes even if every request waiting for it is cancelled.
        let (edge, lookup, hash) = (self.clone(), Arc::clone(lookup), *hash);
        let task = tokio::spawn(async move {
            let asked = edge.ask(lookup.as_ref(), hash);
            if timeout(edge.parts().keys.timeout, asked).await.is_err() {
                metrics::counter!("halyard_edge_key_lookups_late_total").increment(1);
            }
            edge.parts().keys.under_way().remove(&hash);
        });
        let shared = task.map(|_| ()).boxed().shared();
        under_way.insert(hash, shared.clone());
        Some(shared)
    }

    /// Asks the control plane, and waits until the answer is reflected in what is served.
    async fn ask(&self, lookup: &dyn KeyLookup, hash: KeyHash) {
        // Noted before asking: a key created while the question is under way makes a negative answer worthless.
        let asked = self.parts().keys.unknown.now();
        match lookup.look_up(hash).await {
            Ok(Some(located)) => self.serves(located, &hash).await,
            Ok(None) => self.parts().keys.unknown.remember(hash, asked),
            Err(unavailable) => tracing::debug!(%unavailable, "an unknown key was refused"),
        }
    }

    async fn serves(&self, located: Located, hash: &KeyHash) {
        let mut changed = self.parts().current.subscribe();
        // The version may arrive without the key, which was then revoked meanwhile.
        while self.parts().current.find(hash).is_none()
            && self
                .parts()
                .current
                .version(located.env_id)
                .is_none_or(|version| version < located.version)
            && changed.changed().await.is_ok()
        {}
    }
}

/// Keys that do not exist, remembered for a while.
struct Unknown {
    keys: Cache<KeyHash, ()>,
    /// Counts created keys, so that an answer given before a creation is not remembered after it.
    created: AtomicU64,
}

/// The state of creations just before a question was asked.
#[derive(Clone, Copy)]
struct Moment(u64);

impl Unknown {
    fn new(ttl: Duration) -> Self {
        Self {
            keys: Cache::builder()
                .max_capacity(UNKNOWN)
                .time_to_live(ttl)
                .build(),
            created: AtomicU64::new(0),
        }
    }

    fn now(&self) -> Moment {
        Moment(self.created.load(Ordering::SeqCst))
    }

    fn remember(&self, hash: KeyHash, asked: Moment) {
        // Inserted first and checked after: a creation between the two is seen by one side or the other.
        self.keys.insert(hash, ());
        if self.created.load(Ordering::SeqCst) != asked.0 {
            self.keys.invalidate(&hash);
        }
    }

    fn forget(&self, hash: &KeyHash) {
        self.created.fetch_add(1, Ordering::SeqCst);
        self.keys.invalidate(hash);
    }

    fn contains(&self, hash: &KeyHash) -> bool {
        self.keys.contains_key(hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_from_before_a_creation_is_not_remembered() {
        let unknown = Unknown::new(Duration::from_secs(5));
        let asked = unknown.now();
        unknown.forget(&[1; 32]);
        unknown.remember([1; 32], asked);
        assert!(!unknown.contains(&[1; 32]));

        unknown.remember([2; 32], unknown.now());
        assert!(unknown.contains(&[2; 32]));
        unknown.forget(&[2; 32]);
        assert!(!unknown.contains(&[2; 32]));
    }
}
