//! What an access token may be used for at all. A token that is limited to projects reaches only the endpoints that name one: what a
//! path or a body names is compared where it is looked up ([`crate::http::found`]).

use axum::{
    extract::MatchedPath,
    http::{Method, request::Parts},
};

use base::refusal::Refusal;
use domain::access_tokens::scope::Scope;

const READ_ONLY: Refusal = Refusal::Forbidden("the access token is read-only");
const LIMITED: Refusal = Refusal::Forbidden(
    "the access token is limited to projects: this is of the whole organization",
);
const LIMITED_TO_ENVIRONMENTS: Refusal =
    Refusal::Forbidden("the access token is limited to environments: this is of the whole project");

/// They compute, and change nothing.
const EXPLAIN: &str = "/v1/explain";
const EXPLAIN_CHANGE_SET: &str = "/v1/projects/{projectID}/change-sets/{changeSetID}/explain";

pub(super) fn check(parts: &Parts, scope: &Scope) -> Result<(), Refusal> {
    let path = parts.extensions.get::<MatchedPath>();
    let path = path.map_or("", MatchedPath::as_str);
    let is_read = parts.method.is_safe() || matches!(path, EXPLAIN | EXPLAIN_CHANGE_SET);
    if scope.read_only && !is_read {
        return Err(READ_ONLY);
    }
    if scope.is_limited() && !names_a_project(&parts.method, path) {
        return Err(LIMITED);
    }
    if scope.env_ids.is_some() && !is_read && !is_checked_by_environment(path) {
        return Err(LIMITED_TO_ENVIRONMENTS);
    }
    Ok(())
}

/// Whether a project is compared with those of the token, or the answer has only these.
fn names_a_project(method: &Method, path: &str) -> bool {
    let is_filtered = *method == Method::GET && matches!(path, "/v1/me" | "/v1/projects");
    let is_compared = [
        "/v1/projects/{projectID}",
        "/v1/environments/{envID}/",
        "/v1/api-keys/{keyID}",
        "/v1/approvals/{approvalID}",
        EXPLAIN,
    ];
    is_filtered
        || (*method == Method::POST && path == "/v1/approvals")
        || is_compared.iter().any(|prefix| path.starts_with(prefix))
}

/// Whether a write is compared with the environments that it has an effect in.
fn is_checked_by_environment(path: &str) -> bool {
    let of_project = path.strip_prefix("/v1/projects/{projectID}/");
    !path.starts_with("/v1/projects")
        || of_project.is_some_and(|rest| {
            matches!(rest, "bulk" | "content")
                || ["flags", "segments", "environments/{envID}"]
                    .iter()
                    .any(|one| rest.starts_with(one))
        })
}
