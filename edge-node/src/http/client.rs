//! `GET /v1/client/{envKey}/flags`: all values for one user, and nothing when the client has them already.

use std::borrow::Cow;

use axum::{
    http::{HeaderMap, HeaderValue, Response as HttpResponse, StatusCode, header},
    response::Response,
};
use protocol::eval::{Context, Environment};
use serde::Deserialize;
use serving::{
    error::ApiError,
    params::{Path, Query},
};
use sha2::{Digest as _, Sha256};

use super::{Caller, answer, json};

const ANONYMOUS: &str = "anonymous";

#[derive(Deserialize)]
pub(super) struct Filter {
    key: Option<String>,
}

/// Every flag of the project, disabled ones with their default.
pub(super) async fn flags(
    caller: Caller,
    env_key: Result<Path<String>, ApiError>,
    filter: Result<Query<Filter>, ApiError>,
    headers: HeaderMap,
) -> Response {
    caller.answer(values(&caller, env_key, filter, &headers))
}

fn values(
    caller: &Caller,
    env_key: Result<Path<String>, ApiError>,
    filter: Result<Query<Filter>, ApiError>,
    headers: &HeaderMap,
) -> Result<Response, ApiError> {
    caller.check_environment(env_key)?;
    let Query(filter) = filter?;
    let key = filter
        .key
        .filter(|key| !key.is_empty())
        .map_or(Cow::Borrowed(ANONYMOUS), Cow::Owned);
    let context = Context::new(key);
    context
        .check_limits()
        .map_err(|limit| ApiError::bad_request(limit.to_string()))?;

    let environment = &caller.environment;
    let tag = entity_tag(environment, &context.key);
    let mut response = if is_known(headers, &tag) {
        let mut response = HttpResponse::default();
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response
    } else {
        json(answer::values(environment, &context))
    };
    let tag = HeaderValue::try_from(tag).expect("hexadecimal digits between quotes");
    response.headers_mut().insert(header::ETAG, tag);
    Ok(response)
}

/// Of version and key; the digest is there for databases that were restored and count again from an earlier version.
fn entity_tag(environment: &Environment, key: &str) -> String {
    let digest = &environment.digest().0[..4];
    let key = &Sha256::digest(key)[..8];
    format!(
        "W/\"{:x}-{}-{}\"",
        environment.head().version,
        hex::encode(digest),
        hex::encode(key)
    )
}

/// Whether the client has this already. Tags are compared weakly, so that `W/` makes no difference.
fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let lines = headers
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|line| line.to_str().ok());
    lines
        .flat_map(|line| line.split(','))
        .any(|known| known.trim() == "*" || opaque(known) == opaque(tag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_found_in_lists_and_compared_weakly() {
        let tag = "W/\"1-a\"";
        for (line, known) in [
            ("W/\"1-a\"", true),
            ("\"1-a\"", true),
            ("\"x\", W/\"1-a\"", true),
            ("*", true),
            ("W/\"1-b\"", false),
            ("", false),
        ] {
            let headers =
                HeaderMap::from_iter([(header::IF_NONE_MATCH, HeaderValue::from_static(line))]);
            assert_eq!(is_known(&headers, tag), known, "{line}");
        }
        assert!(!is_known(&HeaderMap::new(), tag));
    }
}
