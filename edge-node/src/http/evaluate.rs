//! `POST /v1/evaluate` and `POST /v1/evaluate/bulk`.

use axum::response::Response;
use serving::{body::RawBody, error::ApiError};

use super::{
    Caller, answer, json,
    request::{Bulk, Single},
};

/// One flag. An unknown one is an answer, not an error.
pub(super) async fn single(caller: Caller, body: Result<RawBody, ApiError>) -> Response {
    caller.answer(body.and_then(|body| {
        let (flag_key, context) = body.parse::<Single<'_>>()?.check()?;
        Ok(json(answer::single(
            &caller.environment,
            &flag_key,
            &context,
        )))
    }))
}

/// Up to a hundred flags.
pub(super) async fn bulk(caller: Caller, body: Result<RawBody, ApiError>) -> Response {
    caller.answer(body.and_then(|body| {
        let (flag_keys, context) = body.parse::<Bulk<'_>>()?.check()?;
        Ok(json(answer::bulk(
            &caller.environment,
            &flag_keys,
            &context,
        )))
    }))
}
