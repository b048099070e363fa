//! The address that a request really came from.
//!
//! Clients can send `X-Forwarded-For` too, so it is believed only as far as trusted proxies wrote it: read from the
//! right, the first address that is not a trusted proxy's is the client's.

use std::{
    convert::Infallible,
    fmt,
    net::{IpAddr, Ipv6Addr, SocketAddr},
    sync::Arc,
};

use axum::{
    extract::{ConnectInfo, FromRef, FromRequestParts},
    http::{HeaderMap, request::Parts},
};
use ipnet::IpNet;

const FORWARDED_FOR: &str = "x-forwarded-for";
const FORWARDED_PROTO: &str = "x-forwarded-proto";

/// The networks whose forwarded-address headers are believed. None by default.
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies(Arc<[IpNet]>);

impl FromIterator<IpNet> for TrustedProxies {
    fn from_iter<I: IntoIterator<Item = IpNet>>(networks: I) -> Self {
        Self(networks.into_iter().collect())
    }
}

impl TrustedProxies {
    /// The client behind `peer`. An entry that is not an address ends the search: nothing to the left of it can be
    /// trusted either.
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer.to_canonical();
        let lines = headers.get_all(FORWARDED_FOR).iter().rev();
        let entries = lines.flat_map(|line| line.to_str().unwrap_or_default().rsplit(','));
        for entry in entries {
            if !self.trusts(client) {
                break;
            }
            let Some(address) = parse_entry(entry.trim()) else {
                break;
            };
            client = address;
        }
        client
    }

    /// Whether `peer` is a trusted proxy that reports it was reached over TLS.
    pub fn terminates_tls(&self, peer: IpAddr, headers: &HeaderMap) -> bool {
        self.trusts(peer.to_canonical())
            && headers
                .get(FORWARDED_PROTO)
                .is_some_and(|scheme| scheme.as_bytes().eq_ignore_ascii_case(b"https"))
    }

    /// Whether this canonical address is a trusted proxy's.
    pub(crate) fn trusts(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address))
    }
}

/// An address with or without a port, since proxies write both.
fn parse_entry(entry: &str) -> Option<IpAddr> {
    let address = entry
        .parse::<IpAddr>()
        .or_else(|_| entry.parse::<SocketAddr>().map(|address| address.ip()));
    address.ok().map(|address| address.to_canonical())
}

/// The sender of the request, as an extractor. Needs a listener that provides the peer's address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClientAddress(pub IpAddr);

impl ClientAddress {
    /// The sender of the request with this head.
    ///
    /// # Panics
    /// When the listener does not provide the peer's address.
    pub fn of(parts: &Parts, proxies: &TrustedProxies) -> Self {
        Self::behind(peer(parts), &parts.headers, proxies)
    }

    /// The sender of a request with these headers that came from this address.
    #[must_use]
    pub fn behind(peer: SocketAddr, headers: &HeaderMap, proxies: &TrustedProxies) -> Self {
        Self(proxies.client(peer.ip(), headers))
    }

    /// The address to limit rates by: the address itself, or the /64 network of an IPv6 address, since one subscriber
    /// has all of that network.
    pub fn network(self) -> IpAddr {
        match self.0 {
            IpAddr::V4(_) => self.0,
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
            }
        }
    }

    /// Like [`Self::network`] with the /56 network of an IPv6 address: the most that providers give a customer as a
    /// rule. For what nobody needs much of, and what must not be had again under the next of one's own networks.
    pub fn site(self) -> IpAddr {
        match self.0 {
            IpAddr::V4(_) => self.0,
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                Ipv6Addr::new(a, b, c, d & 0xff00, 0, 0, 0, 0).into()
            }
        }
    }
}

/// Where the request with this head came from.
///
/// # Panics
/// When the listener does not provide the peer's address.
#[must_use]
pub fn peer(parts: &Parts) -> SocketAddr {
    let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
    let ConnectInfo(peer) =
        peer.expect("the listener provides the peer's address with every request");
    *peer
}

impl fmt::Display for ClientAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<S> FromRequestParts<S> for ClientAddress
where
    S: Send + Sync,
    TrustedProxies: FromRef<S>,
{
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        Ok(Self::of(parts, &TrustedProxies::from_ref(state)))
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn client(peer: &str, lines: &[&str]) -> String {
        let proxies: TrustedProxies = ["10.0.0.0/8", "fd00::/8"]
            .map(|network| network.parse().unwrap())
            .into_iter()
            .collect();
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(FORWARDED_FOR, HeaderValue::from_str(line).unwrap());
        }
        proxies.client(peer.parse().unwrap(), &headers).to_string()
    }

    #[test]
    fn headers_of_strangers_are_ignored() {
        assert_eq!(client("203.0.113.9", &["198.51.100.1"]), "203.0.113.9");
    }

    #[test]
    fn the_last_untrusted_address_is_the_client() {
        assert_eq!(client("10.0.0.1", &["198.51.100.1"]), "198.51.100.1");
        assert_eq!(
            client("10.0.0.1", &["1.1.1.1, 198.51.100.1, 10.2.3.4"]),
            "198.51.100.1"
        );
        assert_eq!(
            client(
                "::ffff:10.0.0.1",
                &["1.1.1.1", "198.51.100.1:4711", "[fd00::1]:80"]
            ),
            "198.51.100.1"
        );
    }

    #[test]
    fn an_unreadable_entry_ends_the_search() {
        assert_eq!(
            client("10.0.0.1", &["1.1.1.1, unknown, 10.2.3.4"]),
            "10.2.3.4"
        );
        assert_eq!(client("10.0.0.1", &[]), "10.0.0.1");
        assert_eq!(client("10.0.0.1", &["10.0.0.9"]), "10.0.0.9");
    }

    #[test]
    fn only_a_trusted_proxy_is_believed_about_tls() {
        let proxies: TrustedProxies = ["10.0.0.0/8"]
            .map(|network| network.parse().unwrap())
            .into_iter()
            .collect();
        let asked = |peer: &str, scheme: &'static str| {
            let scheme = HeaderValue::from_static(scheme);
            let headers = HeaderMap::from_iter([("x-forwarded-proto".parse().unwrap(), scheme)]);
            proxies.terminates_tls(peer.parse().unwrap(), &headers)
        };
        assert!(asked("10.0.0.1", "https"));
        assert!(asked("::ffff:10.0.0.1", "HTTPS"));
        assert!(!asked("10.0.0.1", "http"));
        assert!(!asked("203.0.113.9", "https"));
    }

    #[test]
    fn an_ipv6_subscriber_is_one_client() {
        let of = |text: &str| ClientAddress(text.parse().unwrap()).network();
        assert_eq!(of("2001:db8:1:2:3:4:5:6"), of("2001:db8:1:2::9"));
        assert_ne!(of("2001:db8:1:2::9"), of("2001:db8:1:3::9"));
        assert_eq!(of("203.0.113.9").to_string(), "203.0.113.9");
    }

    #[test]
    fn a_site_has_256_networks() {
        let of = |text: &str| ClientAddress(text.parse().unwrap()).site();
        assert_eq!(of("2001:db8:1:200::1"), of("2001:db8:1:2ff:3:4:5:6"));
        assert_ne!(of("2001:db8:1:200::1"), of("2001:db8:1:300::1"));
        assert_eq!(of("203.0.113.9").to_string(), "203.0.113.9");
        assert_ne!(of("203.0.113.9"), of("203.0.113.10"));
    }
}
