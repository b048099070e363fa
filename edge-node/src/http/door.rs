//! The state of all handlers: the edge, and the address of the peer.

use std::{net::SocketAddr, sync::Arc};

use axum::{extract::FromRef, http::request::Parts};
use serving::address::{TrustedProxies, peer};

use crate::Edge;

/// The state of the handlers. Those of one connection share it, and no others: what all processors write to is slow.
#[derive(Clone)]
pub(super) struct Door {
    pub(super) edge: Arc<Edge>,
    peer: Option<SocketAddr>,
}

impl Door {
    /// For a router, which finds the peer in the request.
    pub(super) fn new(edge: Edge) -> Self {
        Self {
            edge: Arc::new(edge),
            peer: None,
        }
    }

    /// For a request of a known peer.
    pub(super) fn of(edge: &Arc<Edge>, peer: SocketAddr) -> Self {
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
