//! The endpoints of API keys. Creation and list answer under the environment's own path and under the project's.

use axum::{Json, extract::State, http::StatusCode};
use serde::{Deserialize, Serialize};
use serving::{
    body::RawBody,
    error::ApiError,
    page::{Page, Paged},
    params::Path,
};
use time::{Duration, OffsetDateTime};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    issue::{IssueError, LockedEnv, LockedKey},
    model::{ApiKey, KeyText, KeyType},
    store,
};
use crate::{
    app::AppState,
    environments,
    http::{
        access::{Caller, Manager, Member},
        published::SnapshotVersion,
    },
    ids::{ApiKeyId, EnvId, ProjectId},
    input::{Invalid, Name},
};

const MAX_DAYS: i64 = 3_650;
const MAX_GRACE_HOURS: i64 = 8_760;
const DEFAULT_GRACE_HOURS: i64 = 24;

/// All of them.
pub fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(create, list))
        .routes(routes!(create_in_project, list_in_project))
        .routes(routes!(revoke))
        .routes(routes!(rotate))
}

#[derive(Debug, Deserialize, ToSchema)]
struct CreateKey {
    /// Required.
    name: Option<String>,
    /// `server` when absent.
    #[serde(rename = "type")]
    #[schema(value_type = Option<KeyType>)]
    key_type: Option<String>,
    /// 1 to 3650; the key never ends when absent.
    expires_in_days: Option<i64>,
}

/// A key that was just made, the only time with its text.
#[derive(Serialize, ToSchema)]
struct CreatedKey {
    id: ApiKeyId,
    /// The text. It is not stored and not shown again.
    key: String,
    key_prefix: String,
    name: String,
    #[serde(rename = "type")]
    key_type: KeyType,
    env_id: EnvId,
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339::option")]
    expires_at: Option<OffsetDateTime>,
}

type Created = (StatusCode, SnapshotVersion, Json<CreatedKey>);

/// Creates an API key of an environment.
#[utoipa::path(
    post,
    path = "/v1/environments/{envID}/api-keys",
    tag = "api keys",
    params(("envID" = EnvId, Path)),
    request_body = CreateKey,
    responses(
        (status = 201, description = "created; the text is shown once", body = CreatedKey),
        (status = 404, description = "unknown environment"),
    )
)]
async fn create(
    State(state): State<AppState>,
    Manager(caller): Manager,
    Path(env_id): Path<EnvId>,
    body: RawBody,
) -> Result<Created, ApiError> {
    issue(&state, &caller, None, env_id, &body).await
}

/// Creates an API key of an environment, named with its project.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectID}/environments/{envID}/api-keys",
    tag = "api keys",
    params(("projectID" = ProjectId, Path), ("envID" = EnvId, Path)),
    request_body = CreateKey,
    responses(
        (status = 201, description = "created; the text is shown once", body = CreatedKey),
        (status = 404, description = "unknown environment"),
    )
)]
async fn create_in_project(
    State(state): State<AppState>,
    Manager(caller): Manager,
    Path((project_id, env_id)): Path<(ProjectId, EnvId)>,
    body: RawBody,
) -> Result<Created, ApiError> {
    issue(&state, &caller, Some(project_id), env_id, &body).await
}

async fn issue(
    state: &AppState,
    caller: &Caller,
    project_id: Option<ProjectId>,
    env_id: EnvId,
    body: &RawBody,
) -> Result<Created, ApiError> {
    let now = state.clock.now();
    let mut tx = state.db.begin().await?;
    let env = match project_id {
        None => LockedEnv::find(&mut tx, caller.org_id, env_id).await?,
        Some(project_id) => LockedEnv::find_in(&mut tx, caller.org_id, project_id, env_id).await?,
    };
    let env = env.ok_or_else(env_not_found)?;
    let body: CreateKey = body.parse()?;
    let name = Name::parse(body.name)?;
    let key_type = KeyType::parse(body.key_type.as_deref())?;
    let days = body
        .expires_in_days
        .map(|days| in_range("expires_in_days", days, 1, MAX_DAYS))
        .transpose()?;

    let text = KeyText::random(key_type);
    let key = ApiKey::new(
        &text,
        name.into(),
        key_type,
        days.map(|days| now + Duration::days(days)),
        now,
    );
    let change = env.issue(&mut tx, &key, &text, caller.actor()).await?;
    tx.commit().await?;

    state.publisher.reached(&change).await;
    let created = CreatedKey {
        id: key.id,
        key: text.reveal(),
        key_prefix: key.key_prefix,
        name: key.name,
        key_type,
        env_id,
        created_at: key.created_at,
        expires_at: key.expires_at,
    };
    Ok((
        StatusCode::CREATED,
        SnapshotVersion::from(&change),
        Json(created),
    ))
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
    Member(caller): Member,
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
    Member(caller): Member,
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
    Manager(caller): Manager,
    Path(key_id): Path<ApiKeyId>,
) -> Result<(StatusCode, SnapshotVersion), ApiError> {
    let mut tx = state.db.begin().await?;
    let key = LockedKey::find(&mut tx, caller.org_id, key_id)
        .await?
        .ok_or_else(not_found)?;
    let change = key
        .revoke(&mut tx, caller.actor(), state.clock.now())
        .await?;
    tx.commit().await?;

    state.publisher.reached(&change).await;
    Ok((StatusCode::NO_CONTENT, SnapshotVersion::from(&change)))
}

#[derive(Debug, Deserialize, ToSchema)]
struct RotateKey {
    /// How long the old key goes on; 0 to 8760, 24 when absent.
    grace_period_hours: Option<i64>,
}

/// A key that replaced another, the only time with its text.
#[derive(Serialize, ToSchema)]
struct RotatedKey {
    /// The text. It is not stored and not shown again.
    new_key: String,
    new_key_id: ApiKeyId,
    old_key_id: ApiKeyId,
    #[serde(with = "time::serde::rfc3339")]
    grace_expires_at: OffsetDateTime,
}

/// Replaces an API key; the old one goes on for a while.
#[utoipa::path(
    post,
    path = "/v1/api-keys/{keyID}/rotate",
    tag = "api keys",
    params(("keyID" = ApiKeyId, Path)),
    request_body = RotateKey,
    responses(
        (status = 200, description = "replaced; the new text is shown once", body = RotatedKey),
        (status = 404, description = "unknown, or revoked"),
        (status = 409, description = "rotated before"),
    )
)]
async fn rotate(
    State(state): State<AppState>,
    Manager(caller): Manager,
    Path(key_id): Path<ApiKeyId>,
    body: RawBody,
) -> Result<(SnapshotVersion, Json<RotatedKey>), ApiError> {
    let mut tx = state.db.begin().await?;
    let key = LockedKey::find(&mut tx, caller.org_id, key_id)
        .await?
        .ok_or_else(not_found)?;
    let hours = body
        .parse::<RotateKey>()?
        .grace_period_hours
        .unwrap_or(DEFAULT_GRACE_HOURS);
    let grace = Duration::hours(in_range("grace_period_hours", hours, 0, MAX_GRACE_HOURS)?);
    if key.is_rotated() {
        return Err(ApiError::conflict("api key was already rotated"));
    }
    let rotation = key
        .rotate(&mut tx, grace, caller.actor(), state.clock.now())
        .await?;
    tx.commit().await?;

    state.publisher.reached(&rotation.change).await;
    let rotated = RotatedKey {
        new_key: rotation.text.reveal(),
        new_key_id: rotation.new_id,
        old_key_id: key_id,
        grace_expires_at: rotation.grace_expires_at,
    };
    Ok((SnapshotVersion::from(&rotation.change), Json(rotated)))
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

fn env_not_found() -> ApiError {
    ApiError::not_found("environment not found")
}

impl From<IssueError> for ApiError {
    fn from(error: IssueError) -> Self {
        match error {
            IssueError::TooMany => Self::bad_request(error.to_string()),
            IssueError::Draw(error) => error.into(),
        }
    }
}
