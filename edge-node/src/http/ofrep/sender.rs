//! The sender of an OFREP request: the key is in `X-API-Key` or is the bearer token.

use std::net::SocketAddr;

use axum::{
    extract::FromRequestParts,
    http::{HeaderValue, header, request::Parts},
    response::Response,
};
use serving::address::{ClientAddress, peer};

use crate::{
    Edge,
    http::caller::{API_KEY, Caller},
};

/// A caller whose key came in either header; `X-API-Key` takes precedence.
pub(super) struct Sender(pub(super) Caller);

impl FromRequestParts<Edge> for Sender {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, edge: &Edge) -> Result<Self, Response> {
        Self::of(parts, peer(parts), edge).await
    }
}

impl Sender {
    /// The sender of the request with this head, which came from this address.
    pub(super) async fn of(parts: &Parts, peer: SocketAddr, edge: &Edge) -> Result<Self, Response> {
        let headers = &parts.headers;
        let key = match headers.get(API_KEY) {
            Some(key) => Some(key.as_bytes()),
            None => headers.get(header::AUTHORIZATION).and_then(bearer),
        };
        let proxies = &edge.parts().settings.trusted_proxies;
        let client = || ClientAddress::behind(peer, headers, proxies);
        Caller::with_key(edge, key, client).await.map(Self)
    }
}

fn bearer(authorization: &HeaderValue) -> Option<&[u8]> {
    let (scheme, token) = authorization.as_bytes().split_at_checked("bearer ".len())?;
    scheme
        .eq_ignore_ascii_case(b"bearer ")
        .then(|| token.trim_ascii())
}
