//! Serves the dashboard: built files embedded in the program.
//!
//! Files change with a release only, so they are served under its digest and cached by browsers for a year; the page that names
//! them is revalidated each time.

mod assets;
mod encoding;
mod headers;

use axum::{Router, extract::State, http::HeaderMap, response::Response, routing::get};
use serving::{error::ApiError, params::Path};

use self::{assets::ASSETS, encoding::Encoding, headers::Headers};
use crate::http::tags;
use domain::billing::settings::BillingSettings;

/// The pages and their files. They are no part of the API and get no CORS headers.
pub fn router(billing: &BillingSettings) -> Router {
    let files = Router::new().route("/assets/{digest}/{*file}", get(file));
    templates()
        .into_iter()
        .fold(files, |pages, path| pages.route(&path, get(page)))
        .with_state(Headers::new(billing))
}

/// The paths of the dashboard's router, as axum writes them. Any other path is unknown here too.
///
/// # Panics
/// When the list is not a JSON array of strings, which a test checks.
pub fn templates() -> Vec<String> {
    let paths = include_str!("../../../dashboard/src/routes/paths.json");
    serde_json::from_str(paths).expect("an array of texts")
}

/// The page, for any path: its script does the routing.
async fn page(State(fixed): State<Headers>, sent: HeaderMap) -> Response {
    let encoding = Encoding::accepted(&sent);
    let etag = ASSETS.page.etag(encoding);
    if tags::client_has(&sent, &etag) {
        return fixed.unchanged(etag);
    }
    fixed.page(ASSETS.page.in_encoding(encoding).await, etag)
}

/// A file of this release. An old page requests one of another release, and must detect that it is outdated.
async fn file(
    State(fixed): State<Headers>,
    Path((digest, name)): Path<(String, String)>,
    sent: HeaderMap,
) -> Result<Response, ApiError> {
    let found = ASSETS.find(&digest, &name);
    let found = found.ok_or_else(|| ApiError::not_found("not found"))?;
    let body = found.in_encoding(Encoding::accepted(&sent)).await;
    Ok(fixed.file(body))
}
