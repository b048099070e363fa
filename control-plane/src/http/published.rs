//! Commits a write, and reports how far it has come: the snapshot that contains it, and the edges that serve it.

use std::{convert::Infallible, time::Duration};

use axum::{
    http::{HeaderName, HeaderValue, Uri},
    response::{IntoResponse, IntoResponseParts, Response, ResponseParts},
};
use url::form_urlencoded;

use crate::{
    db,
    ids::ProjectId,
    members::caller::Caller,
    publish::fleet::Reached,
    refusal::{Missing, Refusal},
    shares::Taken,
    state::AppState,
    unit::{Committed, ProjectChange, Recorded, Unit},
};

const SNAPSHOT_VERSION: HeaderName = HeaderName::from_static("x-snapshot-version");
const ACKNOWLEDGED: HeaderName = HeaderName::from_static("x-edges-acknowledged");
const LAGGING: HeaderName = HeaderName::from_static("x-edges-lagging");

/// When to try again a write for which there was no place to wait.
const PAUSE: Duration = Duration::from_secs(1);

/// Which edges the answer to a write waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// The edges of all replicas that keep up, for at most `SNAPSHOT_WAIT`.
    Briefly,
    /// All edges of all replicas, for at most `EDGES_WAIT`; the answer names them.
    ForEdges,
}

impl Wait {
    /// What the query of a request asks for: `wait=edges`, or nothing.
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

/// How far a write has come. Adds `X-Snapshot-Version` to its answer, and the names of edges if asked for. Adds nothing
/// to a write that does not concern edges.
#[derive(Clone, Debug)]
pub struct Published(Option<Reach>);

#[derive(Clone, Debug)]
struct Reach {
    version: u64,
    edges: Option<Reached>,
}

impl AppState {
    /// Starts a unit of work for a caller.
    pub async fn begin(&self, caller: &Caller) -> db::Result<Unit> {
        Unit::begin(&self.db, caller.org_id, caller.actor(), self.clock.now()).await
    }

    /// Locks a project in a unit of work. 404 if the project is gone since it was looked up.
    pub async fn lock<'a>(
        &self,
        unit: &'a mut Unit,
        project_id: ProjectId,
    ) -> Result<ProjectChange<'a>, Refusal> {
        let locked = unit.lock_project(&self.clock, project_id).await?;
        locked.ok_or(Missing::Project.into())
    }

    /// Commits a unit of work, and waits for the edges as the request asks: of one organization, only so many at once.
    pub async fn commit<T>(
        &self,
        wait: Wait,
        unit: Unit,
        recorded: Recorded<T>,
    ) -> Result<(Published, T), Refusal> {
        let _place = match wait {
            Wait::Briefly => None,
            Wait::ForEdges => {
                let place = self.publisher.place_to_wait(unit.org_id());
                Some(place.map_err(refuse)?)
            }
        };
        let Committed { made, change } = unit.commit(recorded).await?;
        let Some(change) = change else {
            return Ok((Published(None), made));
        };
        let edges = match wait {
            Wait::Briefly => {
                self.publisher.reached(&change).await;
                None
            }
            Wait::ForEdges => Some(self.publisher.reached_everywhere(&change).await),
        };
        let version = change.version;
        Ok((Published(Some(Reach { version, edges })), made))
    }
}

/// Nothing of such a write has happened.
fn refuse(taken: Taken) -> Refusal {
    match taken {
        Taken::Share => Refusal::TooMany {
            words: "too many writes wait for edges",
            retry_after: PAUSE,
        },
        Taken::All => Refusal::Unavailable {
            words: "the writes of others wait for edges, please try again",
            retry_after: Some(PAUSE),
        },
    }
}

impl IntoResponseParts for Published {
    type Error = Infallible;

    fn into_response_parts(self, mut parts: ResponseParts) -> Result<ResponseParts, Infallible> {
        if let Some(Reach { version, edges }) = self.0 {
            let headers = parts.headers_mut();
            headers.insert(SNAPSHOT_VERSION, HeaderValue::from(version));
            if let Some(edges) = edges {
                headers.insert(ACKNOWLEDGED, names(&edges.acknowledged));
                headers.insert(LAGGING, names(&edges.lagging));
            }
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
    use serving::error::ApiError;

    use super::*;

    #[test]
    fn that_others_have_all_places_is_nobodys_mistake() {
        let told = |taken| ApiError::from(refuse(taken)).status().as_u16();
        assert_eq!(told(Taken::Share), 429);
        assert_eq!(told(Taken::All), 503);
    }

    #[test]
    fn only_the_exact_field_waits_for_edges() {
        let asked = |uri: &str| Wait::asked_for(&uri.parse().unwrap());
        assert_eq!(asked("/v1/x?a=b&wait=edges"), Wait::ForEdges);
        for uri in ["/v1/x", "/v1/x?wait", "/v1/x?wait=yes", "/v1/x?await=edges"] {
            assert_eq!(asked(uri), Wait::Briefly, "{uri}");
        }
    }
}
