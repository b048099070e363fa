//! Headers that tell how far a write has come: the snapshot that contains it (decisions 1.6), and the edges that serve it
//! (11.7).

use std::convert::Infallible;

use axum::{
    http::{HeaderName, HeaderValue, Uri},
    response::{IntoResponse, IntoResponseParts, Response, ResponseParts},
};
use url::form_urlencoded;

use crate::{
    publish::{fleet::Reached, version::Change},
    state::AppState,
};

const SNAPSHOT_VERSION: HeaderName = HeaderName::from_static("x-snapshot-version");
const ACKNOWLEDGED: HeaderName = HeaderName::from_static("x-edges-acknowledged");
const LAGGING: HeaderName = HeaderName::from_static("x-edges-lagging");

/// For whom the answer to a write waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// For the edges of this replica that keep up, `SNAPSHOT_WAIT` at most.
    Briefly,
    /// For the edges of all replicas, `EDGES_WAIT` at most; the answer names them.
    ForEdges,
}

impl Wait {
    /// What a request's query asks for: `wait=edges`, or nothing.
    #[must_use]
    pub fn asked_for(uri: &Uri) -> Self {
        let query = uri.query().unwrap_or_default();
        let mut fields = form_urlencoded::parse(query.as_bytes());
        if fields.any(|(name, value)| name == "wait" && value == "edges") {
            Self::ForEdges
        } else {
            Self::Briefly
        }
    }
}

/// How far a write has come. Puts `X-Snapshot-Version` on its answer, and the names of edges if they were asked for.
#[derive(Clone, Debug)]
pub struct Published {
    version: u64,
    edges: Option<Reached>,
}

impl AppState {
    /// Waits for the edges after a write, as its caller asked for. Call it after the commit.
    pub async fn published(&self, wait: Wait, change: &Change) -> Published {
        let edges = match wait {
            Wait::Briefly => {
                self.publisher.reached(change).await;
                None
            }
            Wait::ForEdges => Some(self.publisher.reached_everywhere(change).await),
        };
        Published {
            version: change.version,
            edges,
        }
    }
}

impl IntoResponseParts for Published {
    type Error = Infallible;

    fn into_response_parts(self, mut parts: ResponseParts) -> Result<ResponseParts, Infallible> {
        let headers = parts.headers_mut();
        headers.insert(SNAPSHOT_VERSION, HeaderValue::from(self.version));
        if let Some(edges) = self.edges {
            headers.insert(ACKNOWLEDGED, names(&edges.acknowledged));
            headers.insert(LAGGING, names(&edges.lagging));
        }
        Ok(parts)
    }
}

fn names(edges: &[String]) -> HeaderValue {
    HeaderValue::try_from(edges.join(",")).expect("edges are named as hosts are")
}

/// An answer without a body.
impl IntoResponse for Published {
    fn into_response(self) -> Response {
        (self, ()).into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_exact_field_waits_for_edges() {
        let asked = |uri: &str| Wait::asked_for(&uri.parse().unwrap());
        assert_eq!(asked("/v1/x?a=b&wait=edges"), Wait::ForEdges);
        for uri in ["/v1/x", "/v1/x?wait", "/v1/x?wait=yes", "/v1/x?await=edges"] {
            assert_eq!(asked(uri), Wait::Briefly, "{uri}");
        }
    }
}
