//! `POST /v1/evaluate` and `POST /v1/evaluate/bulk`.

use axum::response::Response;
use serving::{body::RawBody, error::ApiError};

use super::{
    Caller, answer,
    document::{EvaluateManyRequest, EvaluateRequest, Evaluated, EvaluatedFlag},
    json,
    request::{Bulk, Single},
    usual,
};

/// Evaluates one flag. An unknown one is an answer, not an error.
#[utoipa::path(
    post,
    path = "/v1/evaluate",
    operation_id = "evaluateFlag",
    tag = "evaluation",
    security(("api_key" = [])),
    request_body = EvaluateRequest,
    responses((status = 200, description = "the value, and why", body = Evaluated))
)]
pub(super) async fn single(mut caller: Caller, body: Result<RawBody, ApiError>) -> Response {
    let answer = async { Ok(json(evaluated(&mut caller, &body?).await?)) };
    let answer = answer.await;
    caller.answer(answer)
}

/// The body of the answer to a question about one flag.
pub(super) async fn evaluated(
    caller: &mut Caller,
    question: &RawBody,
) -> Result<Vec<u8>, ApiError> {
    let single = match question.text().and_then(usual::single) {
        Some(single) => single,
        None => question.parse_unstored::<Single<'_>>()?,
    };
    let (flag_key, (context, warning)) = single.check()?;
    caller.warn(warning);
    let fallback = caller.fallback.take();
    let (environment, mut slices) = caller.slices();
    let answer = answer::single(environment, &mut slices, &flag_key, &context, fallback);
    Ok(answer.await?)
}

/// Evaluates up to a hundred flags.
#[utoipa::path(
    post,
    path = "/v1/evaluate/bulk",
    operation_id = "evaluateFlags",
    tag = "evaluation",
    security(("api_key" = [])),
    request_body = EvaluateManyRequest,
    responses((status = 200, description = "by key; a flag that is named twice is there once", body = BTreeMap<String, EvaluatedFlag>))
)]
pub(super) async fn bulk(mut caller: Caller, body: Result<RawBody, ApiError>) -> Response {
    let answer = async {
        let body = body?;
        let bulk = match body.text().and_then(usual::bulk) {
            Some(bulk) => bulk,
            None => body.parse_unstored::<Bulk<'_>>()?,
        };
        let (flag_keys, (context, warning)) = bulk.check()?;
        caller.warn(warning);
        let (environment, mut slices) = caller.slices();
        let answer = answer::bulk(environment, &mut slices, &flag_keys, &context);
        Ok(json(answer.await?))
    };
    let answer = answer.await;
    caller.answer(answer)
}
