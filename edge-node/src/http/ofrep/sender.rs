//! The sender of an OFREP request: the key is in `X-API-Key` or is the bearer token.

use axum::{
    extract::FromRequestParts,
    http::{HeaderValue, header, request::Parts},
    response::Response,
};
use serving::address::ClientAddress;

use crate::http::{
    caller::{API_KEY, Caller},
    defaults::Fallback,
    door::Door,
};

/// A caller whose key came in either header; `X-API-Key` takes precedence.
pub(in crate::http) struct Sender(pub(super) Caller);

impl FromRequestParts<Door> for Sender {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, door: &Door) -> Result<Self, Response> {
        let headers = &parts.headers;
        let key = match headers.get(API_KEY) {
            Some(key) => Some(key.as_bytes()),
            None => headers.get(header::AUTHORIZATION).and_then(bearer),
        };
        let proxies = &door.edge.parts().settings.trusted_proxies;
        let client = || ClientAddress::behind(door.peer(parts), headers, proxies);
        let mut caller = Caller::with_key(&door.edge, key, client).await?;
        caller.fallback = Fallback::of(headers);
        Ok(Self(caller))
    }
}

fn bearer(authorization: &HeaderValue) -> Option<&[u8]> {
    let (scheme, token) = authorization.as_bytes().split_at_checked("bearer ".len())?;
    scheme
        .eq_ignore_ascii_case(b"bearer ")
        .then(|| token.trim_ascii())
}
