//! The state of all handlers: the edge, and the address of the peer.

use std::{
    net::SocketAddr,
    ops::Deref,
    sync::{Arc, OnceLock},
};

use axum::{extract::FromRef, http::request::Parts};
use protocol::{api_key, snapshot::KeyHash};
use serving::address::{TrustedProxies, peer};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use crate::Edge;

/// What an API key says by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Presented {
    pub(super) hash: KeyHash,
    /// Whether the text can be a key at all.
    pub(super) has_form: bool,
}

impl Presented {
    fn of(key: &[u8]) -> Self {
        Self {
            hash: Sha256::digest(key).into(),
            has_form: api_key::has_form(key),
        }
    }
}

/// An API key as it was sent, and what it says.
type Known = (Zeroizing<Box<[u8]>>, Presented);

/// The edge, as one connection sees it. Its requests share this, and no others: what all processors write to is slow.
pub(super) struct Connection {
    edge: Edge,
    /// The API key that came first. Nearly always it is the only one.
    key: Option<OnceLock<Known>>,
}

impl Connection {
    pub(super) const fn new(edge: Edge) -> Self {
        Self {
            edge,
            key: Some(OnceLock::new()),
        }
    }

    /// For requests of any connection: a key would be kept for as long as the process lives.
    const fn any(edge: Edge) -> Self {
        Self { edge, key: None }
    }

    /// The hash and the form of an API key, which take a while to work out.
    pub(super) fn presented(&self, key: &[u8]) -> Presented {
        let first = || (Zeroizing::new(key.into()), Presented::of(key));
        match self.key.as_ref().map(|known| known.get_or_init(first)) {
            Some((first, known)) if is_same(first, key) => *known,
            _ => Presented::of(key),
        }
    }
}

impl Deref for Connection {
    type Target = Edge;

    fn deref(&self) -> &Edge {
        &self.edge
    }
}

/// Takes as long wherever they differ: a proxy may send requests of many clients on one connection.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let pairs = one.iter().zip(other);
    one.len() == other.len() && pairs.fold(0, |differences, (a, b)| differences | (a ^ b)) == 0
}

/// The state of the handlers.
#[derive(Clone)]
pub(super) struct Door {
    pub(super) edge: Arc<Connection>,
    peer: Option<SocketAddr>,
}

impl Door {
    /// For a router, which finds the peer in the request.
    pub(super) fn new(edge: Edge) -> Self {
        Self {
            edge: Arc::new(Connection::any(edge)),
            peer: None,
        }
    }

    /// For a request of a known peer.
    pub(super) fn of(edge: &Arc<Connection>, peer: SocketAddr) -> Self {
        Self {
            edge: Arc::clone(edge),
            peer: Some(peer),
        }
    }

    /// The peer of the connection on which the request with this head came.
    pub(super) fn peer(&self, parts: &Parts) -> SocketAddr {
        self.peer.unwrap_or_else(|| peer(parts))
    }
}

impl FromRef<Door> for TrustedProxies {
    fn from_ref(door: &Door) -> Self {
        door.edge.parts().settings.trusted_proxies.clone()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serving::{clock::Clock, settings::Reader};

    use super::*;
    use crate::EdgeSettings;

    #[test]
    fn each_key_of_a_connection_has_its_own_hash_and_form() {
        let none = BTreeMap::new();
        let settings = EdgeSettings::load(&mut Reader::new(&none));
        let edge = Edge::new(settings, Clock::system(), None);
        assert!(Connection::any(edge.clone()).key.is_none());
        let connection = Connection::new(edge);
        let valid = format!("srv_{}", "7".repeat(48));
        for key in [&valid, "other", &valid, "firsT", &valid[1..], "", &valid] {
            let presented = Presented {
                hash: Sha256::digest(key).into(),
                has_form: key == valid,
            };
            assert_eq!(connection.presented(key.as_bytes()), presented, "{key}");
        }
    }
}
