//! Looks up host names that users give, within bounds.
//!
//! The system's look-up (`getaddrinfo`) blocks its thread and cannot be stopped: it goes on when nobody waits any more, for half a
//! minute where a name server is silent. So each one runs on a thread of its own, which keeps its permit until it really ends;
//! threads of the runtime's pool would hold up the end of the process. Whoever makes slow look-ups on purpose uses up the share of
//! an organization, and everybody else goes on.

use std::{
    fmt, io,
    net::{IpAddr, ToSocketAddrs},
    sync::Arc,
    thread,
};

use tokio::{
    sync::oneshot,
    time::{Instant, timeout_at},
};

use crate::{
    ids::OrgId,
    limits::{self, Limiter},
};

/// How host names are looked up. Clones share the bounds; a process has one.
#[derive(Clone)]
pub struct Resolver(Arc<Shared>);

struct Shared {
    source: Box<dyn Source>,
    limiter: Limiter,
}

trait Source: Send + Sync {
    fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

impl<F: Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync> Source for F {
    fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        self(name)
    }
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
            limiter: Limiter::new(limits::HOST_LOOK_UPS),
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
        let entering = timeout_at(deadline, self.0.limiter.enter(org_id));
        let Ok(Ok(permit)) = entering.await else {
            return Err(LookupError::Busy);
        };
        let (answer, answered) = oneshot::channel();
        let shared = Arc::clone(&self.0);
        let name = name.to_owned();
        let look_up = move || {
            let addresses = shared.source.addresses(&name);
            drop(permit);
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

    /// How many organizations have a share in memory.
    #[cfg(test)]
    pub(super) fn remembered(&self) -> usize {
        self.0.limiter.keys()
    }
}

impl fmt::Debug for Resolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resolver").finish_non_exhaustive()
    }
}
