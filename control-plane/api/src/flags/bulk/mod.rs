//! The endpoint that changes many flags: each as a request of its own would, in a transaction of its own.

mod edit;
mod input;

use std::sync::Arc;

use axum::{Json, extract::State};
use serde::Serialize;
use serving::{body::RawBody, error::ApiError, params::Path};
use utoipa::ToSchema;

use self::{edit::Edit, input::Bulk};
use crate::http::{Editor, Published, Routes, endpoints, rates::Rates};
use base::named::ProjectRef;
use domain::{roles::keys::FlagsBulk, version::Change};

pub fn router() -> Routes {
    endpoints![bulk]
}

/// What became of each flag.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FlagBulkResults)]
struct Results {
    /// In the order of the keys.
    results: Vec<BulkResult>,
}

/// What became of a flag.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FlagBulkResult)]
struct BulkResult {
    /// The key that was given.
    key: String,
    /// The status of the same change by a request of its own: 200 or 204 if it was made.
    status: u16,
    /// Why it was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// What is the flag's or the state's `ETag` now.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<i64>,
    /// What `X-Warnings` would say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    warnings: Vec<String>,
}

/// Changes up to 100 flags. Each change is one of its own, with the checks, warnings and events of the single request, and counts
/// against the rate like it; where the rate does not allow all, none is made. Some may be refused while others are made. After a
/// fault of the service the rest is left as it is. `enable` and `disable` switch the flags in `env_id`; `promote` copies their states
/// from `env_id` to `target_env_id`; `tag` and `untag` add and remove `tag`; `archive` and `restore` take no other field.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectID}/bulk",
    operation_id = "editFlags",
    tag = "flags",
    params(("projectID" = String, Path)),
    request_body = Bulk,
    responses(
        (status = 200, description = "what became of each flag", body = Results),
        (status = 404, description = "unknown project or environment"),
    )
)]
async fn bulk(
    caller: Editor<FlagsBulk>,
    State(rates): State<Arc<Rates>>,
    Path(project): Path<ProjectRef>,
    body: RawBody,
) -> Result<(Published, Json<Results>), ApiError> {
    let project_id = caller.project_id(&project).await?;
    caller.project(project_id).await?;
    let (keys, wanted) = body.parse::<Bulk>().await?.check()?;
    caller.require(wanted.needs())?;
    let edit = Edit::new(&caller, project_id, wanted).await?;
    let _place = caller.bulk_edits.enter(caller.org_id).await?;
    let _permit = caller.may_wait().await?;
    let more = u32::try_from(keys.len().saturating_sub(1)).unwrap_or(u32::MAX);
    let decision = rates.management.check_more(&caller.org_id, more);
    if let Some(wait) = decision.and_then(|decision| decision.retry_after) {
        return Err(ApiError::too_many("rate limit exceeded", wait));
    }
    let mut results = Vec::with_capacity(keys.len());
    let mut last: Option<Change> = None;
    let mut keys = keys.into_iter();
    while let Some(key) = keys.next() {
        let (result, change) = match edit.apply(&key).await {
            Ok(done) => {
                let result = BulkResult {
                    key,
                    status: done.status.as_u16(),
                    error: None,
                    version: done.version,
                    warnings: done.warnings,
                };
                (result, done.change)
            }
            Err(fault) if fault.status().is_server_error() => {
                if results.is_empty() {
                    return Err(fault);
                }
                tracing::error!(error = ?fault, "a bulk edit stopped");
                // Each further flag would wait for the same.
                results.push(refused(key, &fault));
                results.extend(keys.by_ref().map(|key| refused(key, &fault)));
                break;
            }
            Err(refusal) => (refused(key, &refusal), None),
        };
        results.push(result);
        let version = |change: &Option<Change>| change.as_ref().map(|change| change.version);
        if version(&change) > version(&last) {
            last = change;
        }
    }
    let published = caller.published(last).await;
    Ok((published, Json(Results { results })))
}

fn refused(key: String, refusal: &ApiError) -> BulkResult {
    BulkResult {
        key,
        status: refusal.status().as_u16(),
        error: Some(refusal.message().to_owned()),
        version: None,
        warnings: Vec::new(),
    }
}
