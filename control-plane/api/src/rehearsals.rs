//! The endpoints of rehearsals of an outage.

use axum::{Json, http::StatusCode};
use serving::{
    body::RawBody,
    error::ApiError,
    page::{Page, Paged},
    params::Path,
};

use crate::http::{AnyRole, Manager, Routes, endpoints};
use base::named::{EnvRef, ProjectRef};
use domain::{
    rehearsals::{change, input::Begin, model::Rehearsal, store},
    roles::keys::{ApiKeysRead, RehearsalsRun},
};

pub fn router() -> Routes {
    endpoints![begin, list, stop]
}

/// Rehearses an outage: for a minute at most, edges fail the answers to an API key on purpose, by 503 or by silence; its streams end.
/// Edges end it by their own clocks, whatever becomes of their links. An organization rehearses one at a time.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectID}/environments/{envID}/rehearsals",
    operation_id = "beginRehearsal",
    tag = "rehearsals",
    params(("projectID" = String, Path), ("envID" = String, Path)),
    request_body = Begin,
    responses(
        (status = 201, description = "it begins; edges know within about a second", body = Rehearsal),
        (status = 404, description = "unknown environment, or no usable key of it"),
        (status = 409, description = "another one goes on"),
    )
)]
async fn begin(
    caller: Manager<RehearsalsRun>,
    Path((project, env)): Path<(ProjectRef, EnvRef)>,
    body: RawBody,
) -> Result<(StatusCode, Json<Rehearsal>), ApiError> {
    let (project_id, env_id) = caller.ids(&project, &env).await?;
    caller.environment(project_id, env_id).await?;
    let new = body.parse::<Begin>().await?.check()?;
    let who = caller.user_id;
    let begun = caller
        .write_org(async |org| change::begin(org, (project_id, env_id), new, who).await)
        .await?;
    caller.publisher.rehearsals_changed();
    Ok((StatusCode::CREATED, Json(begun)))
}

/// Lists the rehearsals of an environment; an organization keeps the last hundred.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/environments/{envID}/rehearsals",
    operation_id = "listRehearsals",
    tag = "rehearsals",
    params(("projectID" = String, Path), ("envID" = String, Path), Page),
    responses(
        (status = 200, description = "the last one first", body = Paged<Rehearsal>),
        (status = 404, description = "unknown environment"),
    )
)]
async fn list(
    caller: AnyRole<ApiKeysRead>,
    Path((project, env)): Path<(ProjectRef, EnvRef)>,
    page: Page,
) -> Result<Json<Paged<Rehearsal>>, ApiError> {
    let (project_id, env_id) = caller.ids(&project, &env).await?;
    caller.environment(project_id, env_id).await?;
    let mut conn = caller.db.acquire().await?;
    let listed = store::page(&mut conn, caller.org_id, env_id, page).await?;
    Ok(Json(listed))
}

/// Stops the rehearsal that goes on in an environment.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectID}/environments/{envID}/rehearsals/stop",
    operation_id = "stopRehearsal",
    tag = "rehearsals",
    params(("projectID" = String, Path), ("envID" = String, Path)),
    responses(
        (status = 200, description = "it ends; edges know within about a second", body = Rehearsal),
        (status = 404, description = "unknown environment, or none goes on in it"),
    )
)]
async fn stop(
    caller: Manager<RehearsalsRun>,
    Path((project, env)): Path<(ProjectRef, EnvRef)>,
) -> Result<Json<Rehearsal>, ApiError> {
    let (project_id, env_id) = caller.ids(&project, &env).await?;
    caller.environment(project_id, env_id).await?;
    let stopped = caller
        .write_org(async |org| change::stop(org, (project_id, env_id)).await)
        .await?;
    caller.publisher.rehearsals_changed();
    Ok(Json(stopped))
}
