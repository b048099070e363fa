//! Inviting somebody: they are a member at once, and hear of it by mail.
//!
//! An address that nobody signed up with gets an account without a password. Whoever proves the address at sign-up
//! claims it with its memberships ([`crate::accounts::Accounts::complete_signup`]).

use axum::{Json, extract::State, http::StatusCode};
use serving::{body::Body, error::ApiError};
use url::form_urlencoded;
use utoipa_axum::router::OpenApiRouter;

use super::{confirm, may_handle};
use crate::{
    accounts::store::{stubs, users::Credentials},
    audit::{self, model::Entry},
    config::UrlSettings,
    http::{access::Manager, endpoints},
    ids::MemberId,
    mail::Template,
    members::{
        input::NewMember,
        model::{MAX_MEMBERS, Member, Membership},
        store,
    },
    orgs,
    roles::keys::MembersManage,
    state::AppState,
};

pub(super) fn router() -> OpenApiRouter<AppState> {
    endpoints![invite]
}

/// Makes somebody a member and tells them by mail. An account is made for an address that has none, to be claimed at sign-up.
#[utoipa::path(
    post,
    path = "/v1/members/invite",
    tag = "members",
    request_body = NewMember,
    responses(
        (status = 201, description = "a member now", body = Member),
        (status = 402, description = "the plan allows no more members"),
        (status = 403, description = "owners are made by owners alone"),
        (status = 409, description = "a member already"),
    )
)]
async fn invite(
    State(state): State<AppState>,
    caller: Manager<MembersManage>,
    Body(body): Body<NewMember>,
) -> Result<(StatusCode, Json<Member>), ApiError> {
    let now = state.clock.now();
    let (email, role) = body.check()?;
    may_handle(caller.role, &[role])?;

    let mut tx = state.db.begin().await?;
    let org = orgs::store::lock(&mut tx, caller.org_id).await?;
    let account = stubs::find_or_insert_stub(&mut tx, &email, now).await?;
    if store::is_member(&mut tx, org.id, account.user.id).await? {
        return Err(ApiError::conflict("user is already a member"));
    }
    let seats_used = store::count(&mut tx, org.id).await?;
    if seats_used >= MAX_MEMBERS {
        return Err(ApiError::bad_request(format!(
            "an organization has at most {MAX_MEMBERS} members"
        )));
    }
    if org
        .limits_at(now)
        .seats
        .is_some_and(|limit| seats_used >= limit)
    {
        return Err(ApiError::payment_required("plan limit reached: seats"));
    }
    confirm(&mut tx, &caller, &[role]).await?;

    let membership = Membership {
        id: MemberId::new(now),
        org_id: org.id,
        user_id: account.user.id,
        role,
    };
    store::insert(&mut tx, &membership, now).await?;
    let link = link(&state.urls, &account);
    let member = Member {
        id: membership.id,
        org_id: org.id,
        role,
        email: account.user.email,
        name: account.user.name,
        custom_role_id: None,
        user_id: account.user.id,
    };
    let entry = Entry::new(org.id, caller.actor(), "member.invited").on(member.id);
    audit::store::record(&mut tx, entry.after(&member), now).await?;
    let mail = Template::Invitation {
        organization: &org.name,
        role: role.as_str(),
        link: &link,
    };
    state
        .mailer
        .enqueue(&mut tx, &member.email, &mail, now)
        .await?;
    tx.commit().await?;

    Ok((StatusCode::CREATED, Json(member)))
}

/// To the dashboard's sign-up, where an account waits to be claimed, else to its login.
fn link(urls: &UrlSettings, account: &Credentials) -> String {
    if account.password_hash.is_some() {
        return format!("{}/login", urls.dashboard);
    }
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("email", &account.user.email)
        .finish();
    format!("{}/signup?{query}", urls.dashboard)
}
