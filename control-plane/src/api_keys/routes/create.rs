//! Creating an API key.

use axum::{Json, extract::State, http::StatusCode};
use serde::{Deserialize, Serialize};
use serving::{body::RawBody, error::ApiError, params::Path};
use time::{Duration, OffsetDateTime};
use utoipa::ToSchema;

use super::in_range;
use crate::{
    api_keys::{
        issue::LockedEnv,
        model::{ApiKey, KeyText, KeyType},
    },
    http::{
        access::Manager,
        published::{Published, Wait},
        refusals::env_not_found,
    },
    ids::{ApiKeyId, EnvId, ProjectId},
    input::Name,
    members::caller::Caller,
    roles::keys::ApiKeysManage,
    state::AppState,
};

const MAX_DAYS: i64 = 3_650;

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
pub(super) struct CreatedKey {
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

pub(super) type Created = (StatusCode, Published, Json<CreatedKey>);

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
pub(super) async fn create(
    State(state): State<AppState>,
    caller: Manager<ApiKeysManage>,
    Path(env_id): Path<EnvId>,
    body: RawBody,
) -> Result<Created, ApiError> {
    issue(&state, &caller, caller.wait, None, env_id, &body).await
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
pub(super) async fn create_in_project(
    State(state): State<AppState>,
    caller: Manager<ApiKeysManage>,
    Path((project_id, env_id)): Path<(ProjectId, EnvId)>,
    body: RawBody,
) -> Result<Created, ApiError> {
    issue(
        &state,
        &caller,
        caller.wait,
        Some(project_id),
        env_id,
        &body,
    )
    .await
}

async fn issue(
    state: &AppState,
    caller: &Caller,
    wait: Wait,
    project_id: Option<ProjectId>,
    env_id: EnvId,
    body: &RawBody,
) -> Result<Created, ApiError> {
    let mut tx = state.db.begin().await?;
    let env = match project_id {
        None => LockedEnv::find(&mut tx, caller.org_id, env_id).await?,
        Some(project_id) => LockedEnv::find_in(&mut tx, caller.org_id, project_id, env_id).await?,
    };
    let now = state.clock.now();
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

    let published = state.published(wait, &change).await;
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
    Ok((StatusCode::CREATED, published, Json(created)))
}
