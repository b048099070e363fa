//! The header that names the snapshot which contains a write (decisions 1.6).

use std::convert::Infallible;

use axum::{
    http::{HeaderName, HeaderValue},
    response::{IntoResponse, IntoResponseParts, Response, ResponseParts},
};

use crate::publish::version::Change;

const SNAPSHOT_VERSION: HeaderName = HeaderName::from_static("x-snapshot-version");

/// Puts `X-Snapshot-Version` on an answer.
#[derive(Clone, Copy, Debug)]
pub struct SnapshotVersion(u64);

impl From<&Change> for SnapshotVersion {
    fn from(change: &Change) -> Self {
        Self(change.version)
    }
}

impl IntoResponseParts for SnapshotVersion {
    type Error = Infallible;

    fn into_response_parts(self, mut parts: ResponseParts) -> Result<ResponseParts, Infallible> {
        parts
            .headers_mut()
            .insert(SNAPSHOT_VERSION, HeaderValue::from(self.0));
        Ok(parts)
    }
}

/// An answer without a body.
impl IntoResponse for SnapshotVersion {
    fn into_response(self) -> Response {
        (self, ()).into_response()
    }
}
