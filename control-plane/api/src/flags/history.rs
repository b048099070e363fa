//! The endpoints of a flag's history: list, show, roll back.

use axum::Json;
use serde::Deserialize;
use serving::{
    body::RawBody,
    error::ApiError,
    page::{Page, Paged},
    params::{Path, Query},
};
use utoipa::ToSchema;

use crate::http::{
    Access, AnyRole, DryRunQuery, Editor, IfMatch, Outcome, Published, Routes, Tagged, Warned,
    endpoints,
};
use base::{
    blocking::blocking,
    ids::{FlagId, ProjectId},
    input::{Invalid, Key, all_given, has_text, required},
    named::{EnvRef, ProjectRef},
    refusal::{Guarded, Missing},
};
use domain::{
    flags::{
        change::{self, Authority, Place, Restoration},
        history::{
            look::Kept,
            model::{ShownVersion, VersionItem},
            store,
        },
        states::model::FlagState,
    },
    roles::keys::{FlagsRead, FlagsToggleOrEditRules},
    unit::Draft,
};

pub fn router() -> Routes {
    endpoints![list, show, rollback]
}

#[derive(Debug, Deserialize)]
struct Filter {
    env_id: Option<String>,
}

/// A flag in an environment of the project.
async fn place(
    caller: &Access,
    project_id: ProjectId,
    flag_id: FlagId,
    env_id: &str,
) -> Result<Place, ApiError> {
    let env_id = caller.env_id(project_id, &EnvRef::parse(env_id)).await?;
    caller.environment(project_id, env_id).await?;
    Ok(Place { flag_id, env_id })
}

/// Lists the versions of a flag, also of one that was deleted. With an environment, those of its state there and of the flag's own
/// fields. A change without effect makes no version.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/flags/{flagKey}/history",
    operation_id = "listFlagHistory",
    tag = "flags",
    params(
        ("projectID" = String, Path),
        ("flagKey" = String, Path),
        ("env_id" = Option<String>, Query, description = "by id or slug; all environments when absent or empty"),
        Page,
    ),
    responses(
        (status = 200, description = "the newest first", body = Paged<VersionItem>),
        (status = 404, description = "unknown"),
    )
)]
async fn list(
    caller: AnyRole<FlagsRead>,
    Path((project, key)): Path<(ProjectRef, Key)>,
    Query(filter): Query<Filter>,
    page: Page,
) -> Result<Json<Paged<VersionItem>>, ApiError> {
    let project_id = caller.project_id(&project).await?;
    let flag_id = caller.flag_of_history(project_id, &key).await?;
    let env_id = match filter.env_id.filter(|text| !text.is_empty()) {
        Some(text) => Some(place(&caller, project_id, flag_id, &text).await?.env_id),
        None => None,
    };
    let mut conn = caller.db.acquire().await?;
    let listed = store::page(&mut conn, caller.org_id, flag_id, env_id, page).await?;
    Ok(Json(listed))
}

/// Shows a flag and its state in an environment at a version.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/flags/{flagKey}/history/{version}",
    operation_id = "getFlagVersion",
    tag = "flags",
    params(
        ("projectID" = String, Path),
        ("flagKey" = String, Path),
        ("version" = i64, Path),
        ("env_id" = String, Query, description = "Required: an id or a slug."),
    ),
    responses(
        (status = 200, description = "the flag and its state", body = ShownVersion),
        (status = 404, description = "unknown, of another environment, or no longer kept"),
    )
)]
async fn show(
    caller: AnyRole<FlagsRead>,
    Path((project, key, version)): Path<(ProjectRef, Key, i64)>,
    Query(filter): Query<Filter>,
) -> Result<Json<ShownVersion>, ApiError> {
    let project_id = caller.project_id(&project).await?;
    let flag_id = caller.flag_of_history(project_id, &key).await?;
    let env_id = required("env_id", filter.env_id)?;
    let place = place(&caller, project_id, flag_id, &env_id).await?;
    let Kept { flag, state } = caller.kept(project_id, place, version).await?;
    Ok(Json(ShownVersion {
        version,
        flag,
        state,
    }))
}

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = FlagRollback)]
struct Rollback {
    /// Required: an id or a slug.
    #[schema(value_type = String)]
    env_id: Option<String>,
    /// Required: a version of the flag's history.
    #[schema(value_type = i64)]
    version: Option<i64>,
}

/// Restores a state to that of a version, without due times that have passed. Requires the permissions that changing the differing
/// fields requires.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectID}/flags/{flagKey}/rollback",
    operation_id = "rollBackFlag",
    tag = "flags",
    params(("projectID" = String, Path), ("flagKey" = String, Path)),
    request_body = Rollback,
    responses(
        (status = 200, description = "the state now", body = FlagState),
        (status = 403, description = "the environment is protected: `approval_required`", body = Guarded),
        (status = 404, description = "unknown, no longer kept, or without a state at that version"),
        (status = 409, description = "the flag is archived"),
    )
)]
async fn rollback(
    caller: Editor<FlagsToggleOrEditRules>,
    Path((project, key)): Path<(ProjectRef, Key)>,
    if_match: IfMatch,
    dry_run: DryRunQuery,
    body: RawBody,
) -> Result<Outcome<(Published, Warned, Tagged<FlagState>)>, ApiError> {
    let project_id = caller.project_id(&project).await?;
    let flag_id = caller.flag(project_id, &key).await?.id;
    let expected = if_match.read()?;
    let is_dry_run = dry_run.read()?;
    let body: Rollback = body.parse().await?;
    all_given([
        ("env_id", has_text(&body.env_id)),
        ("version", body.version.is_some()),
    ])?;
    let env_id = required("env_id", body.env_id)?;
    let version = body
        .version
        .ok_or_else(|| Invalid::new("version is required"))?;
    let place = place(&caller, project_id, flag_id, &env_id).await?;
    let kept = caller.kept(project_id, place, version).await?;
    let kept = kept.state.ok_or(Missing::StateOfVersion)?;
    let located = caller.located(project_id, &key, place.env_id).await?;
    let now = caller.clock.now();
    let restoration = Restoration { version, kept, now };
    let draft = blocking(move || Draft::new(restoration, located.state)).await;
    let authority = Authority::Member(&caller);
    let outcome = caller
        .write_or_try(is_dry_run, project_id, async |project| {
            change::roll_back(project, place, draft, authority, &expected).await
        })
        .await?;
    Ok(outcome
        .map(|(published, (restored, warnings))| (published, Warned(warnings), Tagged(restored))))
}
