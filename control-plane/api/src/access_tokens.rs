//! The endpoints of the caller's own access tokens.

use axum::{Json, http::StatusCode};
use serde::Serialize;
use serving::{
    body::Body,
    error::ApiError,
    page::{Page, Paged},
    params::Path,
};
use utoipa::ToSchema;

use crate::http::{AnyRole, BySession, Routes, endpoints};
use base::ids::AccessTokenId;
use domain::{
    access_tokens::{
        change,
        input::CreateToken,
        model::{AccessToken, TokenText},
        store,
    },
    roles::keys::NoKey,
};

pub(crate) fn router() -> Routes {
    endpoints![create, list, revoke]
}

/// A token that was just made, the only time with its text.
#[derive(Serialize, ToSchema)]
pub(crate) struct CreatedAccessToken {
    /// The text. It is not stored and not shown again.
    token: String,
    #[serde(flatten)]
    shown: AccessToken,
}

impl CreatedAccessToken {
    pub(crate) fn new(text: TokenText, shown: AccessToken) -> Self {
        Self {
            token: text.reveal(),
            shown,
        }
    }
}

/// Creates an access token: programs send it as `Authorization: Bearer`, and act as the caller in this organization.
///
/// It can do what its owner can do at the time of each request, limited to the given role, projects and environments, and
/// nothing that needs a session: it makes no tokens. It ends with the membership.
#[utoipa::path(
    post,
    path = "/v1/me/tokens",
    operation_id = "createAccessToken",
    tag = "me",
    request_body = CreateToken,
    responses(
        (status = 201, description = "created; the text is shown once", body = CreatedAccessToken),
        (status = 400, description = "the caller has 50 already, or an environment is of another project"),
        (status = 403, description = "a role above the caller's"),
        (status = 404, description = "unknown project or environment"),
    )
)]
async fn create(
    caller: BySession<AnyRole<NoKey>>,
    Body(body): Body<CreateToken>,
) -> Result<(StatusCode, Json<CreatedAccessToken>), ApiError> {
    let new = body.check(caller.clock.now())?;
    let text = TokenText::random();
    let token = caller
        .write_org(async |org| change::create(org, caller.member_id, new, &text).await)
        .await?;
    Ok((
        StatusCode::CREATED,
        Json(CreatedAccessToken::new(text, token)),
    ))
}

/// Lists the caller's own access tokens in the organization, expired ones included.
#[utoipa::path(
    get,
    path = "/v1/me/tokens",
    operation_id = "listAccessTokens",
    tag = "me",
    params(Page),
    responses((status = 200, description = "in creation order", body = Paged<AccessToken>))
)]
async fn list(
    caller: BySession<AnyRole<NoKey>>,
    page: Page,
) -> Result<Json<Paged<AccessToken>>, ApiError> {
    let mut conn = caller.db.acquire().await?;
    let tokens = store::page(&mut conn, caller.org_id, caller.user_id, page);
    Ok(Json(tokens.await?))
}

/// Revokes one of the caller's own access tokens, at once.
#[utoipa::path(
    delete,
    path = "/v1/me/tokens/{accessTokenID}",
    operation_id = "revokeAccessToken",
    tag = "me",
    params(("accessTokenID" = AccessTokenId, Path)),
    responses((status = 204, description = "revoked"), (status = 404, description = "unknown, or revoked before"))
)]
async fn revoke(
    caller: BySession<AnyRole<NoKey>>,
    Path(id): Path<AccessTokenId>,
) -> Result<StatusCode, ApiError> {
    caller
        .write_org(async |org| change::revoke(org, caller.user_id, id).await)
        .await?;
    Ok(StatusCode::NO_CONTENT)
}
