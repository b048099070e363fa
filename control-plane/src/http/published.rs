//! The header that names the snapshot which contains a write (decisions 1.6).

use std::convert::Infallible;

use axum::{
    http::{HeaderName, HeaderValue},
    response::{IntoResponse, IntoResponseParts, Response, ResponseParts},
};

use super::access::Caller;
use crate::{app::AppState, publish::version::Change};

const SNAPSHOT_VERSION: HeaderName = HeaderName::from_static("x-snapshot-version");

/// How far a write has come. Puts `X-Snapshot-Version` on its answer.
#[derive(Clone, Copy, Debug)]
pub struct Published {
    version: u64,
}

impl AppState {
    /// Waits for the edges after a write, as long as its caller asked for. Call it after the commit.
    pub async fn published(&self, _caller: &Caller, change: &Change) -> Published {
        self.publisher.reached(change).await;
        Published {
            version: change.version,
        }
    }
}

impl IntoResponseParts for Published {
    type Error = Infallible;

    fn into_response_parts(self, mut parts: ResponseParts) -> Result<ResponseParts, Infallible> {
        parts
            .headers_mut()
            .insert(SNAPSHOT_VERSION, HeaderValue::from(self.version));
        Ok(parts)
    }
}

/// An answer without a body.
impl IntoResponse for Published {
    fn into_response(self) -> Response {
        (self, ()).into_response()
    }
}
