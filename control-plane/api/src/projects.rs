//! The endpoints of projects.

use axum::{Json, extract::State, http::StatusCode};
use serving::{
    body::{Body, RawBody},
    error::ApiError,
    page::{Page, Paged},
    params::Path,
};

use crate::http::{AnyRole, Editor, Manager, Published, Routes, endpoints};
use base::{named::ProjectRef, refusal::Guarded};
use domain::{
    lifecycle::removal::Removals,
    projects::{
        change,
        input::{NewProject, ProjectPatch},
        model::Project,
        store,
    },
    roles::keys::{ProjectsCreate, ProjectsDelete, ProjectsRead},
};

pub fn router() -> Routes {
    endpoints![create, list, show, update, delete]
}

/// Creates a project, without environments.
#[utoipa::path(
    post,
    path = "/v1/projects",
    operation_id = "createProject",
    tag = "projects",
    request_body = NewProject,
    responses(
        (status = 201, description = "created", body = Project),
        (status = 402, description = "the plan allows no more projects"),
        (status = 409, description = "the slug is taken"),
    )
)]
async fn create(
    caller: Editor<ProjectsCreate>,
    Body(body): Body<NewProject>,
) -> Result<(StatusCode, Json<Project>), ApiError> {
    let project = body.check(caller.clock.now())?;
    let project = caller
        .write_org(async |org| change::create(org, project).await)
        .await?;
    Ok((StatusCode::CREATED, Json(project)))
}

/// Lists the projects of the organization, or those of the access token.
#[utoipa::path(
    get,
    path = "/v1/projects",
    operation_id = "listProjects",
    tag = "projects",
    params(Page),
    responses((status = 200, description = "in creation order", body = Paged<Project>))
)]
async fn list(caller: AnyRole<ProjectsRead>, page: Page) -> Result<Json<Paged<Project>>, ApiError> {
    let mut conn = caller.db.acquire().await?;
    let named = caller
        .scope()
        .and_then(|scope| scope.project_ids.as_deref());
    Ok(Json(
        store::page(&mut conn, caller.org_id, named, page).await?,
    ))
}

/// Shows a project.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}",
    operation_id = "getProject",
    tag = "projects",
    params(("projectID" = String, Path)),
    responses((status = 200, description = "the project", body = Project), (status = 404, description = "unknown"))
)]
async fn show(
    caller: AnyRole<ProjectsRead>,
    Path(project): Path<ProjectRef>,
) -> Result<Json<Project>, ApiError> {
    let project_id = caller.project_id(&project).await?;
    Ok(Json(caller.project(project_id).await?))
}

/// Changes name and slug, as far as given. Neither is served by edges.
#[utoipa::path(
    put,
    path = "/v1/projects/{projectID}",
    operation_id = "updateProject",
    tag = "projects",
    params(("projectID" = String, Path)),
    request_body = ProjectPatch,
    responses(
        (status = 200, description = "the project now", body = Project),
        (status = 404, description = "unknown"),
        (status = 409, description = "the slug is taken"),
    )
)]
async fn update(
    caller: Editor<ProjectsCreate>,
    Path(project): Path<ProjectRef>,
    body: RawBody,
) -> Result<Json<Project>, ApiError> {
    let project_id = caller.project_id(&project).await?;
    caller.project(project_id).await?;
    let wish = body.parse::<ProjectPatch>().await?.check()?;
    let (_, project) = caller
        .write(project_id, async |project| {
            change::update(project, &wish).await
        })
        .await?;
    Ok(Json(project))
}

/// Deletes a project with its flags, environments, segments, flag states and API keys.
#[utoipa::path(
    delete,
    path = "/v1/projects/{projectID}",
    operation_id = "deleteProject",
    tag = "projects",
    params(("projectID" = String, Path)),
    responses(
        (status = 204, description = "deleted"),
        (status = 403, description = "it has protected environments", body = Guarded),
        (status = 404, description = "unknown"),
    )
)]
async fn delete(
    State(removals): State<Removals>,
    caller: Manager<ProjectsDelete>,
    Path(project): Path<ProjectRef>,
) -> Result<(StatusCode, Published), ApiError> {
    let project_id = caller.project_id(&project).await?;
    let (published, ()) = caller
        .write(project_id, async |project| {
            change::delete_unprotected(project).await
        })
        .await?;
    removals.wake();
    Ok((StatusCode::NO_CONTENT, published))
}
