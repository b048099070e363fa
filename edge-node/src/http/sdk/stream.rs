//! `GET /v1/sdk/stream`: the changes of an environment.

use axum::response::Response;
use serde::Deserialize;
use serving::{address::ClientAddress, error::ApiError, params::Query};

use super::{Server, format::check_asked};
use crate::http::{
    document::SdkFormat,
    stream::{Form, open},
};

#[derive(Deserialize)]
pub(super) struct Asked {
    format: Option<String>,
}

/// Tells the changes of the environment themselves, for as long as the SDK stays.
#[utoipa::path(
    get,
    path = "/v1/sdk/stream",
    operation_id = "streamSdkChanges",
    tag = "evaluation",
    security(("api_key" = [])),
    params(SdkFormat),
    responses(
        (
            status = 200,
            description = "events: `at` with what is served at first, then `delta` with each change, or `refetch` where the \
                           snapshot is to be fetched; `proof` that what is served is current; and comments as heartbeats",
            body = String,
            content_type = "text/event-stream",
        ),
        (status = 406, description = "the changes are not told in that format"),
    )
)]
pub(super) async fn stream(
    Server(caller): Server,
    asked: Result<Query<Asked>, ApiError>,
    address: ClientAddress,
) -> Response {
    let opened = asked.and_then(|Query(asked)| {
        check_asked(asked.format.as_deref())?;
        open(&caller, address, Form::Sdk)
    });
    caller.answer(opened)
}
