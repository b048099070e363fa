//! Serves the dashboard: built files embedded in the program.
//!
//! Files change with a release only, so they are served under its digest and cached by browsers for a year; the page that names
//! them is revalidated each time.

mod assets;
mod encoding;
mod headers;
mod unknown;

use std::sync::Arc;

use axum::{
    Router,
    extract::{Request, State},
    http::HeaderMap,
    response::{IntoResponse, Response},
    routing::get,
};
use serving::{error::ApiError, layers, params::Path};

use self::{assets::ASSETS, encoding::Encoding, headers::Headers, unknown::Unknown};
use crate::http::tags;
use domain::billing::settings::BillingSettings;

/// The pages, and what a person sees where there is none.
#[derive(Clone)]
pub struct Dashboard {
    headers: Headers,
    templates: Arc<[String]>,
}

impl Dashboard {
    pub fn new(billing: &BillingSettings) -> Self {
        Self {
            headers: Headers::new(billing),
            templates: templates().into(),
        }
    }

    /// The pages and their files. They are no part of the API and get no CORS headers.
    pub fn router(&self) -> Router {
        let files = Router::new().route("/assets/{digest}/{*file}", get(file));
        let paths = self.templates.iter();
        paths
            .fold(files, |pages, path| pages.route(path, get(page)))
            .with_state(self.headers.clone())
    }

    /// The answer to a path that nothing serves: to a browser that wants a page, the page that says so, or the way to the one that
    /// was meant. Paths of the API never have one.
    pub async fn unknown(&self, request: Request) -> Response {
        match Unknown::of(request.method(), request.uri(), request.headers()) {
            Unknown::Call => layers::unknown().into_response(),
            Unknown::Page(address) => match address.without_slashes(&self.templates) {
                Some(moved) => unknown::moved(&moved),
                None => {
                    let encoding = Encoding::accepted(request.headers());
                    let page = ASSETS.page.in_encoding(encoding).await;
                    self.headers.missing(page)
                }
            },
        }
    }
}

/// The paths of the dashboard's router, as axum writes them.
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
