//! `POST /v1/sdk/usage`: what an SDK counted.

use axum::{
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use protocol::wire::{
    frame::{self, FrameError, FrameHeader},
    sdk::{REPORT_LIMIT, Report},
};
use serving::{
    body::AnyBody,
    error::{ApiError, chain},
};

use super::{Server, format::check_sent};
use crate::http::document::SdkFrame;

/// Bytes that cost as much as an evaluation: what a report holds is kept until the control plane has stored it.
const UNIT: usize = 1_024;
/// The longest body.
const LONGEST: usize = FrameHeader::LENGTH + REPORT_LIMIT;

/// Takes what an SDK counted since its last report. One that is sent again is counted once.
#[utoipa::path(
    post,
    path = "/v1/sdk/usage",
    operation_id = "reportSdkUsage",
    tag = "evaluation",
    security(("api_key" = [])),
    request_body(
        content = SdkFrame,
        content_type = "application/vnd.halyard.sdk; format=1",
        description = "a report in a frame, at most 1 MiB",
    ),
    responses((status = 204, description = "counted, now or before"))
)]
pub(super) async fn report(
    Server(mut caller): Server,
    headers: HeaderMap,
    body: Result<AnyBody<LONGEST>, ApiError>,
) -> Response {
    let read = body.and_then(|body| {
        check_sent(&headers)?;
        let (header, payload) = parts(&body.bytes)?;
        // Before anything of that size is made.
        let length = frame::decoded_length(header, payload).map_err(refused)?;
        Ok((header, body.bytes.slice(FrameHeader::LENGTH..), length))
    });
    let (header, payload, length) = match read {
        Ok(read) => read,
        Err(refusal) => return caller.answer(Err(refusal)),
    };
    caller.charge(length.max(payload.len()).div_ceil(UNIT));
    if let Some(refusal) = caller.over_rate() {
        return caller.answer(Ok(refusal));
    }
    let counted = decoded(header, &payload).map(|report| {
        let edge = &caller.edge;
        edge.count_report(caller.hash, &caller.environment, report);
        StatusCode::NO_CONTENT.into_response()
    });
    caller.answer(counted)
}

/// The header of a frame and what follows.
fn parts(frame: &[u8]) -> Result<(FrameHeader, &[u8]), ApiError> {
    let damaged = || ApiError::bad_request("the report is not a frame");
    let (header, payload) = frame.split_first_chunk().ok_or_else(damaged)?;
    let header = FrameHeader::parse(*header, REPORT_LIMIT).map_err(refused)?;
    Ok((header, payload))
}

fn decoded(header: FrameHeader, payload: &[u8]) -> Result<Report, ApiError> {
    let report: Report = frame::decode(header, payload).map_err(refused)?;
    report
        .check()
        .map_err(|error| ApiError::bad_request(format!("the report has {error}")))?;
    if texts(&report).any(|text| text.contains('\0')) {
        let words = "text must not contain NUL characters";
        return Err(ApiError::bad_request(words));
    }
    if report
        .impressions
        .iter()
        .any(|shown| shown.flag_key.is_empty())
    {
        return Err(ApiError::bad_request("flag_key is required"));
    }
    Ok(report)
}

fn texts(report: &Report) -> impl Iterator<Item = &String> {
    let counts = report.counts.iter();
    let counted = counts.flat_map(|count| [&count.flag_key, &count.value, &count.variant_key]);
    let shown = report.impressions.iter();
    let shown = shown.flat_map(|shown| [&shown.flag_key, &shown.variant_key, &shown.user_key]);
    counted.chain(shown)
}

fn refused(error: FrameError) -> ApiError {
    match error {
        FrameError::TooLong { .. } => {
            let words = format!("a report has at most {REPORT_LIMIT} bytes");
            ApiError::too_large(words)
        }
        error => ApiError::bad_request(format!("the report is damaged: {}", chain(&error))),
    }
}
