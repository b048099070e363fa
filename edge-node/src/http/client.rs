//! `/v1/client/{envKey}/flags`: all values for one user, or 304 if the client already has them. GET names only the
//! user, POST sends a context.

use std::borrow::Cow;

use axum::response::Response;
use protocol::eval::Context;
use serde::Deserialize;
use serving::{body::RawBody, error::ApiError, params::Query};

use super::{
    Caller, answer,
    document::{ClientRequest, IfNoneMatch, KeyInQuery, User},
    etag::{EntityTag, Known},
    json,
    named::{EnvKey, Named},
    request::Client,
    whole::Whole,
};
const ANONYMOUS: &str = "anonymous";

#[derive(Deserialize)]
pub(super) struct Filter {
    key: Option<String>,
}

/// Evaluates every flag of the project, disabled ones with their default, for a user without attributes.
#[utoipa::path(
    get,
    path = "/v1/client/{envKey}/flags",
    operation_id = "listClientFlags",
    tag = "evaluation",
    security(("api_key" = [])),
    params(("envKey" = String, Path), User, KeyInQuery, IfNoneMatch),
    responses(
        (status = 200, description = "by key, the value of each flag", body = BTreeMap<String, Value>),
        (status = 304, description = "nothing changed since the tag that was sent"),
    )
)]
pub(super) async fn of_user(
    mut caller: Caller,
    Named(env_key): EnvKey,
    filter: Result<Query<Filter>, ApiError>,
    known: Known,
) -> Response {
    let answer = async {
        caller.check_environment(env_key.as_deref())?;
        let Query(filter) = filter?;
        let context = Context::new(filter.key.unwrap_or_default());
        values(&mut caller, context, &known).await
    };
    let answer = answer.await;
    caller.answer(answer)
}

/// Evaluates every flag of the project for a context.
#[utoipa::path(
    post,
    path = "/v1/client/{envKey}/flags",
    operation_id = "evaluateClientFlags",
    tag = "evaluation",
    security(("api_key" = [])),
    params(("envKey" = String, Path), IfNoneMatch),
    request_body = ClientRequest,
    responses(
        (status = 200, description = "by key, the value of each flag", body = BTreeMap<String, Value>),
        (status = 304, description = "nothing changed since the tag that was sent"),
    )
)]
pub(super) async fn of_context(
    mut caller: Caller,
    Named(env_key): EnvKey,
    known: Known,
    body: Result<RawBody, ApiError>,
) -> Response {
    let answer = async {
        caller.check_environment(env_key.as_deref())?;
        let body = body?;
        let given = match body.parse_unstored::<Client<'_>>()?.context {
            Some(given) => given,
            None => body.parse_unstored()?,
        };
        let (context, warning) = given.read();
        caller.warn(warning);
        values(&mut caller, context, &known).await
    };
    let answer = answer.await;
    caller.answer(answer)
}

async fn values(
    caller: &mut Caller,
    mut context: Context<'_>,
    known: &Known,
) -> Result<Response, ApiError> {
    if context.key.is_empty() {
        context.key = Cow::Borrowed(ANONYMOUS);
    }
    context
        .check_limits()
        .map_err(|limit| ApiError::bad_request(limit.to_string()))?;

    let tag = EntityTag::new(&caller.environment, &context);
    if tag.is_known(known) {
        return Ok(tag.not_modified());
    }
    let whole = match Whole::begin(caller).await {
        Ok(whole) => whole,
        Err(refusal) => return Ok(refusal),
    };
    let mut response = json(answer::values(whole, &context).await?);
    tag.write(&mut response);
    Ok(response)
}
