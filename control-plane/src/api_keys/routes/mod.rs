//! The endpoints of API keys. Creation and list answer under the environment's own path and under the project's.

mod create;
mod rotate;

use axum::{Json, extract::State, http::StatusCode};
use serving::{
    error::ApiError,
    page::{Page, Paged},
    params::Path,
};
use utoipa_axum::router::OpenApiRouter;

use super::{
    issue::{IssueError, LockedKey},
    model::ApiKey,
    store,
};
use crate::{
    environments,
    http::{
        access::{AnyRole, Manager},
        endpoints,
        published::Published,
        refusals::env_not_found,
    },
    ids::{ApiKeyId, EnvId, ProjectId},
    input::Invalid,
    members::caller::Caller,
    roles::keys::{ApiKeysManage, ApiKeysRead},
    state::AppState,
};

pub fn router() -> OpenApiRouter<AppState> {
    endpoints![
        create::create,
        list,
        create::create_in_project,
        list_in_project,
        revoke,
        rotate::rotate
    ]
}

/// Lists the API keys of an environment, revoked ones included.
#[utoipa::path(
    get,
    path = "/v1/environments/{envID}/api-keys",
    tag = "api keys",
    params(("envID" = EnvId, Path), Page),
    responses(
        (status = 200, description = "in creation order", body = Paged<ApiKey>),
        (status = 404, description = "unknown environment"),
    )
)]
async fn list(
    State(state): State<AppState>,
    caller: AnyRole<ApiKeysRead>,
    Path(env_id): Path<EnvId>,
    page: Page,
) -> Result<Json<Paged<ApiKey>>, ApiError> {
    page_of_keys(&state, &caller, None, env_id, page).await
}

/// Lists the API keys of an environment, named with its project.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/environments/{envID}/api-keys",
    tag = "api keys",
    params(("projectID" = ProjectId, Path), ("envID" = EnvId, Path), Page),
    responses(
        (status = 200, description = "in creation order", body = Paged<ApiKey>),
        (status = 404, description = "unknown environment"),
    )
)]
async fn list_in_project(
    State(state): State<AppState>,
    caller: AnyRole<ApiKeysRead>,
    Path((project_id, env_id)): Path<(ProjectId, EnvId)>,
    page: Page,
) -> Result<Json<Paged<ApiKey>>, ApiError> {
    page_of_keys(&state, &caller, Some(project_id), env_id, page).await
}

async fn page_of_keys(
    state: &AppState,
    caller: &Caller,
    project_id: Option<ProjectId>,
    env_id: EnvId,
    page: Page,
) -> Result<Json<Paged<ApiKey>>, ApiError> {
    let mut conn = state.db.acquire().await?;
    let found = environments::store::find_project(&mut conn, caller.org_id, env_id)
        .await?
        .ok_or_else(env_not_found)?;
    if project_id.is_some_and(|project_id| project_id != found) {
        return Err(env_not_found());
    }
    let keys = store::list(&mut conn, caller.org_id, env_id, page).await?;
    let total = store::count(&mut conn, caller.org_id, env_id).await?;
    Ok(Json(Paged::new(keys, total, page)))
}

/// Revokes an API key, at once. Its streams end.
#[utoipa::path(
    delete,
    path = "/v1/api-keys/{keyID}",
    tag = "api keys",
    params(("keyID" = ApiKeyId, Path)),
    responses((status = 204, description = "revoked"), (status = 404, description = "unknown, or revoked before"))
)]
async fn revoke(
    State(state): State<AppState>,
    caller: Manager<ApiKeysManage>,
    Path(key_id): Path<ApiKeyId>,
) -> Result<(StatusCode, Published), ApiError> {
    let mut tx = state.db.begin().await?;
    let key = LockedKey::find(&mut tx, caller.org_id, key_id)
        .await?
        .ok_or_else(not_found)?;
    let change = key
        .revoke(&mut tx, caller.actor(), state.clock.now())
        .await?;
    tx.commit().await?;

    let published = state.published(caller.wait, &change).await;
    Ok((StatusCode::NO_CONTENT, published))
}

fn in_range(field: &str, number: i64, from: i64, to: i64) -> Result<i64, Invalid> {
    if (from..=to).contains(&number) {
        Ok(number)
    } else {
        Err(Invalid::new(format!(
            "{field} must be an integer from {from} to {to}"
        )))
    }
}

fn not_found() -> ApiError {
    ApiError::not_found("api key not found")
}

impl From<IssueError> for ApiError {
    fn from(error: IssueError) -> Self {
        match error {
            IssueError::TooMany => Self::bad_request(error.to_string()),
            IssueError::Draw(error) => error.into(),
        }
    }
}
