//! `POST /v1/evaluate` and `POST /v1/evaluate/bulk`.

use axum::{extract::State, response::Response};
use serving::{body::RawBody, error::ApiError};

use super::{
    Caller, answer, json,
    request::{Bulk, Single},
};
use crate::Edge;

/// One flag. An unknown one is an answer, not an error.
pub(super) async fn single(
    State(edge): State<Edge>,
    mut caller: Caller,
    body: Result<RawBody, ApiError>,
) -> Response {
    let answer = async {
        let body = body?;
        let (flag_key, context) = body.parse_unstored::<Single<'_>>()?.check()?;
        let answer = answer::single(&edge, &caller.environment, &flag_key, &context);
        let (answer, work) = answer.await;
        caller.charge_work(&edge, work);
        Ok(json(answer))
    };
    let answer = answer.await;
    caller.answer(answer)
}

/// Up to a hundred flags.
pub(super) async fn bulk(
    State(edge): State<Edge>,
    mut caller: Caller,
    body: Result<RawBody, ApiError>,
) -> Response {
    let answer = async {
        let body = body?;
        let (flag_keys, context) = body.parse_unstored::<Bulk<'_>>()?.check()?;
        let answer = answer::bulk(&edge, &caller.environment, &flag_keys, &context);
        let (answer, work) = answer.await;
        caller.charge_work(&edge, work);
        Ok(json(answer))
    };
    let answer = answer.await;
    caller.answer(answer)
}
