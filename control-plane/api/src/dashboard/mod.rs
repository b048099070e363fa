//! Serves the dashboard: built files that are part of the program, under the paths that people see.
//!
//! Nothing here knows what the files do. They change with a release only, so they are served under its digest and kept by browsers
//! for a year; the page that names them is asked for each time.

mod assets;
mod encoding;
mod headers;
mod paths;

use axum::{Router, extract::State, http::HeaderMap, response::Response, routing::get};
use serving::{error::ApiError, params::Path};

use self::{assets::ASSETS, encoding::Encoding, headers::Headers};
use crate::http::known;
use domain::config::BillingSettings;

pub use self::paths::templates;

/// The pages and their files. They are no part of the API: no other origin may read them.
pub fn router(billing: &BillingSettings) -> Router {
    let files = Router::new().route("/assets/{digest}/{*file}", get(file));
    templates()
        .into_iter()
        .fold(files, |pages, path| pages.route(&path, get(page)))
        .with_state(Headers::new(billing))
}

/// The page, whatever its path: the rest is up to its script.
async fn page(State(fixed): State<Headers>, sent: HeaderMap) -> Response {
    let encoding = Encoding::accepted(&sent);
    let etag = ASSETS.page.etag(encoding);
    if known::names(&sent, &etag) {
        return fixed.unchanged(etag);
    }
    fixed.page(ASSETS.page.in_encoding(encoding).await, etag)
}

/// A file of this release. An old page asks for one of another release, and has to learn that it is old.
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
