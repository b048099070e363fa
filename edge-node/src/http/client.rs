//! `/v1/client/{envKey}/flags`: all values for one user, or 304 if the client already has them. GET names only the
//! user, POST sends a context.

use std::borrow::Cow;

use axum::{http::HeaderMap, response::Response};
use protocol::eval::Context;
use serde::Deserialize;
use serving::{
    body::RawBody,
    error::ApiError,
    params::{Path, Query},
};

use super::{Caller, answer, etag::EntityTag, json, request::Client};

const ANONYMOUS: &str = "anonymous";

#[derive(Deserialize)]
pub(super) struct Filter {
    key: Option<String>,
}

/// Every flag of the project, disabled ones with their default, for a user without attributes.
pub(super) async fn of_user(
    caller: Caller,
    env_key: Result<Path<String>, ApiError>,
    filter: Result<Query<Filter>, ApiError>,
    headers: HeaderMap,
) -> Response {
    caller.answer(caller.check_environment(env_key).and_then(|()| {
        let Query(filter) = filter?;
        let context = Context::new(filter.key.unwrap_or_default());
        values(&caller, context, &headers)
    }))
}

/// The same for a context.
pub(super) async fn of_context(
    caller: Caller,
    env_key: Result<Path<String>, ApiError>,
    headers: HeaderMap,
    body: Result<RawBody, ApiError>,
) -> Response {
    caller.answer(caller.check_environment(env_key).and_then(|()| {
        let body = body?;
        values(&caller, body.parse::<Client<'_>>()?.context(), &headers)
    }))
}

fn values(
    caller: &Caller,
    mut context: Context<'_>,
    headers: &HeaderMap,
) -> Result<Response, ApiError> {
    if context.key.is_empty() {
        context.key = Cow::Borrowed(ANONYMOUS);
    }
    context
        .check_limits()
        .map_err(|limit| ApiError::bad_request(limit.to_string()))?;

    let tag = EntityTag::new(&caller.environment, &context);
    if tag.is_known(headers) {
        return Ok(tag.not_modified());
    }
    let mut response = json(answer::values(&caller.environment, &context));
    tag.write(&mut response);
    Ok(response)
}
