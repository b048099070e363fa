//! The endpoints of grants.

use axum::{Json, http::StatusCode};
use serde::{Deserialize, Serialize};
use serving::{
    body::RawBody,
    error::ApiError,
    params::{Path, Query},
};
use utoipa::ToSchema;

use crate::http::{Access, AnyRole, IfMatch, Manager, Routes, Tagged, endpoints};
use base::{
    ids::{GrantId, ProjectId},
    named::{EnvRef, ProjectRef},
    refusal::{Missing, Refusal},
};
use domain::{
    grants::{
        change,
        input::{GrantInput, GrantWish, unknown_zone},
        model::ShownGrant,
        store::{self, Sought},
    },
    roles::keys::{ApprovalsRead, ApprovalsReview},
};

pub(crate) fn router() -> Routes {
    endpoints![create, list, show, update, delete]
}

#[derive(Serialize, ToSchema)]
#[schema(as = GrantList)]
struct Grants {
    data: Vec<ShownGrant>,
}

#[derive(Debug, Deserialize)]
struct Filter {
    env_id: Option<String>,
    mine: Option<bool>,
}

/// Gives a grant: what its holder may change in a protected environment without approval. Persons who may approve changes give
/// grants, and not to themselves.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectID}/grants",
    operation_id = "createGrant",
    tag = "approvals",
    params(("projectID" = String, Path)),
    request_body = GrantInput,
    responses(
        (status = 201, description = "given", body = ShownGrant),
        (status = 400, description = "something breaks a rule, or the organization has 200 grants already"),
        (status = 404, description = "unknown project, environment or holder"),
    )
)]
async fn create(
    caller: Manager<ApprovalsReview>,
    Path(project): Path<ProjectRef>,
    body: RawBody,
) -> Result<(StatusCode, Tagged<ShownGrant>), ApiError> {
    let project_id = caller.project_id(&project).await?;
    caller.project(project_id).await?;
    let wish = checked(&caller, body).await?;
    let (_, grant) = caller
        .write(project_id, async |project| {
            change::create(project, wish, &caller).await
        })
        .await?;
    Ok((StatusCode::CREATED, Tagged(grant)))
}

/// Lists the grants of a project, with what is left of them.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/grants",
    operation_id = "listGrants",
    tag = "approvals",
    params(
        ("projectID" = String, Path),
        ("env_id" = Option<String>, Query, description = "the id or the slug of an environment; all when absent or empty"),
        ("mine" = Option<bool>, Query, description = "whether to list only those that the caller can use; `false` when absent"),
    ),
    responses(
        (status = 200, description = "in creation order", body = Grants),
        (status = 404, description = "unknown project or environment"),
    )
)]
async fn list(
    caller: AnyRole<ApprovalsRead>,
    Path(project): Path<ProjectRef>,
    Query(filter): Query<Filter>,
) -> Result<Json<Grants>, ApiError> {
    let project_id = caller.project_id(&project).await?;
    caller.project(project_id).await?;
    let named = EnvRef::given(filter.env_id.as_deref());
    let env_id = caller.filtered_env(project_id, named).await?;
    let sought = Sought {
        id: None,
        env_id,
        of: filter.mine.unwrap_or(false).then_some(&caller),
    };
    let now = caller.clock.now();
    let mut conn = caller.db.acquire().await?;
    let found = store::list(&mut conn, caller.org_id, project_id, sought, now).await?;
    let within = found
        .into_iter()
        .filter(|one| caller.has_env(one.grant.env_id));
    let data = within.map(|one| one.shown(now)).collect();
    Ok(Json(Grants { data }))
}

/// Shows a grant, with what is left of it.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/grants/{grantID}",
    operation_id = "getGrant",
    tag = "approvals",
    params(("projectID" = String, Path), ("grantID" = GrantId, Path)),
    responses(
        (status = 200, description = "the grant", body = ShownGrant),
        (status = 404, description = "unknown"),
    )
)]
async fn show(
    caller: AnyRole<ApprovalsRead>,
    Path((project, id)): Path<(ProjectRef, GrantId)>,
) -> Result<Tagged<ShownGrant>, ApiError> {
    let (_, grant) = find(&caller, &project, id).await?;
    Ok(Tagged(grant))
}

/// Replaces a grant. What was used of it stays used. Whoever replaces it has given it from then on.
#[utoipa::path(
    put,
    path = "/v1/projects/{projectID}/grants/{grantID}",
    operation_id = "updateGrant",
    tag = "approvals",
    params(("projectID" = String, Path), ("grantID" = GrantId, Path)),
    request_body = GrantInput,
    responses(
        (status = 200, description = "the grant now", body = ShownGrant),
        (status = 404, description = "unknown project, grant, environment or holder"),
    )
)]
async fn update(
    caller: Manager<ApprovalsReview>,
    Path((project, id)): Path<(ProjectRef, GrantId)>,
    if_match: IfMatch,
    body: RawBody,
) -> Result<Tagged<ShownGrant>, ApiError> {
    let (project_id, _) = find(&caller, &project, id).await?;
    let expected = if_match.read()?;
    let wish = checked(&caller, body).await?;
    let (_, grant) = caller
        .write(project_id, async |project| {
            change::update(project, id, wish, &caller, &expected).await
        })
        .await?;
    Ok(Tagged(grant))
}

/// Withdraws a grant. Its holder needs approval from then on.
#[utoipa::path(
    delete,
    path = "/v1/projects/{projectID}/grants/{grantID}",
    operation_id = "deleteGrant",
    tag = "approvals",
    params(("projectID" = String, Path), ("grantID" = GrantId, Path)),
    responses(
        (status = 204, description = "withdrawn"),
        (status = 404, description = "unknown"),
    )
)]
async fn delete(
    caller: Manager<ApprovalsReview>,
    Path((project, id)): Path<(ProjectRef, GrantId)>,
    if_match: IfMatch,
) -> Result<StatusCode, ApiError> {
    let (project_id, _) = find(&caller, &project, id).await?;
    let expected = if_match.read()?;
    caller
        .write(project_id, async |project| {
            change::delete(project, id, &caller, &expected).await
        })
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn find(
    caller: &Access,
    project: &ProjectRef,
    id: GrantId,
) -> Result<(ProjectId, ShownGrant), Refusal> {
    let project_id = caller.project_id(project).await?;
    let now = caller.clock.now();
    let mut conn = caller.db.acquire().await?;
    let found = store::find(&mut conn, caller.org_id, project_id, id, now).await?;
    let found = found.ok_or(Missing::Grant)?;
    caller.check_env(found.grant.env_id)?;
    Ok((project_id, found.shown(now)))
}

/// The body, with a time zone that the database knows: all of its zones are read for that, before anything is locked.
async fn checked(caller: &Access, body: RawBody) -> Result<GrantWish, ApiError> {
    let wish = body.parse::<GrantInput>().await?.check()?;
    if let Some(hours) = &wish.hours {
        let mut conn = caller.db.acquire().await?;
        if !store::knows_zone(&mut conn, &hours.time_zone).await? {
            return Err(unknown_zone().into());
        }
    }
    Ok(wish)
}
