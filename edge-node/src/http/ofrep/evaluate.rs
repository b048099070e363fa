//! `POST /ofrep/v1/evaluate/flags` and `POST /ofrep/v1/evaluate/flags/{key}`.

use axum::response::Response;
use serving::{body::RawBody, error::ApiError};

use super::{
    Refusal, Sender, answer,
    event_stream::{Origin, StreamUrl},
    request,
};
use crate::http::{
    Caller,
    document::{IfNoneMatch, OfrepEvaluation, OfrepEvaluations, OfrepFailure, OfrepRequest},
    etag::{EntityTag, Known},
    json,
    named::Named,
    whole::Whole,
};

/// Evaluates one flag, for servers that evaluate many contexts one at a time.
#[utoipa::path(
    post,
    path = "/ofrep/v1/evaluate/flags/{key}",
    operation_id = "evaluateOfrepFlag",
    tag = "ofrep",
    security(("api_key" = []), ("api_key_as_bearer" = [])),
    params(("key" = String, Path)),
    request_body = OfrepRequest,
    responses(
        (status = 200, description = "the value, and why", body = OfrepEvaluation),
        (status = 400, description = "the context or the flag cannot be evaluated", body = OfrepFailure),
        (status = 404, description = "there is no such flag", body = OfrepFailure),
    )
)]
pub(in crate::http) async fn single(
    Sender(mut caller): Sender,
    // The fifth part of the path.
    Named(flag_key): Named<5>,
    body: Result<RawBody, ApiError>,
) -> Response {
    // A key that cannot be read matches no flag.
    let flag_key = flag_key.unwrap_or_default();
    let answer = async {
        let body = body?;
        let (context, warning) = request::context(&body)?;
        caller.warn(warning);
        let fallback = caller.fallback.take();
        let (environment, mut slices) = caller.slices();
        answer::single(environment, &mut slices, &flag_key, &context, fallback).await
    };
    let answer = answer.await;
    caller.answer(Ok(match answer {
        Ok(answer) => json(answer),
        Err(refusal) => refusal.into_answer(Some(&flag_key)),
    }))
}

/// Evaluates all flags, for clients that keep them; 304 if they already have them.
#[utoipa::path(
    post,
    path = "/ofrep/v1/evaluate/flags",
    operation_id = "evaluateOfrepFlags",
    tag = "ofrep",
    security(("api_key" = []), ("api_key_as_bearer" = [])),
    params(IfNoneMatch),
    request_body = OfrepRequest,
    responses(
        (status = 200, description = "all flags, and where changes are told", body = OfrepEvaluations),
        (status = 304, description = "nothing changed since the tag that was sent"),
        (status = 400, description = "the context cannot be evaluated", body = OfrepFailure),
    )
)]
pub(in crate::http) async fn bulk(
    Sender(mut caller): Sender,
    origin: Origin,
    known: Known,
    body: Result<RawBody, ApiError>,
) -> Response {
    let answer = match body {
        Ok(body) => flags(&mut caller, &origin, &known, &body).await,
        Err(error) => Err(Refusal::from(error)),
    };
    caller.answer(Ok(
        answer.unwrap_or_else(|refusal| refusal.into_answer(None))
    ))
}

async fn flags(
    caller: &mut Caller,
    origin: &Origin,
    known: &Known,
    body: &RawBody,
) -> Result<Response, Refusal> {
    let (context, warning) = request::context(body)?;
    caller.warn(warning);
    let stream = StreamUrl::new(caller, origin);
    let mut tag = EntityTag::new(&caller.environment, &context);
    if let Some(stream) = &stream {
        // A client told that nothing changed keeps its stream credential, which therefore must not be about to expire.
        tag = tag.and(stream.tag());
    }
    if tag.is_known(known) {
        return Ok(tag.not_modified());
    }
    let whole = match Whole::begin(caller).await {
        Ok(whole) => whole,
        Err(refusal) => return Ok(refusal),
    };
    let url = stream.as_ref().map(StreamUrl::as_str);
    let mut response = json(answer::bulk(whole, &context, url).await?);
    tag.write(&mut response);
    Ok(response)
}
