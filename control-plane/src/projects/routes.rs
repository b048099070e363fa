//! The endpoints of projects.

use axum::{Json, extract::State, http::StatusCode};
use serving::{
    body::{Body, RawBody},
    error::ApiError,
    page::{Page, Paged},
    params::Path,
};
use utoipa_axum::router::OpenApiRouter;

use super::{
    input::{NewProject, ProjectPatch},
    model::{MAX_PROJECTS, Project},
    store,
};
use crate::{
    audit::{self, model::Entry},
    environments::{self, store::Doomed},
    http::{
        access::{AnyRole, Editor, Manager},
        endpoints,
        published::Published,
        refusals::project_not_found,
    },
    ids::ProjectId,
    orgs,
    publish::version::{self, Growth, Scope},
    roles::keys::{ProjectsCreate, ProjectsDelete, ProjectsRead},
    state::AppState,
};

pub fn router() -> OpenApiRouter<AppState> {
    endpoints![create, list, show, update, delete]
}

/// Creates a project, without environments.
#[utoipa::path(
    post,
    path = "/v1/projects",
    tag = "projects",
    request_body = NewProject,
    responses(
        (status = 201, description = "created", body = Project),
        (status = 402, description = "the plan allows no more projects"),
        (status = 409, description = "the slug is taken"),
    )
)]
async fn create(
    State(state): State<AppState>,
    caller: Editor<ProjectsCreate>,
    Body(body): Body<NewProject>,
) -> Result<(StatusCode, Json<Project>), ApiError> {
    let now = state.clock.now();
    let project = body.check(now)?;

    let mut tx = state.db.begin().await?;
    // The lock on the organization makes the count hold until commit.
    let org = orgs::store::lock(&mut tx, caller.org_id).await?;
    let existing = store::count(&mut tx, caller.org_id).await?;
    if existing >= MAX_PROJECTS {
        return Err(ApiError::bad_request(format!(
            "an organization has at most {MAX_PROJECTS} projects"
        )));
    }
    if org
        .limits_at(now)
        .projects
        .is_some_and(|limit| existing >= limit)
    {
        return Err(ApiError::payment_required("plan limit reached: projects"));
    }
    store::insert(&mut tx, caller.org_id, &project).await?;
    let entry = Entry::new(caller.org_id, caller.actor(), "project.created")
        .on(project.id)
        .in_project(project.id);
    audit::store::record(&mut tx, entry.after(&project), now).await?;
    tx.commit().await?;

    Ok((StatusCode::CREATED, Json(project)))
}

/// Lists the projects of the organization.
#[utoipa::path(
    get,
    path = "/v1/projects",
    tag = "projects",
    params(Page),
    responses((status = 200, description = "in creation order", body = Paged<Project>))
)]
async fn list(
    State(state): State<AppState>,
    caller: AnyRole<ProjectsRead>,
    page: Page,
) -> Result<Json<Paged<Project>>, ApiError> {
    let mut conn = state.db.acquire().await?;
    let projects = store::list(&mut conn, caller.org_id, page).await?;
    let total = store::count(&mut conn, caller.org_id).await?;
    Ok(Json(Paged::new(projects, total, page)))
}

/// Shows a project.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}",
    tag = "projects",
    params(("projectID" = ProjectId, Path)),
    responses((status = 200, description = "the project", body = Project), (status = 404, description = "unknown"))
)]
async fn show(
    State(state): State<AppState>,
    caller: AnyRole<ProjectsRead>,
    Path(project_id): Path<ProjectId>,
) -> Result<Json<Project>, ApiError> {
    let mut conn = state.db.acquire().await?;
    store::find(&mut conn, caller.org_id, project_id)
        .await?
        .map(Json)
        .ok_or_else(project_not_found)
}

/// Changes name and slug, as far as given. Neither is served by edges.
#[utoipa::path(
    put,
    path = "/v1/projects/{projectID}",
    tag = "projects",
    params(("projectID" = ProjectId, Path)),
    request_body = ProjectPatch,
    responses(
        (status = 200, description = "the project now", body = Project),
        (status = 404, description = "unknown"),
        (status = 409, description = "the slug is taken"),
    )
)]
async fn update(
    State(state): State<AppState>,
    caller: Editor<ProjectsCreate>,
    Path(project_id): Path<ProjectId>,
    body: RawBody,
) -> Result<Json<Project>, ApiError> {
    let mut tx = state.db.begin().await?;
    let before = store::lock(&mut tx, caller.org_id, project_id)
        .await?
        .ok_or_else(project_not_found)?;
    let now = state.clock.now();
    let project = body.parse::<ProjectPatch>()?.apply(&before, now)?;

    store::update(&mut tx, caller.org_id, &project).await?;
    let entry = Entry::new(caller.org_id, caller.actor(), "project.updated")
        .on(project.id)
        .in_project(project.id);
    audit::store::record(&mut tx, entry.before(&before).after(&project), now).await?;
    tx.commit().await?;

    Ok(Json(project))
}

/// Deletes a project with its flags, environments, segments, flag states and API keys.
#[utoipa::path(
    delete,
    path = "/v1/projects/{projectID}",
    tag = "projects",
    params(("projectID" = ProjectId, Path)),
    responses((status = 204, description = "deleted"), (status = 404, description = "unknown"))
)]
async fn delete(
    State(state): State<AppState>,
    caller: Manager<ProjectsDelete>,
    Path(project_id): Path<ProjectId>,
) -> Result<(StatusCode, Published), ApiError> {
    let mut tx = state.db.begin().await?;
    let project = store::lock(&mut tx, caller.org_id, project_id)
        .await?
        .ok_or_else(project_not_found)?;
    let now = state.clock.now();

    let change = version::draw(
        &mut tx,
        caller.org_id,
        project_id,
        Scope::Project,
        Growth::default(),
    )
    .await?;
    environments::store::delete(&mut tx, caller.org_id, project_id, Doomed::All, now).await?;
    store::delete(&mut tx, caller.org_id, project_id).await?;
    let entry = Entry::new(caller.org_id, caller.actor(), "project.deleted")
        .on(project_id)
        .in_project(project_id);
    audit::store::record(&mut tx, entry.before(&project), now).await?;
    tx.commit().await?;

    let published = state.published(caller.wait, &change).await;
    Ok((StatusCode::NO_CONTENT, published))
}

impl From<store::WriteError> for ApiError {
    fn from(error: store::WriteError) -> Self {
        match error {
            store::WriteError::SlugTaken => Self::conflict("project slug already exists"),
            store::WriteError::Database(source) => source.into(),
        }
    }
}
