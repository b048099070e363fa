//! The caller of a request: an API key, and what it grants access to.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::{FromRequestParts, Query},
    http::{HeaderMap, HeaderName, HeaderValue, Method, request::Parts},
    response::{IntoResponse, Response},
};
use protocol::snapshot::KeyHash;
use serde::Deserialize;
use serving::{address::ClientAddress, error::ApiError, layers::cors::WARNINGS, rate::Decision};

use super::{
    defaults::Fallback,
    door::{Connection, Door, Presented},
};
use crate::{Edge, current::Reading, keys::Denied};

pub(super) const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");
pub(super) const SNAPSHOT_VERSION: HeaderName = HeaderName::from_static("x-snapshot-version");

/// A request with a valid API key, within its rate limit. All its answers go through [`Caller::answer`].
pub(super) struct Caller {
    pub(super) edge: Arc<Connection>,
    pub(super) hash: KeyHash,
    /// The key's environment as it was when the request arrived: one request sees one version.
    pub(super) environment: Reading,
    pub(super) rate: Option<Decision>,
    is_deprecated: bool,
    warning: Option<&'static str>,
    /// What its code would use without an answer, if it says so.
    pub(super) fallback: Option<Box<Fallback>>,
}

/// The deprecated way to send a key.
#[derive(Deserialize)]
struct InQuery {
    api_key: Option<String>,
}

impl Caller {
    /// The caller who presents this text as an API key. `client` is asked only if the key has to be looked up.
    pub(super) async fn with_key(
        edge: &Arc<Connection>,
        key: Option<&[u8]>,
        client: impl Fn() -> ClientAddress,
    ) -> Result<Self, Response> {
        if let Some(anybody) = edge.parts().settings.anybody {
            return Self::with_hash(edge, anybody, client).await;
        }
        let refused = || unauthorized().into_response();
        let key = key
            // Real keys are far shorter; a longer text is not worth a hash or a look-up.
            .filter(|key| !key.is_empty() && key.len() <= 256)
            .ok_or_else(refused)?;
        let Presented { hash, has_form } = edge.presented(key);
        // A key that is held is accepted in any form; a text that cannot be a key is not looked up.
        if !has_form && edge.known(&hash).is_none() {
            return Err(refused());
        }
        Self::with_hash(edge, hash, client).await
    }

    /// The caller known to have the key with this hash.
    pub(super) async fn with_hash(
        edge: &Arc<Connection>,
        hash: KeyHash,
        client: impl Fn() -> ClientAddress,
    ) -> Result<Self, Response> {
        let (environment, rate) = match edge.open_known(&hash) {
            // Nearly always, and then there is nothing to wait for.
            Some(Ok(Some(opened))) => opened,
            _ => open(edge, &hash, client)
                .await
                .map_err(|denied| refusal(denied).into_response())?,
        };
        let rehearsed = edge.parts().rehearsals.check(&hash).await;
        rehearsed.map_err(IntoResponse::into_response)?;
        let caller = Self {
            edge: Arc::clone(edge),
            hash,
            environment,
            rate,
            is_deprecated: false,
            warning: None,
            fallback: None,
        };
        match caller.over_rate() {
            Some(refusal) => Err(caller.answer(Ok(refusal))),
            None => Ok(caller),
        }
    }

    /// The refusal if the request is beyond its rate.
    pub(super) fn over_rate(&self) -> Option<Response> {
        let refusal = self.rate?.refusal()?;
        metrics::counter!("halyard_edge_rate_limited_total").increment(1);
        Some(refusal)
    }

    /// Adds a warning to the answer: what was sent may not mean what its author thinks.
    pub(super) const fn warn(&mut self, warning: Option<&'static str>) {
        self.warning = warning;
    }

    /// Adds the headers that every answer to a caller carries.
    pub(super) fn answer(&self, answer: Result<Response, ApiError>) -> Response {
        let mut response = answer.unwrap_or_else(IntoResponse::into_response);
        let headers = response.headers_mut();
        let version = self.environment.head().version;
        match &self.rate {
            Some(rate) => rate.write_with(headers, SNAPSHOT_VERSION, version),
            None => drop(headers.insert(SNAPSHOT_VERSION, HeaderValue::from(version))),
        }
        deprecate(headers, self.is_deprecated);
        if let Some(warning) = self.warning {
            headers.insert(WARNINGS, HeaderValue::from_static(warning));
        }
        response
    }

    /// The environment in the path must be the key's, named by slug or by id. One that does not exist is refused in the
    /// same way.
    pub(super) fn check_environment(&self, key: Option<&str>) -> Result<(), ApiError> {
        let head = self.environment.head();
        match key {
            Some(key) if key == head.slug || key.parse() == Ok(head.env_id.uuid()) => Ok(()),
            _ => Err(ApiError::forbidden(
                "api key is not valid for this environment",
            )),
        }
    }
}

impl FromRequestParts<Door> for Caller {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, door: &Door) -> Result<Self, Response> {
        // The rate and version headers need a caller; the deprecation header does not.
        let query = if parts.headers.contains_key(API_KEY) {
            None
        } else {
            key_in_query(parts)
        };
        let key = match (parts.headers.get(API_KEY), &query) {
            (Some(key), _) => Some(key.as_bytes()),
            (None, Some(key)) => Some(key.as_bytes()),
            (None, None) => None,
        };
        let proxies = &door.edge.parts().settings.trusted_proxies;
        let client = || ClientAddress::behind(door.peer(parts), &parts.headers, proxies);
        match Self::with_key(&door.edge, key, client).await {
            Ok(mut caller) => {
                caller.is_deprecated = query.is_some();
                caller.fallback = Fallback::of(&parts.headers);
                Ok(caller)
            }
            Err(mut refusal) => {
                deprecate(refusal.headers_mut(), query.is_some());
                Err(refusal)
            }
        }
    }
}

/// The environment that the key grants access to, as it is now. Retried once if the environment was removed just
/// then: one dropped to save memory is looked up again.
async fn open(
    edge: &Edge,
    hash: &KeyHash,
    client: impl Fn() -> ClientAddress,
) -> Result<(Reading, Option<Decision>), Denied> {
    for _ in 0..2 {
        if let Some(opened) = edge.open(hash, || client().site()).await? {
            return Ok(opened);
        }
    }
    Err(Denied::OnItsWay)
}

/// Only GET paths accept it: browsers open those without a way to send headers.
fn key_in_query(parts: &Parts) -> Option<String> {
    if parts.method == Method::POST {
        return None;
    }
    Query::try_from_uri(&parts.uri)
        .ok()
        .and_then(|Query(InQuery { api_key })| api_key)
}

fn deprecate(headers: &mut HeaderMap, is_deprecated: bool) {
    if is_deprecated {
        headers.insert(DEPRECATION, HeaderValue::from_static("true"));
    }
}

fn refusal(denied: Denied) -> ApiError {
    let not_yet = |message| ApiError::unavailable(message).retry_after(Duration::from_secs(1));
    match denied {
        Denied::Unknown => unauthorized(),
        Denied::NothingHeld => not_yet("no snapshot yet"),
        Denied::OnItsWay => not_yet("the environment of this api key is on its way"),
        Denied::Unanswered => not_yet("the api key cannot be looked up now"),
    }
}

/// One message, whatever is wrong with the key.
pub(super) fn unauthorized() -> ApiError {
    ApiError::invalid_key("invalid or missing api key")
}
