//! The endpoints of API keys. Creation and list answer under the environment's own path and under the project's.

use axum::{Json, http::StatusCode};
use serde::Serialize;
use serving::{
    body::RawBody,
    error::ApiError,
    page::{Page, Paged},
    params::Path,
};
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::http::{Access, AnyRole, Manager, Published, Routes, endpoints};
use base::{
    ids::{ApiKeyId, EnvId, ProjectId},
    named::{EnvRef, ProjectRef},
    refusal::Missing,
};
use domain::{
    api_keys::{
        input::{CreateKey, RotateKey},
        issue,
        model::{ApiKey, KeyText, KeyType},
        store,
    },
    roles::keys::{ApiKeysManage, ApiKeysRead},
};

pub fn router() -> Routes {
    endpoints![
        create,
        list,
        create_in_project,
        list_in_project,
        revoke,
        rotate
    ]
}

/// A key that was just made, the only time with its text.
#[derive(Serialize, ToSchema)]
#[schema(as = CreatedApiKey)]
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
    #[schema(required)]
    expires_at: Option<OffsetDateTime>,
}

type Created = (StatusCode, Published, Json<CreatedKey>);

/// Creates an API key of an environment.
#[utoipa::path(
    post,
    path = "/v1/environments/{envID}/api-keys",
    operation_id = "createApiKey",
    tag = "api keys",
    params(("envID" = EnvId, Path)),
    request_body = CreateKey,
    responses(
        (status = 201, description = "created; the text is shown once", body = CreatedKey),
        (status = 404, description = "unknown environment"),
    )
)]
async fn create(
    caller: Manager<ApiKeysManage>,
    Path(env_id): Path<EnvId>,
    body: RawBody,
) -> Result<Created, ApiError> {
    let project_id = caller.project_of_env(env_id).await?;
    issue_in(&caller, project_id, env_id, &body).await
}

/// Creates an API key of an environment, named with its project.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectID}/environments/{envID}/api-keys",
    operation_id = "createProjectApiKey",
    tag = "api keys",
    params(("projectID" = String, Path), ("envID" = String, Path)),
    request_body = CreateKey,
    responses(
        (status = 201, description = "created; the text is shown once", body = CreatedKey),
        (status = 404, description = "unknown environment"),
    )
)]
async fn create_in_project(
    caller: Manager<ApiKeysManage>,
    Path((project, env)): Path<(ProjectRef, EnvRef)>,
    body: RawBody,
) -> Result<Created, ApiError> {
    let (project_id, env_id) = caller.ids(&project, &env).await?;
    caller.environment(project_id, env_id).await?;
    issue_in(&caller, project_id, env_id, &body).await
}

async fn issue_in(
    caller: &Access,
    project_id: ProjectId,
    env_id: EnvId,
    body: &RawBody,
) -> Result<Created, ApiError> {
    let new = body.parse::<CreateKey>().await?.check()?;
    let text = KeyText::random(new.key_type);
    let (published, key) = caller
        .write(project_id, async |project| {
            issue::issue(project, env_id, new, &text).await
        })
        .await?;
    let created = CreatedKey {
        id: key.id,
        key: text.reveal(),
        key_prefix: key.key_prefix,
        name: key.name,
        key_type: key.key_type,
        env_id,
        created_at: key.created_at,
        expires_at: key.expires_at,
    };
    Ok((StatusCode::CREATED, published, Json(created)))
}

/// Lists the API keys of an environment, revoked ones included.
#[utoipa::path(
    get,
    path = "/v1/environments/{envID}/api-keys",
    operation_id = "listApiKeys",
    tag = "api keys",
    params(("envID" = EnvId, Path), Page),
    responses(
        (status = 200, description = "in creation order", body = Paged<ApiKey>),
        (status = 404, description = "unknown environment"),
    )
)]
async fn list(
    caller: AnyRole<ApiKeysRead>,
    Path(env_id): Path<EnvId>,
    page: Page,
) -> Result<Json<Paged<ApiKey>>, ApiError> {
    caller.project_of_env(env_id).await?;
    page_of_keys(&caller, env_id, page).await
}

/// Lists the API keys of an environment, named with its project.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/environments/{envID}/api-keys",
    operation_id = "listProjectApiKeys",
    tag = "api keys",
    params(("projectID" = String, Path), ("envID" = String, Path), Page),
    responses(
        (status = 200, description = "in creation order", body = Paged<ApiKey>),
        (status = 404, description = "unknown environment"),
    )
)]
async fn list_in_project(
    caller: AnyRole<ApiKeysRead>,
    Path((project, env)): Path<(ProjectRef, EnvRef)>,
    page: Page,
) -> Result<Json<Paged<ApiKey>>, ApiError> {
    let (project_id, env_id) = caller.ids(&project, &env).await?;
    caller.environment(project_id, env_id).await?;
    page_of_keys(&caller, env_id, page).await
}

async fn page_of_keys(
    caller: &Access,
    env_id: EnvId,
    page: Page,
) -> Result<Json<Paged<ApiKey>>, ApiError> {
    let mut conn = caller.db.acquire().await?;
    let keys = store::page(&mut conn, caller.org_id, env_id, page).await?;
    Ok(Json(keys))
}

/// Revokes an API key, at once. Its streams end.
#[utoipa::path(
    delete,
    path = "/v1/api-keys/{keyID}",
    operation_id = "revokeApiKey",
    tag = "api keys",
    params(("keyID" = ApiKeyId, Path)),
    responses((status = 204, description = "revoked"), (status = 404, description = "unknown, or revoked before"))
)]
async fn revoke(
    caller: Manager<ApiKeysManage>,
    Path(key_id): Path<ApiKeyId>,
) -> Result<(StatusCode, Published), ApiError> {
    let project_id = caller.api_key(key_id).await?.project_id;
    let mut unit = caller.begin().await?;
    let mut project = unit.lock_project(&caller.clock, project_id).await?;
    let project = project.as_mut().ok_or(Missing::ApiKey)?;
    let revoked = issue::revoke(project, key_id).await?;
    let (published, ()) = caller.commit(unit, revoked).await?;
    Ok((StatusCode::NO_CONTENT, published))
}

/// A key that replaced another, the only time with its text.
#[derive(Serialize, ToSchema)]
#[schema(as = RotatedApiKey)]
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
    operation_id = "rotateApiKey",
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
    caller: Manager<ApiKeysManage>,
    Path(key_id): Path<ApiKeyId>,
    body: RawBody,
) -> Result<(Published, Json<RotatedKey>), ApiError> {
    let project_id = caller.api_key(key_id).await?.project_id;
    let grace = body.parse::<RotateKey>().await?.check()?;
    let mut unit = caller.begin().await?;
    let mut project = unit.lock_project(&caller.clock, project_id).await?;
    let project = project.as_mut().ok_or(Missing::ApiKey)?;
    let rotated = issue::rotate(project, key_id, grace).await?;
    let (published, rotation) = caller.commit(unit, rotated).await?;
    let rotated = RotatedKey {
        new_key: rotation.text.reveal(),
        new_key_id: rotation.new.id,
        old_key_id: key_id,
        grace_expires_at: rotation.grace_expires_at,
    };
    Ok((published, Json(rotated)))
}
