//! The endpoints of members. Those of their environment permissions are in [`domain::members::permissions`].

pub mod permissions;

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use serving::{
    body::{Body, RawBody},
    error::ApiError,
    page::{Page, Paged},
    params::Path,
};

use crate::http::{AnyRole, Manager, Routes, endpoints};
use base::{config::UrlSettings, ids::MemberId, mail::Mailer};
use domain::{
    accounts::{Accounts, tokens::Tokens},
    members::{
        change::{self, Acting},
        input::{MemberPatch, NewMember},
        invite::Invitations,
        model::Member,
        sessions, store,
    },
    roles::keys::{MembersManage, MembersRead},
};

pub fn router() -> Routes {
    endpoints![list, invite, update, remove, end_sessions]
}

/// Lists the members of the organization, invited ones included.
#[utoipa::path(
    get,
    path = "/v1/members",
    operation_id = "listMembers",
    tag = "members",
    params(Page),
    responses((status = 200, description = "in creation order", body = Paged<Member>))
)]
async fn list(caller: AnyRole<MembersRead>, page: Page) -> Result<Json<Paged<Member>>, ApiError> {
    let mut conn = caller.db.acquire().await?;
    Ok(Json(store::page(&mut conn, caller.org_id, page).await?))
}

/// Adds a member, and mails them how to sign in.
///
/// An address without an account gets one, to be claimed at sign-up.
#[utoipa::path(
    post,
    path = "/v1/members/invite",
    operation_id = "inviteMember",
    tag = "members",
    request_body = NewMember,
    responses(
        (status = 201, description = "a member now", body = Member),
        (status = 402, description = "the plan allows no more members"),
        (status = 403, description = "only owners may add owners"),
        (status = 409, description = "a member already"),
    )
)]
async fn invite(
    State(mailer): State<Mailer>,
    State(urls): State<Arc<UrlSettings>>,
    State(accounts): State<Arc<Accounts>>,
    caller: Manager<MembersManage>,
    Body(body): Body<NewMember>,
) -> Result<(StatusCode, Json<Member>), ApiError> {
    let (email, role) = body.check()?;
    let invitations = Invitations {
        mailer: &mailer,
        urls: &urls,
        signup: accounts.settings().signup,
    };
    let acting = Acting::Member(&caller);
    let member = caller
        .write_org(async |org| invitations.invite(org, acting, &email, role).await)
        .await?;
    Ok((StatusCode::CREATED, Json(member)))
}

/// Changes the role of a member, and the custom role that narrows it, at once: tokens that were issued before get the new
/// permissions.
#[utoipa::path(
    put,
    path = "/v1/members/{memberID}",
    operation_id = "updateMember",
    tag = "members",
    params(("memberID" = MemberId, Path)),
    request_body = MemberPatch,
    responses(
        (status = 204, description = "changed"),
        (status = 402, description = "custom roles are assigned on the enterprise plan"),
        (status = 403, description = "only owners may change or make owners"),
        (status = 404, description = "unknown member or custom role"),
        (status = 409, description = "the last owner, or the last without a custom role"),
    )
)]
async fn update(
    caller: Manager<MembersManage>,
    Path(member_id): Path<MemberId>,
    body: RawBody,
) -> Result<StatusCode, ApiError> {
    caller.member(member_id).await?;
    let wanted = body.parse::<MemberPatch>().await?.check()?;
    caller
        .write_org(async |org| {
            change::update(org, Acting::Member(&caller), member_id, wanted).await
        })
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Removes a member from the organization and ends their sessions in it. The account stays, with its other memberships.
#[utoipa::path(
    delete,
    path = "/v1/members/{memberID}",
    operation_id = "removeMember",
    tag = "members",
    params(("memberID" = MemberId, Path)),
    responses(
        (status = 204, description = "removed"),
        (status = 400, description = "the caller themselves"),
        (status = 403, description = "only owners may remove owners"),
        (status = 404, description = "unknown"),
        (status = 409, description = "the last owner"),
    )
)]
async fn remove(
    caller: Manager<MembersManage>,
    Path(member_id): Path<MemberId>,
) -> Result<StatusCode, ApiError> {
    caller
        .write_org(async |org| change::remove(org, Acting::Member(&caller), member_id).await)
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Ends all sessions of a member in the organization. Their sessions in others go on there, and may not move to this one.
#[utoipa::path(
    delete,
    path = "/v1/members/{memberID}/sessions",
    operation_id = "endMemberSessions",
    tag = "members",
    params(("memberID" = MemberId, Path)),
    responses(
        (status = 204, description = "ended"),
        (status = 400, description = "the caller themselves"),
        (status = 403, description = "only owners may end sessions of owners"),
        (status = 404, description = "unknown"),
    )
)]
async fn end_sessions(
    State(tokens): State<Arc<Tokens>>,
    caller: Manager<MembersManage>,
    Path(member_id): Path<MemberId>,
) -> Result<StatusCode, ApiError> {
    let acting = Acting::Member(&caller);
    let member = caller.member(member_id).await?;
    let mut unit = caller.begin().await?;
    unit.lock_account(member.user_id).await?;
    let mut org = unit.lock_org(&caller.clock).await?;
    let ended = sessions::end(&mut org, acting, member_id, &tokens).await?;
    caller.commit(unit, ended).await?;
    Ok(StatusCode::NO_CONTENT)
}
