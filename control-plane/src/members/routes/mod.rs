//! The endpoints of members. Those of their environment permissions are in [`super::permissions`].

mod invite;

use axum::{Json, extract::State, http::StatusCode};
use serving::{
    body::RawBody,
    error::ApiError,
    page::{Page, Paged},
    params::Path,
};
use time::OffsetDateTime;
use utoipa_axum::router::OpenApiRouter;

use super::{
    input::MemberPatch,
    model::{Member, Ownership, Role},
    store,
};
use crate::{
    accounts::store::families,
    audit::{self, model::Entry},
    db::Tx,
    http::{
        access::{AnyRole, Manager},
        endpoints,
    },
    ids::{CustomRoleId, MemberId, OrgId},
    input::Patch,
    members::caller::Caller,
    orgs, roles,
    roles::keys::{MembersManage, MembersRead},
    state::AppState,
};

pub fn router() -> OpenApiRouter<AppState> {
    endpoints![list, update, remove].merge(invite::router())
}

/// Lists the members of the organization, invited ones included.
#[utoipa::path(
    get,
    path = "/v1/members",
    tag = "members",
    params(Page),
    responses((status = 200, description = "in creation order", body = Paged<Member>))
)]
async fn list(
    State(state): State<AppState>,
    caller: AnyRole<MembersRead>,
    page: Page,
) -> Result<Json<Paged<Member>>, ApiError> {
    let mut conn = state.db.acquire().await?;
    let members = store::list(&mut conn, caller.org_id, page).await?;
    let total = store::count(&mut conn, caller.org_id).await?;
    Ok(Json(Paged::new(members, total, page)))
}

/// Changes the role of a member, and the custom role that narrows it, at once: tokens that were issued before count for the
/// new ones.
#[utoipa::path(
    put,
    path = "/v1/members/{memberID}",
    tag = "members",
    params(("memberID" = MemberId, Path)),
    request_body = MemberPatch,
    responses(
        (status = 204, description = "changed"),
        (status = 402, description = "custom roles are assigned on the enterprise plan"),
        (status = 403, description = "owners are changed and made by owners alone"),
        (status = 404, description = "unknown member or custom role"),
        (status = 409, description = "the last owner, or the last without a custom role"),
    )
)]
async fn update(
    State(state): State<AppState>,
    caller: Manager<MembersManage>,
    Path(member_id): Path<MemberId>,
    body: RawBody,
) -> Result<StatusCode, ApiError> {
    let mut tx = state.db.begin().await?;
    orgs::store::lock(&mut tx, caller.org_id).await?;
    let now = state.clock.now();
    let before = store::find(&mut tx, caller.org_id, member_id)
        .await?
        .ok_or_else(not_found)?;
    let change = body.parse::<MemberPatch>()?.check()?;
    let custom_role_id = match change.custom_role_id {
        Patch::Keep => before.custom_role_id,
        Patch::Clear => None,
        Patch::Set(text) => Some(assignable(&mut tx, caller.org_id, &text, now).await?),
    };
    let member = Member {
        role: change.role.unwrap_or(before.role),
        custom_role_id,
        ..before.clone()
    };
    let touched = [before.role, member.role];
    may_handle(caller.role, &touched)?;
    keep_an_owner(&mut tx, &before, member.ownership()).await?;
    confirm(&mut tx, &caller, &touched).await?;

    store::update(&mut tx, &member).await?;
    let entry = Entry::new(caller.org_id, caller.actor(), "member.role_changed").on(member_id);
    audit::store::record(&mut tx, entry.before(&before).after(&member), now).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The custom role that a text names, which is not deleted until the transaction ends.
async fn assignable(
    tx: &mut Tx,
    org_id: OrgId,
    text: &str,
    now: OffsetDateTime,
) -> Result<CustomRoleId, ApiError> {
    let unknown = || ApiError::not_found("role not found");
    let id = CustomRoleId::parse(text).ok_or_else(unknown)?;
    let role = roles::store::find_for_share(tx, org_id, id).await?;
    let role = role.ok_or_else(unknown)?;
    // Taking a role away is open to every plan; the built-in ones, too, are given on this one alone.
    orgs::require(tx, org_id, now, &orgs::CUSTOM_ROLES).await?;
    Ok(role.id)
}

/// Removes a member from the organization and ends their sessions in it. The account stays, with its other memberships.
#[utoipa::path(
    delete,
    path = "/v1/members/{memberID}",
    tag = "members",
    params(("memberID" = MemberId, Path)),
    responses(
        (status = 204, description = "removed"),
        (status = 400, description = "the caller themselves"),
        (status = 403, description = "owners are removed by owners alone"),
        (status = 404, description = "unknown"),
        (status = 409, description = "the last owner"),
    )
)]
async fn remove(
    State(state): State<AppState>,
    caller: Manager<MembersManage>,
    Path(member_id): Path<MemberId>,
) -> Result<StatusCode, ApiError> {
    let mut tx = state.db.begin().await?;
    orgs::store::lock(&mut tx, caller.org_id).await?;
    let now = state.clock.now();
    let member = store::find(&mut tx, caller.org_id, member_id)
        .await?
        .ok_or_else(not_found)?;
    if member_id == caller.member_id {
        return Err(ApiError::bad_request("members cannot remove themselves"));
    }
    may_handle(caller.role, &[member.role])?;
    keep_an_owner(&mut tx, &member, Ownership::None).await?;
    confirm(&mut tx, &caller, &[member.role]).await?;

    store::delete(&mut tx, caller.org_id, member_id).await?;
    // Else they would live again if the user were invited again.
    families::revoke_in(&mut tx, caller.org_id, member.user_id, now).await?;
    let entry = Entry::new(caller.org_id, caller.actor(), "member.removed").on(member_id);
    audit::store::record(&mut tx, entry.before(&member), now).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

fn may_handle(role: Role, touched: &[Role]) -> Result<(), ApiError> {
    if role.may_handle(touched) {
        Ok(())
    } else {
        Err(ApiError::forbidden("insufficient permissions"))
    }
}

/// Refuses to leave an organization without an owner, or without one who is held to no custom role: nobody might be able to
/// undo it. Call it under the organization's lock.
async fn keep_an_owner(tx: &mut Tx, before: &Member, after: Ownership) -> Result<(), ApiError> {
    if after >= before.ownership() {
        return Ok(());
    }
    let others = store::ownership_of_others(tx, before.org_id, before.id).await?;
    if others.max(after) < others.max(before.ownership()) {
        return Err(ApiError::conflict("an organization needs an owner"));
    }
    Ok(())
}

/// Refuses a caller who was demoted or removed while their request waited for the organization's lock: of two owners who
/// remove each other at once, one succeeds.
async fn confirm(tx: &mut Tx, caller: &Caller, touched: &[Role]) -> Result<(), ApiError> {
    let now = store::find(tx, caller.org_id, caller.member_id).await?;
    let now = now.ok_or_else(|| ApiError::unauthorized("invalid or expired token"))?;
    may_handle(now.role, touched)
}

pub(super) fn not_found() -> ApiError {
    ApiError::not_found("member not found")
}
