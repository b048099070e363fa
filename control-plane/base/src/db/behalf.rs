//! Whose share of the connections a request uses: that of its organization, or of its client network until that is known.
//!
//! A task that answers a request is inside [`Behalf::scope`], so that each query of it counts, through however many functions. What
//! runs outside of requests does not wait for them, nor does work that a request spawns: it has bounds of its own.

use std::{
    net::IpAddr,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::ids::OrgId;

tokio::task_local! {
    static CURRENT: Arc<Behalf>;
}

/// A request, as the database knows it.
#[derive(Debug)]
pub struct Behalf {
    network: IpAddr,
    org_id: OnceLock<OrgId>,
    /// Has a connection. A request that took another one meanwhile could wait for itself.
    has_connection: AtomicBool,
}

impl Behalf {
    /// A request from this network, until the organization is known.
    pub fn of(network: IpAddr) -> Arc<Self> {
        Arc::new(Self {
            network,
            org_id: OnceLock::new(),
            has_connection: AtomicBool::new(false),
        })
    }

    /// Does something for the request.
    pub async fn scope<F: Future>(self: &Arc<Self>, work: F) -> F::Output {
        CURRENT.scope(Arc::clone(self), work).await
    }

    pub(super) fn org_id(&self) -> Option<OrgId> {
        self.org_id.get().copied()
    }

    pub(super) const fn network(&self) -> IpAddr {
        self.network
    }

    /// Notes that it has a connection.
    ///
    /// # Panics
    /// In debug builds, when it has one already.
    pub(super) fn connects(&self) {
        let had = self.has_connection.swap(true, Ordering::Relaxed);
        debug_assert!(!had, "a request uses one connection at a time");
    }

    pub(super) fn disconnects(&self) {
        self.has_connection.store(false, Ordering::Relaxed);
    }
}

/// The request that the running task answers.
pub fn current() -> Option<Arc<Behalf>> {
    CURRENT.try_with(Arc::clone).ok()
}

/// From here on the running request counts for this organization.
pub fn is_of(org_id: OrgId) {
    // The first call stands; outside of requests there is nothing to note.
    let _noted = CURRENT.try_with(|behalf| behalf.org_id.set(org_id).is_ok());
}
