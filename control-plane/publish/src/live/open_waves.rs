//! Limits the propagations reported at the same time. Above the limit the organization's oldest ends, because the newest is of
//! interest.

use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use parking_lot::Mutex;

use base::ids::OrgId;

const MOST_OF_ONE: usize = 128;

/// The propagations reported by this replica.
#[derive(Debug, Default)]
pub(super) struct OpenWaves(Mutex<HashMap<OrgId, VecDeque<Arc<AtomicBool>>>>);

/// A registered propagation, removed on drop.
#[derive(Debug)]
pub(super) struct OpenWave {
    org_id: OrgId,
    is_displaced: Arc<AtomicBool>,
    all: Arc<OpenWaves>,
}

impl OpenWaves {
    /// Registers a propagation; `None` if there is no capacity.
    pub(super) fn open(self: &Arc<Self>, org_id: OrgId) -> Option<OpenWave> {
        let mut open = self.0.lock();
        let count: usize = open.values().map(VecDeque::len).sum();
        let own = open.get(&org_id).map_or(0, VecDeque::len);
        if own < MOST_OF_ONE && count >= 1_024 {
            return None;
        }
        let own = open.entry(org_id).or_default();
        if own.len() == MOST_OF_ONE
            && let Some(oldest) = own.pop_front()
        {
            oldest.store(true, Ordering::Relaxed);
        }
        let is_displaced = Arc::new(AtomicBool::new(false));
        own.push_back(Arc::clone(&is_displaced));
        Some(OpenWave {
            org_id,
            is_displaced,
            all: Arc::clone(self),
        })
    }
}

impl OpenWave {
    /// Whether a newer propagation displaced it; it then reports once more and ends.
    pub(super) fn is_displaced(&self) -> bool {
        self.is_displaced.load(Ordering::Relaxed)
    }
}

impl Drop for OpenWave {
    fn drop(&mut self) {
        let mut open = self.all.0.lock();
        if let Some(own) = open.get_mut(&self.org_id) {
            own.retain(|one| !Arc::ptr_eq(one, &self.is_displaced));
            if own.is_empty() {
                open.remove(&self.org_id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn beyond_128_the_oldest_of_the_organization_ends_and_1024_go_on_in_all() {
        let all = Arc::<OpenWaves>::default();
        let org = |number| OrgId(Uuid::from_u128(number));
        let open = |number| all.open(org(number));
        let mut waves: Vec<_> = (0..128).map(|_| open(1).unwrap()).collect();
        assert!(waves.iter().all(|wave| !wave.is_displaced()));
        waves.push(open(1).unwrap());
        assert!(waves[0].is_displaced() && !waves[1].is_displaced());
        // A finished propagation frees capacity.
        drop(waves.pop());
        waves.push(open(1).unwrap());
        assert!(!waves[1].is_displaced());

        for number in 2..=8 {
            waves.extend((0..128).map(|_| open(number).unwrap()));
        }
        assert!(open(9).is_none());
        // An organization with many displaces its own.
        assert!(open(8).is_some());
        waves.clear();
        assert!(open(9).is_some());
        assert_eq!(all.0.lock().len(), 0);
    }
}
