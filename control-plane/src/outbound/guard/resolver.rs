//! Looks up host names that users give, within bounds.
//!
//! The system's look-up (`getaddrinfo`) blocks its thread and cannot be stopped: it goes on when nobody waits any more, for half a
//! minute where a name server is silent. So each one runs on a thread of its own, which keeps its permits until it really ends;
//! threads of the runtime's pool would hold up the end of the process. Whoever makes slow look-ups on purpose uses up the share of
//! an organization, and everybody else goes on.

use std::{
    collections::HashMap,
    fmt, io,
    net::{IpAddr, ToSocketAddrs},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    thread,
};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, oneshot},
    time::{Instant, timeout_at},
};

use crate::ids::OrgId;

/// Look-ups that run at once.
pub(super) const MAX_RUNNING: usize = 128;
/// Of these, for one organization.
pub(super) const SHARE: usize = 16;
/// How many organizations are remembered before those without a look-up are forgotten.
const REMEMBERED: usize = 256;

/// How host names are looked up. Clones share the bounds; a process has one.
#[derive(Clone)]
pub struct Resolver(Arc<Shared>);

struct Shared {
    source: Box<dyn Source>,
    running: Arc<Semaphore>,
    shares: Mutex<Shares>,
}

trait Source: Send + Sync {
    fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

impl<F: Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync> Source for F {
    fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        self(name)
    }
}

/// The shares of organizations that have look-ups running or waiting, and of some that had.
#[derive(Default)]
struct Shares {
    by_org: HashMap<OrgId, Weak<Semaphore>>,
    forget_at: usize,
}

/// Why there are no addresses.
#[derive(Debug)]
pub(super) enum LookupError {
    /// No look-up could begin in time.
    Busy,
    TimedOut,
    NotFound(io::Error),
}

impl Resolver {
    /// The system's: its hosts file, its name servers, or whatever else it is set to use.
    pub fn system() -> Self {
        Self::new(|name| {
            let addresses = (name, 0).to_socket_addrs()?;
            Ok(addresses.map(|address| address.ip()).collect())
        })
    }

    /// One that asks `source`, which may block.
    pub fn new(source: impl Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync + 'static) -> Self {
        Self(Arc::new(Shared {
            source: Box::new(source),
            running: Arc::new(Semaphore::new(MAX_RUNNING)),
            shares: Mutex::default(),
        }))
    }

    /// The addresses of `name`, at least one. Counts for the organization until the look-up ends, even when `deadline` comes
    /// first or the future is dropped.
    pub(super) async fn look_up(
        &self,
        name: &str,
        org_id: OrgId,
        deadline: Instant,
    ) -> Result<Vec<IpAddr>, LookupError> {
        let permits = timeout_at(deadline, self.permits(org_id));
        let permits = permits.await.map_err(|_| LookupError::Busy)?;
        let (answer, answered) = oneshot::channel();
        let shared = Arc::clone(&self.0);
        let name = name.to_owned();
        let look_up = move || {
            let addresses = shared.source.addresses(&name);
            drop(permits);
            // Nobody waits any more when the deadline has passed.
            drop(answer.send(addresses));
        };
        thread::Builder::new()
            .name("look-up".to_owned())
            .spawn(look_up)
            .map_err(LookupError::NotFound)?;
        let answer = timeout_at(deadline, answered).await;
        let addresses = answer
            .map_err(|_| LookupError::TimedOut)?
            .unwrap_or_else(|_| Err(io::Error::other("the look-up ended without an answer")))
            .map_err(LookupError::NotFound)?;
        if addresses.is_empty() {
            let error = io::Error::other("the name has no addresses");
            return Err(LookupError::NotFound(error));
        }
        Ok(addresses)
    }

    /// First the organization's, then one of all: an organization does not wait for others with more than its share.
    async fn permits(&self, org_id: OrgId) -> [OwnedSemaphorePermit; 2] {
        const NEVER_CLOSED: &str = "these semaphores are never closed";
        let share = self.share(org_id);
        let own = share.acquire_owned().await.expect(NEVER_CLOSED);
        let running = Arc::clone(&self.0.running);
        [own, running.acquire_owned().await.expect(NEVER_CLOSED)]
    }

    /// How many organizations have a share in memory.
    #[cfg(test)]
    pub(super) fn remembered(&self) -> usize {
        self.shares().by_org.len()
    }

    fn shares(&self) -> MutexGuard<'_, Shares> {
        let shares = self.0.shares.lock();
        shares.unwrap_or_else(PoisonError::into_inner)
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
        let share = Arc::new(Semaphore::new(SHARE));
        shares.by_org.insert(org_id, Arc::downgrade(&share));
        share
    }
}

impl fmt::Debug for Resolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resolver").finish_non_exhaustive()
    }
}
