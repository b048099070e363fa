//! The endpoints of SCIM tokens, in the ordinary form of the API: members call them.

use axum::{Json, http::StatusCode};
use serde::Serialize;
use serving::{
    body::Body,
    error::ApiError,
    page::{Page, Paged},
    params::Path,
};
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::http::{BySession, Manager, Routes, Scim, endpoints};
use base::ids::ScimTokenId;
use domain::{
    roles::keys::MembersManage,
    scim::tokens::{
        change,
        input::CreateToken,
        model::{ScimToken, TokenText},
        store,
    },
};

pub fn router() -> Routes {
    endpoints![create, list, revoke]
}

/// A token that was just made, the only time with its text.
#[derive(Serialize, ToSchema)]
#[schema(as = CreatedScimToken)]
struct CreatedToken {
    id: ScimTokenId,
    /// The text. It is not stored and not shown again.
    token: String,
    #[schema(required)]
    name: Option<String>,
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    expires_at: Option<OffsetDateTime>,
}

/// Creates a token with which an identity provider provisions users.
#[utoipa::path(
    post,
    path = "/v1/scim/tokens",
    operation_id = "createScimToken",
    tag = "scim",
    request_body = CreateToken,
    responses((status = 201, description = "created; the text is shown once", body = CreatedToken))
)]
async fn create(
    caller: BySession<Manager<MembersManage, Scim>>,
    Body(body): Body<CreateToken>,
) -> Result<(StatusCode, Json<CreatedToken>), ApiError> {
    let new = body.check()?;
    let text = TokenText::random();
    let token = caller
        .write_org(async |org| change::create(org, new, caller.user_id, &text).await)
        .await?;
    let created = CreatedToken {
        id: token.id,
        token: text.reveal(),
        name: token.name,
        created_at: token.created_at,
        expires_at: token.expires_at,
    };
    Ok((StatusCode::CREATED, Json(created)))
}

/// Lists the SCIM tokens of the organization, expired ones included.
#[utoipa::path(
    get,
    path = "/v1/scim/tokens",
    operation_id = "listScimTokens",
    tag = "scim",
    params(Page),
    responses((status = 200, description = "in creation order", body = Paged<ScimToken>))
)]
async fn list(
    caller: Manager<MembersManage, Scim>,
    page: Page,
) -> Result<Json<Paged<ScimToken>>, ApiError> {
    let mut conn = caller.db.acquire().await?;
    Ok(Json(store::page(&mut conn, caller.org_id, page).await?))
}

/// Revokes a SCIM token, at once.
#[utoipa::path(
    delete,
    path = "/v1/scim/tokens/{tokenID}",
    operation_id = "revokeScimToken",
    tag = "scim",
    params(("tokenID" = ScimTokenId, Path)),
    responses((status = 204, description = "revoked"), (status = 404, description = "unknown, or revoked before"))
)]
async fn revoke(
    caller: Manager<MembersManage, Scim>,
    Path(token_id): Path<ScimTokenId>,
) -> Result<StatusCode, ApiError> {
    caller
        .write_org(async |org| change::revoke(org, token_id).await)
        .await?;
    Ok(StatusCode::NO_CONTENT)
}
