//! Replacing an API key.

use axum::{Json, extract::State};
use serde::{Deserialize, Serialize};
use serving::{body::RawBody, error::ApiError, params::Path};
use time::{Duration, OffsetDateTime};
use utoipa::ToSchema;

use super::{in_range, not_found};
use crate::{
    api_keys::issue::LockedKey,
    http::{access::Manager, published::Published},
    ids::ApiKeyId,
    roles::keys::ApiKeysManage,
    state::AppState,
};

const MAX_GRACE_HOURS: i64 = 8_760;
const DEFAULT_GRACE_HOURS: i64 = 24;

#[derive(Debug, Deserialize, ToSchema)]
struct RotateKey {
    /// How long the old key goes on; 0 to 8760, 24 when absent.
    grace_period_hours: Option<i64>,
}

/// A key that replaced another, the only time with its text.
#[derive(Serialize, ToSchema)]
pub(super) struct RotatedKey {
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
pub(super) async fn rotate(
    State(state): State<AppState>,
    caller: Manager<ApiKeysManage>,
    Path(key_id): Path<ApiKeyId>,
    body: RawBody,
) -> Result<(Published, Json<RotatedKey>), ApiError> {
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

    let published = state.published(caller.wait, &rotation.change).await;
    let rotated = RotatedKey {
        new_key: rotation.text.reveal(),
        new_key_id: rotation.new_id,
        old_key_id: key_id,
        grace_expires_at: rotation.grace_expires_at,
    };
    Ok((published, Json(rotated)))
}
