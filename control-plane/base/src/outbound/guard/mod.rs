//! The guard for addresses that users give (webhooks, sources of imports): prevents server-side request forgery.
//!
//! A name may resolve differently at each look-up, as its owner decides. So [`Guard::send`] resolves the name at the moment of
//! the call, refuses it if any of the addresses is refused, and connects only to the addresses that it checked. Checks at
//! creation ([`Guard::parse`], [`Guard::admit`]) only report errors early.

mod call;
mod ranges;
mod resolver;
#[cfg(test)]
mod tests;
mod user_url;

use std::{net::IpAddr, sync::Arc, time::Duration};

use ipnet::IpNet;
use tokio::time::Instant;
use url::Host;

pub use self::{
    call::{Excerpt, Outgoing, Place, Response, SendError},
    resolver::Resolver,
    user_url::UserUrl,
};
use self::{ranges::Ranges, resolver::LookupError, user_url::Fault};
use crate::{ids::OrgId, input::Invalid};

/// Checked calls to user-given addresses: rules, look-ups of names, and the client. Cheap to clone.
#[derive(Clone)]
pub struct Guard(Arc<Inner>);

struct Inner {
    ranges: Ranges,
    resolver: Resolver,
    timeout: Duration,
}

impl Guard {
    /// `allowed` are ranges that would otherwise be refused; link-local addresses and metadata services of clouds always are. An
    /// IPv4 range also allows the IPv6 forms of its addresses. `timeout` is for a whole request, from the look-up to the end of
    /// the answer's body.
    ///
    /// The first one takes tens of milliseconds: the system's certificates are read.
    pub fn new(allowed: Vec<IpNet>, resolver: Resolver, timeout: Duration) -> Self {
        Self::with(Ranges::new(allowed), resolver, timeout)
    }

    /// The same for services in private networks, where names such as `localhost` and `flags.internal` are usual. They are
    /// resolved like any other, and their addresses must be allowed.
    pub fn with_local_names(allowed: Vec<IpNet>, resolver: Resolver, timeout: Duration) -> Self {
        let mut ranges = Ranges::new(allowed);
        ranges.takes_local_names = true;
        Self::with(ranges, resolver, timeout)
    }

    fn with(ranges: Ranges, resolver: Resolver, timeout: Duration) -> Self {
        call::prepare();
        Self(Arc::new(Inner {
            ranges,
            resolver,
            timeout,
        }))
    }

    /// Checks the form of an address, without a look-up. `field` is its name in the body.
    pub fn parse(&self, field: &str, text: &str) -> Result<UserUrl, Invalid> {
        UserUrl::parse(text, &self.0.ranges).map_err(|fault| fault.of(field))
    }

    /// Looks the name up, for up to three seconds since a client waits, and refuses it if any of its addresses is refused. A name without an answer
    /// passes: it may get its addresses later, and [`Self::send`] checks it each time.
    pub async fn admit(&self, field: &str, url: &UserUrl, org_id: OrgId) -> Result<(), Invalid> {
        let deadline = Instant::now() + self.0.timeout.min(Duration::from_secs(3));
        match self.addresses(url, org_id, deadline).await {
            Ok(addresses) if self.is_any_refused(&addresses) => {
                Err(Fault::RefusedAddress.of(field))
            }
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Makes one attempt at one request, on a connection of its own. Redirects are not followed, and no proxy is used.
    /// The look-up counts for the organization's share.
    pub async fn send(
        &self,
        url: &UserUrl,
        org_id: OrgId,
        request: Outgoing,
    ) -> Result<Response, SendError> {
        let deadline = Instant::now() + self.0.timeout;
        let place = self.locate(url, org_id, deadline).await?;
        self.send_to(url, place, request, deadline).await
    }

    /// Resolves and checks the target before the call.
    pub async fn locate(
        &self,
        url: &UserUrl,
        org_id: OrgId,
        deadline: Instant,
    ) -> Result<Place, SendError> {
        let addresses = self.addresses(url, org_id, deadline).await?;
        if self.is_any_refused(&addresses) {
            return Err(SendError::Refused);
        }
        let is_private = |address: &IpAddr| Ranges::new(Vec::new()).is_refused(*address);
        Ok(Place {
            is_private: addresses.iter().any(is_private),
            addresses,
        })
    }

    /// Makes one attempt at one request, at the addresses that [`Self::locate`] returned.
    pub async fn send_to(
        &self,
        url: &UserUrl,
        place: Place,
        request: Outgoing,
        deadline: Instant,
    ) -> Result<Response, SendError> {
        call::send(url, place, request, deadline).await
    }

    async fn addresses(
        &self,
        url: &UserUrl,
        org_id: OrgId,
        deadline: Instant,
    ) -> Result<Vec<IpAddr>, LookupError> {
        match url.host() {
            Host::Domain(name) => self.0.resolver.look_up(name, org_id, deadline).await,
            Host::Ipv4(address) => Ok(vec![address.into()]),
            Host::Ipv6(address) => Ok(vec![address.into()]),
        }
    }

    fn is_any_refused(&self, addresses: &[IpAddr]) -> bool {
        addresses
            .iter()
            .any(|address| self.0.ranges.is_refused(*address))
    }
}
