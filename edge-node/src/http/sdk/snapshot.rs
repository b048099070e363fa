//! `GET /v1/sdk/snapshot`: the whole environment.

use std::sync::Arc;

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};
use protocol::wire::sdk::MEDIA_TYPE;
use serving::error::ApiError;

use super::{Server, format::check_accepted};
use crate::{
    current::Whole,
    http::{
        Caller,
        caller::{SNAPSHOT_VERSION, unauthorized},
        document::{IfNoneMatch, SdkFrame},
        etag::Known,
    },
};

/// Bytes that cost as much as an evaluation.
const UNIT: usize = 64 << 10;

/// The whole environment, for SDKs that evaluate in their own process: flags, targeting and segments, without API keys.
#[utoipa::path(
    get,
    path = "/v1/sdk/snapshot",
    operation_id = "fetchSdkSnapshot",
    tag = "evaluation",
    security(("api_key" = [])),
    params(IfNoneMatch),
    responses(
        (
            status = 200,
            description = "the environment in a frame",
            body = SdkFrame,
            content_type = "application/vnd.halyard.sdk; format=1",
        ),
        (status = 304, description = "the client has it already"),
        (status = 406, description = "the client reads only other formats"),
    )
)]
pub(super) async fn snapshot(
    Server(mut caller): Server,
    headers: HeaderMap,
    known: Known,
) -> Response {
    let whole = match fetch(&caller, &headers, &known).await {
        Ok(whole) => whole,
        Err(refusal) => return caller.answer(Err(refusal)),
    };
    let version = whole.version;
    let answer = if known.has(&whole.tag) {
        let mut response = Response::default();
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response
    } else {
        caller.charge(whole.frame.len().div_ceil(UNIT));
        if let Some(refusal) = caller.over_rate() {
            return caller.answer(Ok(refusal));
        }
        let mut response = Response::new(Body::from(whole.frame));
        let media_type = HeaderValue::from_static(MEDIA_TYPE);
        response
            .headers_mut()
            .insert(header::CONTENT_TYPE, media_type);
        response
    };
    let mut answer = caller.answer(Ok(answer));
    let headers = answer.headers_mut();
    // It may be newer than what was served when the request came.
    headers.insert(SNAPSHOT_VERSION, HeaderValue::from(version));
    if let Ok(tag) = HeaderValue::try_from(format!("\"{}\"", whole.tag)) {
        headers.insert(header::ETAG, tag);
    }
    answer
}

/// What is served, or for a client that has it, just its name.
async fn fetch(caller: &Caller, headers: &HeaderMap, known: &Known) -> Result<Whole, ApiError> {
    check_accepted(headers)?;
    let head = caller.environment.head();
    let (version, tag) = (head.version, caller.environment.sdk_tag().to_owned());
    if known.has(&tag) {
        let frame = bytes::Bytes::new();
        return Ok(Whole {
            version,
            tag,
            frame,
        });
    }
    let grant = caller.edge.known(&caller.hash).and_then(Result::ok);
    let slot = Arc::clone(&grant.ok_or_else(unauthorized)?.slot);
    let permits = &caller.edge.parts().large_answers;
    let whole = slot.whole(version, permits, head.org_id).await?;
    whole.ok_or_else(|| {
        let words = "the environment cannot be handed out as a whole now";
        ApiError::unavailable(words).retry_after(std::time::Duration::from_secs(5))
    })
}
