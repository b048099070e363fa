//! The endpoints of who is who at a provider.

use axum::{Json, http::StatusCode};
use serving::{
    error::ApiError,
    page::{Page, Paged},
    params::Path,
};

use crate::http::{Manager, Routes, endpoints};
use base::ids::{MemberId, SignInProviderId};
use domain::{
    members::change::Acting,
    roles::keys::MembersManage,
    sign_in::{identities, model::Identity, store},
};

pub(super) fn router() -> Routes {
    endpoints![list, unbind]
}

/// Lists what providers call a member, who is recognised by it at each sign-in.
#[utoipa::path(
    get,
    path = "/v1/members/{memberID}/identities",
    operation_id = "listMemberIdentities",
    tag = "sign-in",
    params(("memberID" = MemberId, Path), Page),
    responses(
        (status = 200, description = "in the order of the first sign-ins", body = Paged<Identity>),
        (status = 404, description = "unknown member"),
    )
)]
async fn list(
    caller: Manager<MembersManage>,
    Path(member_id): Path<MemberId>,
    page: Page,
) -> Result<Json<Paged<Identity>>, ApiError> {
    let member = caller.member(member_id).await?;
    let mut conn = caller.db.acquire().await?;
    let identities =
        store::identities::page(&mut conn, caller.org_id, member.user_id, page).await?;
    Ok(Json(identities))
}

/// Unbinds a member from what a provider calls them, and ends the sessions that it opened for them.
///
/// At their next sign-in by it they are recognised by their address again, as at the first.
#[utoipa::path(
    delete,
    path = "/v1/members/{memberID}/identities/{providerID}",
    operation_id = "unbindMemberIdentity",
    tag = "sign-in",
    params(("memberID" = MemberId, Path), ("providerID" = SignInProviderId, Path)),
    responses(
        (status = 204, description = "unbound"),
        (status = 403, description = "only owners may unbind owners"),
        (status = 404, description = "unknown member, or one whom this provider has not signed in"),
    )
)]
async fn unbind(
    caller: Manager<MembersManage>,
    Path((member_id, provider_id)): Path<(MemberId, SignInProviderId)>,
) -> Result<StatusCode, ApiError> {
    let acting = Acting::Member(&caller);
    caller
        .write_org(async |org| identities::unbind(org, acting, member_id, provider_id).await)
        .await?;
    Ok(StatusCode::NO_CONTENT)
}
