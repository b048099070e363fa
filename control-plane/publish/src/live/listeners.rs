//! The streams that are open on this replica.

use std::{
    collections::{BTreeMap, HashMap, btree_map::Entry},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use time::OffsetDateTime;

use super::{
    audience::{Audience, Topic},
    news::News,
    queue::{Batch, Item, Queue},
};
use crate::fleet::Interest;
use base::{
    ids::{FamilyId, OrgId, UserId},
    limits::{self, Limiter, Permit},
    refusal::Refusal,
};
use domain::members::caller::Caller;

/// Whoever follows an organization.
#[derive(Debug)]
pub(super) struct Listener {
    pub(super) org_id: OrgId,
    pub(super) family_id: FamilyId,
    /// When their token ends.
    pub(super) ends_at: OffsetDateTime,
    pub(super) queue: Queue,
    audience: Mutex<Audience>,
}

impl Listener {
    /// The member's present permissions.
    pub(super) fn audience(&self) -> Audience {
        lock(&self.audience).clone()
    }

    /// Whether the member may hear of this now.
    fn hears(&self, topic: Topic) -> bool {
        lock(&self.audience).hears(topic)
    }

    pub(super) fn set_audience(&self, audience: Audience) {
        *lock(&self.audience) = audience;
    }
}

/// All of them. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Listeners {
    open: Arc<Mutex<Open>>,
    permits: Limiter<UserId>,
}

impl Default for Listeners {
    fn default() -> Self {
        Self {
            open: Arc::default(),
            permits: Limiter::new(limits::LIVE_STREAMS),
        }
    }
}

#[derive(Debug, Default)]
struct Open {
    /// By organization: what is told to one costs nothing for the others.
    by_org: BTreeMap<OrgId, HashMap<u64, Arc<Listener>>>,
    next: u64,
}

impl Open {
    fn all(&self) -> impl Iterator<Item = &Arc<Listener>> {
        self.by_org.values().flat_map(HashMap::values)
    }

    fn remove(&mut self, id: u64, listener: &Listener) {
        if let Entry::Occupied(mut own) = self.by_org.entry(listener.org_id) {
            own.get_mut().remove(&id);
            if own.get().is_empty() {
                own.remove();
            }
        }
    }
}

/// A listener, until dropped.
#[derive(Debug)]
pub(super) struct Listening {
    /// Versions are told of as long as somebody may hear of them.
    _interest: Interest,
    _permit: Permit<UserId>,
    id: u64,
    listener: Arc<Listener>,
    all: Listeners,
}

impl Listening {
    pub(super) fn listener(&self) -> &Listener {
        &self.listener
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        lock(&self.all.open).remove(self.id, &self.listener);
    }
}

impl Listeners {
    /// Adds one for the caller, unless they have as many as they may.
    pub(super) fn add(&self, caller: &Caller, interest: Interest) -> Result<Listening, Refusal> {
        let permit = self.permits.try_enter(caller.user_id)?;
        let mut open = lock(&self.open);
        let listener = Arc::new(Listener {
            org_id: caller.org_id,
            family_id: caller.family_id,
            ends_at: caller.token_ends_at,
            queue: Queue::default(),
            audience: Mutex::new(Audience::of(caller.role, caller.permissions.as_ref())),
        });
        let id = open.next;
        open.next += 1;
        let own = open.by_org.entry(caller.org_id).or_default();
        own.insert(id, Arc::clone(&listener));
        Ok(Listening {
            _interest: interest,
            _permit: permit,
            id,
            listener,
            all: self.clone(),
        })
    }

    /// All that are open now.
    pub(super) fn all(&self) -> Vec<Arc<Listener>> {
        lock(&self.open).all().cloned().collect()
    }

    /// The organizations that anybody follows.
    pub(super) fn organizations(&self) -> Vec<OrgId> {
        lock(&self.open).by_org.keys().copied().collect()
    }

    /// The organizations in which somebody hears of this.
    pub(super) fn organizations_hearing(&self, topic: Topic) -> Vec<OrgId> {
        let open = lock(&self.open);
        let hearing = open.by_org.iter().filter(|(_, own)| {
            let mut own = own.values();
            own.any(|listener| listener.hears(topic))
        });
        hearing.map(|(org_id, _)| *org_id).collect()
    }

    fn of(&self, org_id: OrgId) -> Vec<Arc<Listener>> {
        let open = lock(&self.open);
        let own = open.by_org.get(&org_id);
        own.map_or_else(Vec::new, |own| own.values().cloned().collect())
    }

    /// Gives those of an organization changes to send.
    pub(super) fn tell(&self, org_id: OrgId, batch: &Arc<Batch>) {
        for listener in self.of(org_id) {
            listener.queue.push(Item::Changes(Arc::clone(batch)));
        }
    }

    /// Gives those of an organization who may hear of it something else to send.
    pub(super) fn tell_news(&self, org_id: OrgId, news: &Arc<News>) {
        for listener in self.of(org_id) {
            if listener.hears(news.topic) {
                listener.queue.push(Item::News(Arc::clone(news)));
            }
        }
    }

    /// Has those of an organization, or all, look at everything anew.
    pub(super) fn reset(&self, org_id: Option<OrgId>) {
        let meant = org_id.map_or_else(|| self.all(), |org_id| self.of(org_id));
        for listener in meant {
            listener.queue.reset();
        }
    }
}

/// Protects plain bookkeeping.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
