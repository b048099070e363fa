//! A bound on calls to gateways in flight, and each organization's share of it: a gateway that is slow costs those who use it,
//! and no organization can use it up.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use base::{ids::OrgId, refusal::Refusal};

/// Calls in flight for all organizations.
const MAX_CALLS: usize = 64;
/// Of one organization.
const MAX_OF_ONE: usize = 2;

const BUSY: Refusal = Refusal::Unavailable {
    words: "payment gateway is busy",
    retry_after: Some(Duration::from_secs(1)),
};

/// The calls in flight.
#[derive(Clone, Debug, Default)]
pub(super) struct Flights(Arc<Mutex<HashMap<OrgId, usize>>>);

/// A call in flight, until it is dropped.
#[derive(Debug)]
pub(super) struct Flight {
    flights: Flights,
    org_id: OrgId,
}

impl Flights {
    /// Begins a call for an organization, unless too many are in flight.
    pub(super) fn begin(&self, org_id: OrgId) -> Result<Flight, Refusal> {
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let all: usize = calls.values().sum();
        let own = calls.get(&org_id).copied().unwrap_or_default();
        if all >= MAX_CALLS || own >= MAX_OF_ONE {
            return Err(BUSY);
        }
        calls.insert(org_id, own + 1);
        Ok(Flight {
            flights: self.clone(),
            org_id,
        })
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        let mut calls = self
            .flights
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = calls.get_mut(&self.org_id) {
            *own -= 1;
            if *own == 0 {
                calls.remove(&self.org_id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use time::OffsetDateTime;

    use super::*;

    fn org() -> OrgId {
        OrgId::new(OffsetDateTime::UNIX_EPOCH)
    }

    #[test]
    fn an_organization_has_its_share_and_gets_it_back() {
        let flights = Flights::default();
        let (one, other) = (org(), org());
        let held: Vec<_> = (0..MAX_OF_ONE)
            .map(|_| flights.begin(one).unwrap())
            .collect();
        assert!(flights.begin(one).is_err());
        assert!(flights.begin(other).is_ok());
        drop(held);
        assert!(flights.begin(one).is_ok());
        assert!(flights.0.lock().unwrap().is_empty());
    }

    #[test]
    fn all_together_have_a_bound() {
        let flights = Flights::default();
        let held: Vec<_> = (0..MAX_CALLS)
            .map(|_| flights.begin(org()).unwrap())
            .collect();
        assert!(flights.begin(org()).is_err());
        drop(held);
    }
}
