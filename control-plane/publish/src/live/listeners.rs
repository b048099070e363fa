//! The streams that are open on this replica.

use std::{
    collections::{BTreeMap, HashMap, btree_map::Entry},
    sync::Arc,
};

use parking_lot::Mutex;
use time::OffsetDateTime;

use super::{
    audience::{Audience, Topic},
    events::News,
    queue::{Batch, Item, Queue},
};
use crate::fleet::Interest;
use base::{
    ids::{OrgId, UserId},
    limits::{self, Limiter, Permit},
    refusal::Refusal,
};
use domain::members::caller::{Caller, Credential};

/// A member who follows an organization.
#[derive(Debug)]
pub(super) struct Listener {
    pub(super) org_id: OrgId,
    pub(super) credential: Credential,
    /// When the credential ends.
    pub(super) ends_at: OffsetDateTime,
    pub(super) queue: Queue,
    audience: Mutex<Audience>,
}

impl Listener {
    /// The member's present permissions.
    pub(super) fn audience(&self) -> Audience {
        self.audience.lock().clone()
    }

    fn may_receive(&self, topic: Topic) -> bool {
        self.audience.lock().may_receive(topic)
    }

    pub(super) fn set_audience(&self, audience: Audience) {
        *self.audience.lock() = audience;
    }
}

/// All open streams. Cheap to clone.
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
    /// By organization: an event of one costs nothing for the others.
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
    /// Versions are published as long as a stream may receive them.
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
        self.all.open.lock().remove(self.id, &self.listener);
    }
}

impl Listeners {
    /// Adds one for the caller, up to the limit.
    pub(super) fn add(&self, caller: &Caller, interest: Interest) -> Result<Listening, Refusal> {
        let permit = self.permits.try_enter(caller.user_id)?;
        let mut open = self.open.lock();
        let listener = Arc::new(Listener {
            org_id: caller.org_id,
            credential: caller.credential.clone(),
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

    pub(super) fn all(&self) -> Vec<Arc<Listener>> {
        self.open.lock().all().cloned().collect()
    }

    /// The organizations with open streams.
    pub(super) fn organizations(&self) -> Vec<OrgId> {
        self.open.lock().by_org.keys().copied().collect()
    }

    /// The organizations with a stream that may receive this topic.
    pub(super) fn organizations_receiving(&self, topic: Topic) -> Vec<OrgId> {
        let open = self.open.lock();
        let receiving = open.by_org.iter().filter(|(_, own)| {
            let mut own = own.values();
            own.any(|listener| listener.may_receive(topic))
        });
        receiving.map(|(org_id, _)| *org_id).collect()
    }

    fn of(&self, org_id: OrgId) -> Vec<Arc<Listener>> {
        let open = self.open.lock();
        let own = open.by_org.get(&org_id);
        own.map_or_else(Vec::new, |own| own.values().cloned().collect())
    }

    /// Queues changes for the streams of an organization.
    pub(super) fn send_changes(&self, org_id: OrgId, batch: &Arc<Batch>) {
        for listener in self.of(org_id) {
            listener.queue.push(Item::Changes(Arc::clone(batch)));
        }
    }

    /// Queues another event for the streams of an organization that may receive it.
    pub(super) fn send_news(&self, org_id: OrgId, news: &Arc<News>) {
        for listener in self.of(org_id) {
            if listener.may_receive(news.topic) {
                listener.queue.push(Item::News(Arc::clone(news)));
            }
        }
    }

    /// Makes the clients of an organization, or all, read everything again.
    pub(super) fn reset(&self, org_id: Option<OrgId>) {
        let meant = org_id.map_or_else(|| self.all(), |org_id| self.of(org_id));
        for listener in meant {
            listener.queue.reset();
        }
    }
}
