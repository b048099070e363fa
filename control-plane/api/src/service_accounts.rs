//! The endpoints of service accounts and their access tokens.

use axum::{Json, http::StatusCode};
use serving::{
    body::{Body, RawBody},
    error::ApiError,
    page::{Page, Paged},
    params::Path,
};

use crate::{
    access_tokens::CreatedAccessToken,
    http::{Access, BySession, Manager, Routes, endpoints},
};
use base::{
    ids::{AccessTokenId, MemberId},
    refusal::{Missing, Refusal},
};
use domain::{
    access_tokens::{
        self,
        input::{CreateToken, RotateToken},
        model::{AccessToken, TokenText},
    },
    members::change::Acting,
    roles::keys::MembersManage,
    service_accounts::{
        change,
        input::{NewServiceAccount, ServiceAccountRenaming},
        model::ServiceAccount,
        store,
    },
};

pub(crate) fn router() -> Routes {
    endpoints![
        create,
        list,
        show,
        rename,
        delete,
        create_token,
        list_tokens,
        rotate_token,
        revoke_token,
    ]
}

impl Access {
    /// A service account of the caller's organization.
    async fn service_account(&self, id: MemberId) -> Result<ServiceAccount, Refusal> {
        let mut conn = self.db.acquire().await?;
        let found = store::find(&mut conn, self.org_id, id).await?;
        found.ok_or(Missing::ServiceAccount.into())
    }

    /// The same, for whoever may manage members with its role: its tokens can do what it can do.
    async fn own_service_account(&self, id: MemberId) -> Result<ServiceAccount, Refusal> {
        let account = self.service_account(id).await?;
        Acting::Member(self).may_handle(&[account.role])?;
        Ok(account)
    }
}

/// Creates a service account: a member that no person signs in as, and that takes no seat. Programs act as it by access tokens.
///
/// Role and custom role change by `PUT /v1/members/{memberID}`, permissions in environments by
/// `PUT /v1/members/{memberID}/permissions`, as those of any member.
#[utoipa::path(
    post,
    path = "/v1/service-accounts",
    operation_id = "createServiceAccount",
    tag = "members",
    request_body = NewServiceAccount,
    responses(
        (status = 201, description = "created", body = ServiceAccount),
        (status = 400, description = "the organization has 100 already"),
        (status = 402, description = "custom roles are assigned on the enterprise plan"),
        (status = 403, description = "only owners may make owners"),
        (status = 404, description = "unknown custom role"),
    )
)]
async fn create(
    caller: Manager<MembersManage>,
    Body(body): Body<NewServiceAccount>,
) -> Result<(StatusCode, Json<ServiceAccount>), ApiError> {
    let wanted = body.check()?;
    let account = caller
        .write_org(async |org| change::create(org, Acting::Member(&caller), wanted).await)
        .await?;
    Ok((StatusCode::CREATED, Json(account)))
}

/// Lists the service accounts of the organization.
#[utoipa::path(
    get,
    path = "/v1/service-accounts",
    operation_id = "listServiceAccounts",
    tag = "members",
    params(Page),
    responses((status = 200, description = "in creation order", body = Paged<ServiceAccount>))
)]
async fn list(
    caller: Manager<MembersManage>,
    page: Page,
) -> Result<Json<Paged<ServiceAccount>>, ApiError> {
    let mut conn = caller.db.acquire().await?;
    Ok(Json(store::page(&mut conn, caller.org_id, page).await?))
}

/// Shows a service account.
#[utoipa::path(
    get,
    path = "/v1/service-accounts/{serviceAccountID}",
    operation_id = "getServiceAccount",
    tag = "members",
    params(("serviceAccountID" = MemberId, Path)),
    responses(
        (status = 200, description = "the service account", body = ServiceAccount),
        (status = 404, description = "unknown"),
    )
)]
async fn show(
    caller: Manager<MembersManage>,
    Path(id): Path<MemberId>,
) -> Result<Json<ServiceAccount>, ApiError> {
    Ok(Json(caller.service_account(id).await?))
}

/// Renames a service account.
#[utoipa::path(
    patch,
    path = "/v1/service-accounts/{serviceAccountID}",
    operation_id = "renameServiceAccount",
    tag = "members",
    params(("serviceAccountID" = MemberId, Path)),
    request_body = ServiceAccountRenaming,
    responses(
        (status = 200, description = "renamed", body = ServiceAccount),
        (status = 403, description = "only owners may change owners"),
        (status = 404, description = "unknown"),
    )
)]
async fn rename(
    caller: Manager<MembersManage>,
    Path(id): Path<MemberId>,
    body: RawBody,
) -> Result<Json<ServiceAccount>, ApiError> {
    caller.service_account(id).await?;
    let name = body.parse::<ServiceAccountRenaming>().await?.check()?;
    let account = caller
        .write_org(async |org| change::rename(org, Acting::Member(&caller), id, name).await)
        .await?;
    Ok(Json(account))
}

/// Deletes a service account; its access tokens end at once.
#[utoipa::path(
    delete,
    path = "/v1/service-accounts/{serviceAccountID}",
    operation_id = "deleteServiceAccount",
    tag = "members",
    params(("serviceAccountID" = MemberId, Path)),
    responses(
        (status = 204, description = "deleted"),
        (status = 400, description = "the caller itself"),
        (status = 403, description = "only owners may delete owners"),
        (status = 404, description = "unknown"),
    )
)]
async fn delete(
    caller: Manager<MembersManage>,
    Path(id): Path<MemberId>,
) -> Result<StatusCode, ApiError> {
    caller
        .write_org(async |org| change::delete(org, Acting::Member(&caller), id).await)
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Creates an access token of a service account.
#[utoipa::path(
    post,
    path = "/v1/service-accounts/{serviceAccountID}/tokens",
    operation_id = "createServiceAccountToken",
    tag = "members",
    params(("serviceAccountID" = MemberId, Path)),
    request_body = CreateToken,
    responses(
        (status = 201, description = "created; the text is shown once", body = CreatedAccessToken),
        (status = 400, description = "the account has 50 already, or an environment is of another project"),
        (status = 403, description = "a role above the account's, or an owner's account for one who is none"),
        (status = 404, description = "unknown service account, project or environment"),
    )
)]
async fn create_token(
    caller: BySession<Manager<MembersManage>>,
    Path(id): Path<MemberId>,
    body: RawBody,
) -> Result<(StatusCode, Json<CreatedAccessToken>), ApiError> {
    let account = caller.own_service_account(id).await?;
    let new = body.parse::<CreateToken>().await?;
    let new = new.check(caller.clock.now())?;
    let text = TokenText::random();
    let token = caller
        .write_org(async |org| access_tokens::change::create(org, account.id, new, &text).await)
        .await?;
    Ok((
        StatusCode::CREATED,
        Json(CreatedAccessToken::new(text, token)),
    ))
}

/// Lists the access tokens of a service account, expired ones included.
#[utoipa::path(
    get,
    path = "/v1/service-accounts/{serviceAccountID}/tokens",
    operation_id = "listServiceAccountTokens",
    tag = "members",
    params(("serviceAccountID" = MemberId, Path), Page),
    responses(
        (status = 200, description = "in creation order", body = Paged<AccessToken>),
        (status = 404, description = "unknown service account"),
    )
)]
async fn list_tokens(
    caller: Manager<MembersManage>,
    Path(id): Path<MemberId>,
    page: Page,
) -> Result<Json<Paged<AccessToken>>, ApiError> {
    let account = caller.service_account(id).await?;
    let mut conn = caller.db.acquire().await?;
    let tokens = access_tokens::store::page(&mut conn, caller.org_id, account.user_id, page);
    Ok(Json(tokens.await?))
}

/// Replaces an access token of a service account by one like it, with the same lifetime; the old one goes on for a while.
#[utoipa::path(
    post,
    path = "/v1/service-accounts/{serviceAccountID}/tokens/{accessTokenID}/rotate",
    operation_id = "rotateServiceAccountToken",
    tag = "members",
    params(("serviceAccountID" = MemberId, Path), ("accessTokenID" = AccessTokenId, Path)),
    request_body = RotateToken,
    responses(
        (status = 201, description = "replaced; the new text is shown once", body = CreatedAccessToken),
        (status = 400, description = "the account has 50 already"),
        (status = 404, description = "unknown service account or token, or it has ended"),
    )
)]
async fn rotate_token(
    caller: BySession<Manager<MembersManage>>,
    Path((id, token_id)): Path<(MemberId, AccessTokenId)>,
    body: RawBody,
) -> Result<(StatusCode, Json<CreatedAccessToken>), ApiError> {
    let account = caller.own_service_account(id).await?;
    let overlap = body.parse::<RotateToken>().await?.check()?;
    let holder = (account.id, account.user_id);
    let text = TokenText::random();
    let token = caller
        .write_org(async |org| {
            access_tokens::change::rotate(org, holder, token_id, overlap, &text).await
        })
        .await?;
    Ok((
        StatusCode::CREATED,
        Json(CreatedAccessToken::new(text, token)),
    ))
}

/// Revokes an access token of a service account, at once.
#[utoipa::path(
    delete,
    path = "/v1/service-accounts/{serviceAccountID}/tokens/{accessTokenID}",
    operation_id = "revokeServiceAccountToken",
    tag = "members",
    params(("serviceAccountID" = MemberId, Path), ("accessTokenID" = AccessTokenId, Path)),
    responses(
        (status = 204, description = "revoked"),
        (status = 404, description = "unknown service account or token, or revoked before"),
    )
)]
async fn revoke_token(
    caller: BySession<Manager<MembersManage>>,
    Path((id, token_id)): Path<(MemberId, AccessTokenId)>,
) -> Result<StatusCode, ApiError> {
    let account = caller.own_service_account(id).await?;
    caller
        .write_org(async |org| access_tokens::change::revoke(org, account.user_id, token_id).await)
        .await?;
    Ok(StatusCode::NO_CONTENT)
}
