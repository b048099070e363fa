//! Something that there is a bounded number of, with a share for each organization: nobody waits for others with more than its share.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::ids::OrgId;

/// How many organizations are remembered before those that have nothing are forgotten.
const REMEMBERED: usize = 256;
const NEVER_CLOSED: &str = "these semaphores are never closed";

/// Places that organizations share.
#[derive(Debug)]
pub struct Shares {
    places: Arc<Semaphore>,
    each: usize,
    shares: Mutex<ByOrg>,
}

/// The shares of organizations that have places or wait for some, and of some that had.
#[derive(Debug, Default)]
struct ByOrg {
    by_org: HashMap<OrgId, Weak<Semaphore>>,
    forget_at: usize,
}

/// A place. It is given back when this is dropped.
#[derive(Debug)]
pub struct Place {
    _own: OwnedSemaphorePermit,
    _one_of_all: OwnedSemaphorePermit,
}

/// Why there is no place right now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// The organization has its share.
    Share,
    /// All are taken.
    All,
}

impl Shares {
    /// So many places, and so many of them at most for each organization.
    pub fn new(places: usize, each: usize) -> Self {
        Self {
            places: Arc::new(Semaphore::new(places)),
            each,
            shares: Mutex::default(),
        }
    }

    /// Waits for a place: first for one of the organization's, then for one of all.
    pub async fn take(&self, org_id: OrgId) -> Place {
        let own = self.share(org_id).acquire_owned().await;
        let own = own.expect(NEVER_CLOSED);
        let one_of_all = Arc::clone(&self.places).acquire_owned().await;
        Place {
            _own: own,
            _one_of_all: one_of_all.expect(NEVER_CLOSED),
        }
    }

    /// Takes a place that is free now.
    pub fn try_take(&self, org_id: OrgId) -> Result<Place, Taken> {
        let own = self.share(org_id).try_acquire_owned();
        let own = own.map_err(|_| Taken::Share)?;
        let one_of_all = Arc::clone(&self.places).try_acquire_owned();
        Ok(Place {
            _own: own,
            _one_of_all: one_of_all.map_err(|_| Taken::All)?,
        })
    }

    /// How many organizations have a share in memory.
    #[cfg(test)]
    pub fn remembered(&self) -> usize {
        self.shares().by_org.len()
    }

    fn shares(&self) -> MutexGuard<'_, ByOrg> {
        self.shares.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn share(&self, org_id: OrgId) -> Arc<Semaphore> {
        let mut shares = self.shares();
        if let Some(share) = shares.by_org.get(&org_id).and_then(Weak::upgrade) {
            return share;
        }
        if shares.by_org.len() >= shares.forget_at {
            shares.by_org.retain(|_, share| share.strong_count() > 0);
            // Twice what is left: on average, forgetting costs each new share the same.
            shares.forget_at = REMEMBERED.max(2 * shares.by_org.len());
        }
        let share = Arc::new(Semaphore::new(self.each));
        shares.by_org.insert(org_id, Arc::downgrade(&share));
        share
    }
}

#[cfg(test)]
mod tests {
    use time::OffsetDateTime;

    use super::*;

    #[test]
    fn an_organization_gets_no_more_than_its_share() {
        let shares = Shares::new(3, 2);
        let [one, other] = [(); 2].map(|()| OrgId::new(OffsetDateTime::UNIX_EPOCH));
        let first = shares.try_take(one).unwrap();
        let _second = shares.try_take(one).unwrap();
        assert_eq!(shares.try_take(one).unwrap_err(), Taken::Share);
        let _third = shares.try_take(other).unwrap();
        assert_eq!(shares.try_take(other).unwrap_err(), Taken::All);
        drop(first);
        assert!(shares.try_take(one).is_ok());
    }
}
