//! Unknown fields of bodies and parameters of queries, and warnings about writes.
//!
//! Unknown fields inside rules, conditions and variants are refused: a misspelt condition must never make a rule that matches
//! every context. So are unknown parameters of a member's write: they may announce a dry run. All others are named in the answer's
//! `X-Ignored-Fields`, except those that answers of the same resource show, so that they can be sent back. Parameters of the
//! query are named with a `?` before them. Operations are described by the API document, so that a new endpoint needs no code
//! here.
//!
//! The body of a write lists unknown fields and other warnings in `warnings`; with `Prefer: handling=strict` each of them refuses
//! the write.

mod body;
mod known;
mod request;

use std::sync::Arc;

use axum::{
    extract::{MatchedPath, Request, State},
    http::HeaderValue,
    middleware::Next,
    response::Response,
};
use serving::{
    layers::cors::{IGNORED_FIELDS, PREFERENCE_APPLIED},
    unread::{Listener, Unread},
};

use self::request::Asked;
pub(super) use self::request::COMMENT;
pub use self::{known::Known, request::Checked};
use super::warned::Warned;

const STRICT: HeaderValue = HeaderValue::from_static("handling=strict");

/// Names unread parts of the request in the answer, and adds warnings to it.
pub async fn report(State(known): State<Arc<Known>>, mut request: Request, next: Next) -> Response {
    let path = request.extensions().get::<MatchedPath>();
    let operation = path.and_then(|path| known.operation(path.as_str(), request.method()));
    let Some(operation) = operation else {
        return next.run(request).await;
    };
    let asked = Arc::new(Asked::new(known, operation, &request));
    let listener: Arc<dyn Listener> = Arc::clone(&asked) as _;
    let extensions = request.extensions_mut();
    extensions.insert(Unread::heard_by(listener));
    extensions.insert(Checked::by(&asked));
    let response = next.run(request).await;
    answer(&asked, response).await
}

async fn answer(asked: &Asked, mut response: Response) -> Response {
    if let Some(names) = asked.header() {
        response.headers_mut().insert(IGNORED_FIELDS, names);
    }
    if !asked.is_write() {
        return response;
    }
    let refused_by = asked.refused_by();
    let is_refused = refused_by.is_some();
    let warnings = refused_by.unwrap_or_else(|| {
        let found = response.extensions_mut().remove::<Warned>();
        let found = found.map_or_else(Vec::new, |Warned(found)| found);
        asked.warnings(&found)
    });
    let is_shown = is_refused || (response.status().is_success() && !asked.shows_warnings());
    if !warnings.is_empty() && is_shown {
        response = body::with_warnings(response, &warnings).await;
    }
    if asked.is_strict() && !is_refused {
        response
            .headers_mut()
            .insert(PREFERENCE_APPLIED, STRICT.clone());
    }
    response
}
