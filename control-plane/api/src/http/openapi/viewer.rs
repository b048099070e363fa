//! A page to read the API document, complete: no file is loaded from other origins.

use std::{borrow::Cow, sync::Arc};

use axum::{
    http::{
        HeaderValue,
        header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE},
    },
    response::{IntoResponse, Response},
};
use serving::{error::ApiError, params::Path};
use utoipa_swagger_ui::Config;

use crate::http::{Routes, endpoints};

const PAGE: &str = include_str!("page.html");
/// Starts the viewer, in a separate file: the page may run only scripts served beside it.
const START: &str = include_str!("start.js");

/// The served files of the viewer.
const FILES: [&str; 2] = ["swagger-ui.css", "swagger-ui-bundle.js"];

/// Nothing from elsewhere, no framing. The viewer sets inline styles and has its icons in `data:`. Its scripts run as those of an
/// origin of its own (`sandbox`), so that a hole in them reaches neither the session nor the storage of the dashboard beside it.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
     sandbox allow-scripts allow-popups",
);

pub(super) fn router() -> Routes {
    endpoints![page, file]
}

/// Shows this document as a page.
#[utoipa::path(
    get,
    path = "/docs",
    operation_id = "getApiPage",
    tag = "service",
    security(()),
    responses((status = 200, description = "the page", body = String, content_type = "text/html"))
)]
async fn page() -> Response {
    with_policy("text/html; charset=utf-8", PAGE.into_response())
}

/// Serves a file of the page.
#[utoipa::path(
    get,
    path = "/docs/{file}",
    operation_id = "getApiPageFile",
    tag = "service",
    security(()),
    params(("file" = String, Path, description = "The name of the file, as the page has it.", example = "swagger-ui.css")),
    responses((status = 200, description = "the file", content(
        (String = "text/css"),
        (String = "text/javascript"),
    )))
)]
async fn file(Path(name): Path<String>) -> Result<Response, ApiError> {
    if name == "start.js" {
        return Ok(with_policy("text/javascript", START.into_response()));
    }
    let known = FILES.into_iter().find(|file| *file == name);
    let found = known.and_then(|file| {
        let config = Arc::new(Config::from("/openapi.json"));
        utoipa_swagger_ui::serve(file, config).ok().flatten()
    });
    let found = found.ok_or_else(|| ApiError::not_found("not found"))?;
    let body = match found.bytes {
        Cow::Borrowed(bytes) => bytes.into_response(),
        Cow::Owned(bytes) => bytes.into_response(),
    };
    Ok(with_policy(&found.content_type, body))
}

fn with_policy(media_type: &str, mut response: Response) -> Response {
    let headers = response.headers_mut();
    let media_type = HeaderValue::try_from(media_type).expect("media types are visible ASCII");
    headers.insert(CONTENT_TYPE, media_type);
    headers.insert(CONTENT_SECURITY_POLICY, POLICY);
    response
}
