//! Where OFREP clients learn of changes: a URL that carries its own credential, since browsers cannot send headers
//! there, and the stream behind it.

use std::{convert::Infallible, sync::Arc};

use axum::{
    extract::{FromRequestParts, State},
    http::{HeaderMap, header, request::Parts, uri::Authority},
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use serving::{address::ClientAddress, error::ApiError, params::Query};

use super::STREAM;
use crate::{
    http::{
        Caller,
        caller::unauthorized,
        document::LastEventId,
        door::{Connection, Door},
        stream::{self, Form},
    },
    stream_credential::Claims,
};

/// The scheme and host under which the client reached this edge; `None` if it named no host that can be repeated.
pub(in crate::http) struct Origin(Option<String>);

impl FromRequestParts<Door> for Origin {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, door: &Door) -> Result<Self, Infallible> {
        let settings = &door.edge.parts().settings;
        if let Some(url) = &settings.public_url {
            return Ok(Self(Some(url.as_str().to_owned())));
        }
        let proxies = &settings.trusted_proxies;
        let is_secure = proxies.terminates_tls(door.peer(parts).ip(), &parts.headers);
        let scheme = if is_secure { "https" } else { "http" };
        Ok(Self(host(parts).map(|host| format!("{scheme}://{host}"))))
    }
}

fn host(parts: &Parts) -> Option<Authority> {
    let named = match parts.headers.get(header::HOST) {
        Some(host) => Authority::try_from(host.as_bytes()).ok(),
        None => parts.uri.authority().cloned(),
    };
    named.filter(|host| !host.as_str().contains('@'))
}

/// The URL of a caller's stream, which is a secret.
pub(super) struct StreamUrl(String);

impl StreamUrl {
    /// `None` while the edge has no secret to issue credentials with, or does not know its own address.
    pub(super) fn new(caller: &Caller, Origin(origin): &Origin) -> Option<Self> {
        let (origin, edge) = (origin.as_deref()?, &caller.edge);
        let claims = Claims {
            env_id: caller.environment.head().env_id,
            hash: caller.hash,
        };
        let now_ms = edge.parts().clock.now_ms();
        let credential = edge.parts().credentials.issue(claims, now_ms)?;
        Some(Self(format!("{origin}{STREAM}?credential={credential}")))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Differs for every credential.
    pub(super) fn tag(&self) -> &str {
        // The end of its HMAC.
        &self.0[self.0.len() - 8..]
    }
}

#[derive(Deserialize)]
pub(super) struct Shown {
    credential: Option<String>,
}

/// Tells the holder of a credential when to fetch evaluations again.
#[utoipa::path(
    get,
    path = "/ofrep/v1/stream",
    operation_id = "streamOfrepChanges",
    tag = "ofrep",
    security(("stream_credential" = [])),
    params(LastEventId),
    responses((
        status = 200,
        description = "an event for each change: evaluations are to be fetched again; and comments as heartbeats",
        body = String,
        content_type = "text/event-stream",
    ))
)]
pub(super) async fn open(
    State(door): State<Door>,
    shown: Result<Query<Shown>, ApiError>,
    headers: HeaderMap,
    address: ClientAddress,
) -> Response {
    let credential = shown.ok().and_then(|Query(shown)| shown.credential);
    let caller = match authenticate(&door.edge, credential.as_deref(), address).await {
        Ok(caller) => caller,
        Err(refusal) => return refusal,
    };
    let last_seen = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    caller.answer(stream::open(&caller, address, Form::Ofrep { last_seen }))
}

/// The caller whose key the credential was issued for, if that key still opens the same environment.
async fn authenticate(
    edge: &Arc<Connection>,
    credential: Option<&str>,
    address: ClientAddress,
) -> Result<Caller, Response> {
    let refused = || unauthorized().into_response();
    let now_ms = edge.parts().clock.now_ms();
    let claims = credential
        .and_then(|text| edge.parts().credentials.verify(text, now_ms))
        .ok_or_else(refused)?;
    let caller = Caller::with_hash(edge, claims.hash, || address).await?;
    if caller.environment.head().env_id == claims.env_id {
        Ok(caller)
    } else {
        Err(refused())
    }
}
