//! The endpoints of environments.

use axum::{Json, extract::State, http::StatusCode};
use serving::{
    body::RawBody,
    error::ApiError,
    page::{Page, Paged},
    params::Path,
};
use utoipa_axum::router::OpenApiRouter;

use super::{
    input::{EnvironmentPatch, NewEnvironment},
    model::{Environment, MAX_ENVIRONMENTS},
    store::{self, Doomed},
};
use crate::{
    audit::{self, model::Entry},
    http::{
        access::{AnyRole, Editor, Manager},
        endpoints,
        published::Published,
        refusals::{env_not_found, project_not_found},
    },
    ids::{EnvId, ProjectId},
    orgs, projects,
    publish::version::{self, Growth, Scope},
    roles::keys::{EnvironmentsCreate, EnvironmentsDelete, EnvironmentsRead},
    state::AppState,
};

pub fn router() -> OpenApiRouter<AppState> {
    endpoints![create, list, show, update, delete]
}

/// Creates an environment: no flag has a state in it yet.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectID}/environments",
    tag = "environments",
    params(("projectID" = ProjectId, Path)),
    request_body = NewEnvironment,
    responses(
        (status = 201, description = "created", body = Environment),
        (status = 402, description = "the plan allows no more environments in a project"),
        (status = 404, description = "unknown project"),
        (status = 409, description = "the slug is taken"),
    )
)]
async fn create(
    State(state): State<AppState>,
    caller: Editor<EnvironmentsCreate>,
    Path(project_id): Path<ProjectId>,
    body: RawBody,
) -> Result<(StatusCode, Published, Json<Environment>), ApiError> {
    let mut tx = state.db.begin().await?;
    projects::store::lock(&mut tx, caller.org_id, project_id)
        .await?
        .ok_or_else(project_not_found)?;
    let now = state.clock.now();
    let env = body.parse::<NewEnvironment>()?.check(now)?;

    // The lock on the project makes the count hold until commit.
    let existing = store::count(&mut tx, caller.org_id, project_id).await?;
    if existing >= MAX_ENVIRONMENTS {
        return Err(ApiError::bad_request(format!(
            "a project has at most {MAX_ENVIRONMENTS} environments"
        )));
    }
    let org = orgs::store::lock(&mut tx, caller.org_id).await?;
    if org
        .limits_at(now)
        .environments
        .is_some_and(|limit| existing >= limit)
    {
        return Err(ApiError::payment_required(
            "plan limit reached: environments",
        ));
    }

    store::insert(&mut tx, caller.org_id, project_id, &env).await?;
    let change = version::draw(
        &mut tx,
        caller.org_id,
        project_id,
        Scope::Environment(env.id),
        Growth::default(),
    )
    .await?;
    let entry = Entry::new(caller.org_id, caller.actor(), "environment.created")
        .on(env.id)
        .in_project(project_id);
    audit::store::record(&mut tx, entry.after(&env), now).await?;
    tx.commit().await?;

    let published = state.published(caller.wait, &change).await;
    Ok((StatusCode::CREATED, published, Json(env)))
}

/// Lists the environments of a project.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/environments",
    tag = "environments",
    params(("projectID" = ProjectId, Path), Page),
    responses(
        (status = 200, description = "in creation order", body = Paged<Environment>),
        (status = 404, description = "unknown project"),
    )
)]
async fn list(
    State(state): State<AppState>,
    caller: AnyRole<EnvironmentsRead>,
    Path(project_id): Path<ProjectId>,
    page: Page,
) -> Result<Json<Paged<Environment>>, ApiError> {
    let mut conn = state.db.acquire().await?;
    projects::store::find(&mut conn, caller.org_id, project_id)
        .await?
        .ok_or_else(project_not_found)?;
    let environments = store::list(&mut conn, caller.org_id, project_id, page).await?;
    let total = store::count(&mut conn, caller.org_id, project_id).await?;
    Ok(Json(Paged::new(environments, total, page)))
}

/// Shows an environment.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/environments/{envID}",
    tag = "environments",
    params(("projectID" = ProjectId, Path), ("envID" = EnvId, Path)),
    responses(
        (status = 200, description = "the environment", body = Environment),
        (status = 404, description = "unknown"),
    )
)]
async fn show(
    State(state): State<AppState>,
    caller: AnyRole<EnvironmentsRead>,
    Path((project_id, env_id)): Path<(ProjectId, EnvId)>,
) -> Result<Json<Environment>, ApiError> {
    let mut conn = state.db.acquire().await?;
    store::find(&mut conn, caller.org_id, project_id, env_id)
        .await?
        .map(Json)
        .ok_or_else(env_not_found)
}

/// Changes name, slug and colour, as far as given. A new slug moves the evaluation paths at once.
#[utoipa::path(
    put,
    path = "/v1/projects/{projectID}/environments/{envID}",
    tag = "environments",
    params(("projectID" = ProjectId, Path), ("envID" = EnvId, Path)),
    request_body = EnvironmentPatch,
    responses(
        (status = 200, description = "the environment now", body = Environment),
        (status = 404, description = "unknown"),
        (status = 409, description = "the slug is taken"),
    )
)]
async fn update(
    State(state): State<AppState>,
    caller: Editor<EnvironmentsCreate>,
    Path((project_id, env_id)): Path<(ProjectId, EnvId)>,
    body: RawBody,
) -> Result<(Option<Published>, Json<Environment>), ApiError> {
    let mut tx = state.db.begin().await?;
    projects::store::lock(&mut tx, caller.org_id, project_id)
        .await?
        .ok_or_else(env_not_found)?;
    let now = state.clock.now();
    let before = store::find(&mut tx, caller.org_id, project_id, env_id)
        .await?
        .ok_or_else(env_not_found)?;
    let env = body.parse::<EnvironmentPatch>()?.apply(&before)?;

    store::update(&mut tx, caller.org_id, &env, now).await?;
    // Of an environment's own fields edges are told the slug alone.
    let change = if env.slug == before.slug {
        None
    } else {
        Some(
            version::draw(
                &mut tx,
                caller.org_id,
                project_id,
                Scope::Environment(env_id),
                Growth::default(),
            )
            .await?,
        )
    };
    let entry = Entry::new(caller.org_id, caller.actor(), "environment.updated")
        .on(env_id)
        .in_project(project_id);
    audit::store::record(&mut tx, entry.before(&before).after(&env), now).await?;
    tx.commit().await?;

    let published = match &change {
        Some(change) => Some(state.published(caller.wait, change).await),
        None => None,
    };
    Ok((published, Json(env)))
}

/// Deletes an environment with its flag states and API keys; its streams end.
#[utoipa::path(
    delete,
    path = "/v1/projects/{projectID}/environments/{envID}",
    tag = "environments",
    params(("projectID" = ProjectId, Path), ("envID" = EnvId, Path)),
    responses((status = 204, description = "deleted"), (status = 404, description = "unknown"))
)]
async fn delete(
    State(state): State<AppState>,
    caller: Manager<EnvironmentsDelete>,
    Path((project_id, env_id)): Path<(ProjectId, EnvId)>,
) -> Result<(StatusCode, Published), ApiError> {
    let mut tx = state.db.begin().await?;
    projects::store::lock(&mut tx, caller.org_id, project_id)
        .await?
        .ok_or_else(env_not_found)?;
    let now = state.clock.now();
    let env = store::find(&mut tx, caller.org_id, project_id, env_id)
        .await?
        .ok_or_else(env_not_found)?;

    let change = version::draw(
        &mut tx,
        caller.org_id,
        project_id,
        Scope::Environment(env_id),
        Growth::default(),
    )
    .await?;
    store::delete(&mut tx, caller.org_id, project_id, Doomed::One(env_id), now).await?;
    let entry = Entry::new(caller.org_id, caller.actor(), "environment.deleted")
        .on(env_id)
        .in_project(project_id);
    audit::store::record(&mut tx, entry.before(&env), now).await?;
    tx.commit().await?;

    let published = state.published(caller.wait, &change).await;
    Ok((StatusCode::NO_CONTENT, published))
}

impl From<store::WriteError> for ApiError {
    fn from(error: store::WriteError) -> Self {
        match error {
            store::WriteError::SlugTaken => Self::conflict("environment slug already exists"),
            store::WriteError::Database(source) => source.into(),
        }
    }
}
