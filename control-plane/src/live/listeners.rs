//! The streams that are open on this replica, and how many one user may have.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use time::OffsetDateTime;

use super::{
    audience::{Audience, Topic},
    news::News,
    queue::{Batch, Item, Queue},
};
use crate::{
    ids::{FamilyId, OrgId, UserId},
    members::caller::Caller,
    publish::fleet::Interest,
    refusal::Refusal,
};

/// How many streams of a user may be open on a replica.
const PER_USER: usize = 20;
/// When whoever has too many may try again.
const RETRY: Duration = Duration::from_secs(5);

/// Whoever follows an organization.
#[derive(Debug)]
pub(super) struct Listener {
    pub(super) org_id: OrgId,
    pub(super) user_id: UserId,
    pub(super) family_id: FamilyId,
    /// When their token ends.
    pub(super) ends_at: OffsetDateTime,
    pub(super) queue: Queue,
    audience: Mutex<Audience>,
}

impl Listener {
    /// What the member may read now.
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
#[derive(Clone, Debug, Default)]
pub(super) struct Listeners(Arc<Mutex<Open>>);

#[derive(Debug, Default)]
struct Open {
    by_id: HashMap<u64, Arc<Listener>>,
    next: u64,
}

/// A listener, until dropped.
#[derive(Debug)]
pub(super) struct Listening {
    /// Versions are told of as long as somebody may hear of them.
    _interest: Interest,
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
        lock(&self.all.0).by_id.remove(&self.id);
    }
}

impl Listeners {
    /// Adds one for the caller, unless they have as many as they may.
    pub(super) fn add(&self, caller: &Caller, interest: Interest) -> Result<Listening, Refusal> {
        let mut open = lock(&self.0);
        let all = open.by_id.values();
        let own = all.filter(|listener| listener.user_id == caller.user_id);
        if own.count() >= PER_USER {
            return Err(Refusal::TooMany {
                words: "too many open streams",
                retry_after: RETRY,
            });
        }
        let listener = Arc::new(Listener {
            org_id: caller.org_id,
            user_id: caller.user_id,
            family_id: caller.family_id,
            ends_at: caller.token_ends_at,
            queue: Queue::default(),
            audience: Mutex::new(Audience::of(caller.role, caller.permissions.as_ref())),
        });
        let id = open.next;
        open.next += 1;
        open.by_id.insert(id, Arc::clone(&listener));
        Ok(Listening {
            _interest: interest,
            id,
            listener,
            all: self.clone(),
        })
    }

    /// All that are open now.
    pub(super) fn all(&self) -> Vec<Arc<Listener>> {
        lock(&self.0).by_id.values().cloned().collect()
    }

    /// The organizations that anybody follows.
    pub(super) fn organizations(&self) -> Vec<OrgId> {
        let open = lock(&self.0);
        let organizations = open.by_id.values().map(|listener| listener.org_id);
        let organizations: BTreeSet<OrgId> = organizations.collect();
        organizations.into_iter().collect()
    }

    /// The organizations in which somebody hears of this.
    pub(super) fn organizations_hearing(&self, topic: Topic) -> Vec<OrgId> {
        let open = lock(&self.0);
        let hearing = open.by_id.values().filter(|listener| listener.hears(topic));
        let organizations: BTreeSet<OrgId> = hearing.map(|listener| listener.org_id).collect();
        organizations.into_iter().collect()
    }

    fn of(&self, org_id: OrgId) -> Vec<Arc<Listener>> {
        let open = lock(&self.0);
        let all = open.by_id.values();
        let own = all.filter(|listener| listener.org_id == org_id);
        own.cloned().collect()
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
        for listener in self.all() {
            if org_id.is_none_or(|org_id| listener.org_id == org_id) {
                listener.queue.reset();
            }
        }
    }
}

/// Protects plain bookkeeping.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
