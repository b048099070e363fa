//! Commits a write, and reports its propagation: the snapshot that contains it, and the edges that serve it.

use std::convert::Infallible;

use axum::{
    http::{HeaderName, HeaderValue, Uri},
    response::{IntoResponse, IntoResponseParts, Response, ResponseParts},
};
use url::form_urlencoded;

use super::access::Access;
use base::{
    ids::ProjectId,
    input::Comment,
    limits::Permit,
    refusal::{Missing, Refusal},
    warning::Warning,
};
use domain::{
    unit::{Committed, OrgChange, ProjectChange, Recorded, Unit},
    version::Change,
};
use publish::fleet::Reached;

const SNAPSHOT_VERSION: HeaderName = HeaderName::from_static("x-snapshot-version");
const ACKNOWLEDGED: HeaderName = HeaderName::from_static("x-edges-acknowledged");
const LAGGING: HeaderName = HeaderName::from_static("x-edges-lagging");

/// The number of edges that are named.
const NAMED: usize = 50;

/// Which edges the answer to a write waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    /// The edges of all replicas that keep up, for at most `SNAPSHOT_WAIT`.
    Briefly,
    /// All edges of all replicas, for at most `EDGES_WAIT`; the answer names them.
    ForEdges,
}

impl Wait {
    /// Reads `wait=edges` from the query of a request.
    pub(super) fn asked_for(uri: &Uri) -> Self {
        let query = uri.query().unwrap_or_default();
        let mut fields = form_urlencoded::parse(query.as_bytes());
        if fields.any(|(name, value)| name == "wait" && value == "edges") {
            Self::ForEdges
        } else {
            Self::Briefly
        }
    }
}

/// The propagation of a write. Adds `X-Snapshot-Version` to its answer, and the names of edges if asked for. Adds nothing
/// to a write that does not concern edges.
#[derive(Clone, Debug)]
pub struct Published(Option<Reach>);

#[derive(Clone, Debug)]
struct Reach {
    version: u64,
    edges: Option<Reached>,
}

impl Published {
    /// Of a write that changed nothing that edges serve.
    pub(crate) const NOTHING: Self = Self(None);
}

impl Access {
    /// The comment of the query.
    pub(crate) fn comment(&self) -> Option<Comment> {
        self.checked.comment()
    }

    /// Warnings about the body's unknown fields, for an answer that has warnings of its own.
    pub(crate) fn ignored(&self) -> Vec<Warning> {
        self.checked.ignored()
    }

    /// Starts a unit of work. One that is to wait for all edges waits for a permit first.
    pub async fn begin(&self) -> Result<Unit, Refusal> {
        let permit = self.may_wait().await?;
        let unit = Unit::begin(&self.db, self.org_id, self.actor(), self.clock.now()).await?;
        Ok(unit
            .with_permit(permit)
            .with_comment(self.checked.comment()))
    }

    /// A permit to wait for all edges, if the request asks for that.
    pub(crate) async fn may_wait(&self) -> Result<Option<Permit>, Refusal> {
        Ok(match self.wait {
            Wait::Briefly => None,
            Wait::ForEdges => Some(self.publisher.may_wait(self.org_id).await?),
        })
    }

    /// Performs an operation on a project in a unit of work. 404 if the project is gone since it was looked up.
    pub async fn write<T>(
        &self,
        project_id: ProjectId,
        operation: impl AsyncFnOnce(&mut ProjectChange<'_>) -> Result<Recorded<T>, Refusal>,
    ) -> Result<(Published, T), Refusal> {
        let mut unit = self.begin().await?;
        let project = unit.lock_project(&self.clock, project_id).await?;
        let recorded = operation(&mut project.ok_or(Missing::Project)?).await?;
        self.commit(unit, recorded).await
    }

    /// Performs an operation on the organization in a unit of work.
    pub async fn write_org<T>(
        &self,
        operation: impl AsyncFnOnce(&mut OrgChange<'_>) -> Result<Recorded<T>, Refusal>,
    ) -> Result<T, Refusal> {
        let mut unit = self.begin().await?;
        let recorded = operation(&mut unit.lock_org(&self.clock).await?).await?;
        let (_, made) = self.commit(unit, recorded).await?;
        Ok(made)
    }

    /// Commits a unit of work, and waits for the edges as the request asks. With strict handling, refuses one with warnings.
    pub async fn commit<T>(
        &self,
        mut unit: Unit,
        recorded: Recorded<T>,
    ) -> Result<(Published, T), Refusal> {
        self.checked.check_warnings(unit.warnings())?;
        let _permit = unit.take_permit();
        let Committed { made, change } = unit.commit(recorded).await?;
        Ok((self.published(change).await, made))
    }

    /// Performs one of many operations on a project, in a unit of work of its own. Waits for no edges: [`Self::published`] does
    /// for all of them.
    pub(crate) async fn write_one<T>(
        &self,
        project_id: ProjectId,
        operation: impl AsyncFnOnce(&mut ProjectChange<'_>) -> Result<Recorded<T>, Refusal>,
    ) -> Result<Committed<T>, Refusal> {
        let now = self.clock.now();
        let unit = Unit::begin(&self.db, self.org_id, self.actor(), now).await?;
        let mut unit = unit.with_comment(self.checked.comment());
        let project = unit.lock_project(&self.clock, project_id).await?;
        let recorded = operation(&mut project.ok_or(Missing::Project)?).await?;
        self.checked.check_warnings(unit.warnings())?;
        Ok(unit.commit(recorded).await?)
    }

    /// Waits for the edges as the request asks.
    pub(crate) async fn published(&self, change: Option<Change>) -> Published {
        let Some(change) = change else {
            return Published(None);
        };
        let edges = match self.wait {
            Wait::Briefly => {
                self.publisher.reached(&change).await;
                None
            }
            Wait::ForEdges => Some(self.publisher.reached_everywhere(&change).await),
        };
        let version = change.version;
        Published(Some(Reach { version, edges }))
    }
}

impl IntoResponseParts for Published {
    type Error = Infallible;

    fn into_response_parts(self, mut parts: ResponseParts) -> Result<ResponseParts, Infallible> {
        if let Some(Reach { version, edges }) = self.0 {
            let headers = parts.headers_mut();
            headers.insert(SNAPSHOT_VERSION, HeaderValue::from(version));
            if let Some(edges) = edges {
                for (name, named) in [
                    (ACKNOWLEDGED, &edges.acknowledged),
                    (LAGGING, &edges.lagging),
                ] {
                    // Names are checked when edges connect.
                    if let Ok(named) = HeaderValue::try_from(names(named)) {
                        headers.insert(name, named);
                    }
                }
            }
        }
        Ok(parts)
    }
}

/// The first of them, and the number of the others: proxies accept heads of some kilobytes.
fn names(edges: &[String]) -> String {
    match edges.split_at_checked(NAMED) {
        Some((first, rest)) if !rest.is_empty() => format!("{},+{}", first.join(","), rest.len()),
        _ => edges.join(","),
    }
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
    fn fifty_edges_are_named_and_the_others_counted() {
        let edges: Vec<_> = (0..400).map(|number| format!("e{number}")).collect();
        assert_eq!(names(&[]), "");
        assert_eq!(names(&edges[..2]), "e0,e1");
        assert_eq!(names(&edges[..NAMED]), edges[..NAMED].join(","));
        assert_eq!(names(&edges), format!("{},+350", edges[..NAMED].join(",")));
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
