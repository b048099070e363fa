//! On whose behalf the database is used: that of an organization, of a client network that nobody knows yet, or of the service
//! itself.
//!
//! A task that answers a request is inside [`Behalf::scope`], so that whatever it asks of the database counts for whoever sent the
//! request, through however many functions, and none of them can forget it. What runs outside of requests does not wait for
//! them. Work that a request spawns is outside: it has bounds of its own.

use std::{
    net::IpAddr,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use bytes::BytesMut;

use super::error::Busy;
use crate::ids::OrgId;

/// What is kept of a body. A request may wait for long with it: for a connection, or while a password is hashed.
const KEPT: usize = 64 * 1024;

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
    /// Something of it is committed, or done elsewhere: it must not be made again.
    has_acted: AtomicBool,
    /// How it collided with another one, if it did.
    collided: OnceLock<Busy>,
    /// What was read of its body, until then.
    read: Mutex<BytesMut>,
}

/// Who shares the connections of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Whose {
    Org(OrgId),
    Network(IpAddr),
}

impl Behalf {
    /// A request of somebody at this network, until the organization is known.
    pub fn of(network: IpAddr) -> Arc<Self> {
        Arc::new(Self {
            network,
            org_id: OnceLock::new(),
            has_connection: AtomicBool::new(false),
            has_acted: AtomicBool::new(false),
            collided: OnceLock::new(),
            read: Mutex::default(),
        })
    }

    /// Does something for the request.
    pub async fn scope<F: Future>(self: &Arc<Self>, work: F) -> F::Output {
        CURRENT.scope(Arc::clone(self), work).await
    }

    /// Keeps a piece of the body, in case the request is made again. One with a large body is not: nothing is kept of it.
    pub fn keep(&self, piece: &[u8]) {
        if self.has_acted.load(Ordering::Relaxed) {
            return;
        }
        let mut read = self.read();
        if read.len() + piece.len() <= KEPT {
            read.extend_from_slice(piece);
        } else {
            drop(read);
            self.acts();
        }
    }

    /// What was read of the body, if the request collided with others before it did anything.
    pub fn may_be_made_again(&self) -> Option<BytesMut> {
        let may = self.collided().is_some() && !self.has_acted.load(Ordering::Relaxed);
        may.then(|| std::mem::take(&mut *self.read()))
    }

    /// Why Postgres gave up a transaction of it, if it did.
    pub fn collided(&self) -> Option<Busy> {
        self.collided.get().copied()
    }

    pub(super) fn whose(&self) -> Whose {
        match self.org_id.get() {
            Some(org_id) => Whose::Org(*org_id),
            None => Whose::Network(self.network),
        }
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

    fn acts(&self) {
        self.has_acted.store(true, Ordering::Relaxed);
        *self.read() = BytesMut::new();
    }

    fn read(&self) -> MutexGuard<'_, BytesMut> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The request that the running task answers.
pub fn current() -> Option<Arc<Behalf>> {
    CURRENT.try_with(Arc::clone).ok()
}

/// From here on the running request counts for this organization.
pub fn is_of(org_id: OrgId) {
    // The first word stands; outside of requests there is nothing to note.
    let _noted = CURRENT.try_with(|behalf| behalf.org_id.set(org_id).is_ok());
}

/// The running request commits something, or does something that is not undone with its transaction: it is not made again.
pub fn acts() {
    let _noted = CURRENT.try_with(|behalf| behalf.acts());
}

/// The running request is about to answer that its transaction collided with another one. Returns whether there is a request.
pub(super) fn collides(how: Busy) -> bool {
    // The first one stands.
    CURRENT
        .try_with(|behalf| *behalf.collided.get_or_init(|| how))
        .is_ok()
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    #[tokio::test]
    async fn a_request_is_made_again_only_if_it_collided_and_did_nothing() {
        let again = async |work: fn()| {
            let behalf = Behalf::of(CLIENT);
            behalf.keep(b"{}");
            behalf.scope(async { work() }).await;
            behalf.may_be_made_again()
        };
        assert_eq!(again(|| {}).await, None);
        let collided = || assert!(collides(Busy::Deadlock));
        assert_eq!(again(collided).await.unwrap(), b"{}"[..]);
        let acted = || {
            acts();
            collides(Busy::Deadlock);
        };
        assert_eq!(again(acted).await, None);
    }

    #[tokio::test]
    async fn nothing_is_kept_of_a_body_beyond_64_kib() {
        let behalf = Behalf::of(CLIENT);
        behalf.keep(&[b' '; KEPT]);
        assert_eq!(behalf.read().len(), 64 * 1024);
        behalf.keep(b" ");
        assert_eq!(behalf.read().capacity(), 0);
        behalf.keep(b" ");
        assert_eq!(behalf.read().capacity(), 0);
        behalf.scope(async { collides(Busy::Deadlock) }).await;
        assert_eq!(behalf.may_be_made_again(), None);
    }

    #[test]
    fn nothing_is_kept_of_a_body_that_is_no_longer_needed() {
        let behalf = Behalf::of(CLIENT);
        behalf.keep(b"{}");
        behalf.acts();
        behalf.keep(b"{}");
        assert_eq!(behalf.read().capacity(), 0);
    }
}
