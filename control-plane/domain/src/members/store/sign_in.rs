//! SQL of memberships for signing in and for every request.

use std::sync::Arc;

use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::{
    accounts::email::Email,
    members::model::{Membership, Role},
    orgs::model::Plan,
    roles::{
        keys::{ApprovalsReview, MembersManage, Permission},
        model::BuiltIn,
    },
};
use base::{
    db,
    ids::{CustomRoleId, FamilyId, MemberId, OrgId, UserId},
};

#[derive(Debug)]
pub struct LiveMember {
    pub id: MemberId,
    /// The current role, which may differ from the token's.
    pub role: Role,
    pub permissions: Option<Arc<[String]>>,
    /// The organization's stored plan: a trial may have ended.
    pub plan: Plan,
    pub trial_expires_at: Option<OffsetDateTime>,
    /// Whether the organization is deleted, restorably by a login.
    pub is_deleted: bool,
}

/// The membership behind a token with its custom role, read on each request: removal, demotion, logout and changed roles take
/// effect at once, on every replica. `None` if the family is revoked or the membership gone. Includes the organization, so that
/// a request costs one query.
pub async fn find_live(
    conn: &mut PgConnection,
    org_id: OrgId,
    user_id: UserId,
    family_id: FamilyId,
) -> db::Result<Option<LiveMember>> {
    let row = sqlx::query!(
        r#"SELECT members.id, members.role, members.custom_role_id, custom_roles.permissions AS "permissions?",
                organizations.plan, organizations.trial_expires_at, organizations.deleted_at
         FROM members
         JOIN organizations ON organizations.id = members.org_id
         JOIN token_families
             ON token_families.org_id = members.org_id AND token_families.user_id = members.user_id
         LEFT JOIN custom_roles
             ON custom_roles.org_id = members.org_id AND custom_roles.id = members.stored_role_id
         WHERE members.org_id = $1
             AND members.user_id = $2
             AND token_families.id = $3
             AND token_families.revoked_at IS NULL
             AND (token_families.provider_id IS NOT NULL OR members.role = 'owner' OR NOT organizations.sign_in_only_by_provider)
             AND NOT members.awaits_proof
             AND organizations.purge_started_at IS NULL"#,
        org_id as OrgId,
        user_id as UserId,
        family_id as FamilyId,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| LiveMember {
        id: row.id,
        role: row.role,
        plan: row.plan,
        trial_expires_at: row.trial_expires_at,
        is_deleted: row.deleted_at.is_some(),
        permissions: row
            .custom_role_id
            .map(|id| keys_of(id, row.permissions).into()),
    }))
}

/// A membership of an existing organization and its permissions, for work that outlives a request. `None` for those who are no
/// longer members, or may not come in yet.
pub async fn find_standing(
    conn: &mut PgConnection,
    org_id: OrgId,
    user_id: UserId,
) -> db::Result<Option<(MemberId, Role, Option<Vec<String>>)>> {
    let row = sqlx::query!(
        r#"SELECT members.id AS "id: MemberId", members.role AS "role: Role", members.custom_role_id AS "custom_role_id: CustomRoleId",
                custom_roles.permissions AS "permissions?"
         FROM members
         JOIN organizations ON organizations.id = members.org_id
         LEFT JOIN custom_roles
             ON custom_roles.org_id = members.org_id AND custom_roles.id = members.stored_role_id
         WHERE members.org_id = $1
             AND members.user_id = $2
             AND NOT members.awaits_proof
             AND organizations.deleted_at IS NULL
             AND organizations.purge_started_at IS NULL"#,
        org_id as OrgId,
        user_id as UserId,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| {
        let keys = row.custom_role_id.map(|id| keys_of(id, row.permissions));
        (row.id, row.role, keys)
    }))
}

/// Locks a membership and its role until the end of the transaction.
pub async fn hold_standing(
    conn: &mut PgConnection,
    org_id: OrgId,
    user_id: UserId,
) -> db::Result<()> {
    sqlx::query_scalar!(
        r#"SELECT id AS "id: MemberId" FROM members WHERE org_id = $1 AND user_id = $2 FOR SHARE"#,
        org_id as OrgId,
        user_id as UserId,
    )
    .fetch_optional(conn)
    .await?;
    Ok(())
}

/// The live ones of many families. Not tenant-scoped: the families are in many organizations.
pub async fn list_live(
    conn: &mut PgConnection,
    family_ids: &[FamilyId],
) -> db::Result<Vec<(FamilyId, LiveMember)>> {
    let rows = sqlx::query!(
        r#"SELECT token_families.id AS family_id, members.id, members.role, members.custom_role_id,
                custom_roles.permissions AS "permissions?", organizations.plan, organizations.trial_expires_at,
                organizations.deleted_at
         FROM token_families
         JOIN members
             ON members.org_id = token_families.org_id AND members.user_id = token_families.user_id
         JOIN organizations ON organizations.id = members.org_id
         LEFT JOIN custom_roles
             ON custom_roles.org_id = members.org_id AND custom_roles.id = members.stored_role_id
         WHERE token_families.id = ANY($1)
             AND token_families.revoked_at IS NULL
             AND (token_families.provider_id IS NOT NULL OR members.role = 'owner' OR NOT organizations.sign_in_only_by_provider)
             AND NOT members.awaits_proof
             AND organizations.purge_started_at IS NULL"#,
        family_ids as &[FamilyId],
    )
    .fetch_all(conn)
    .await?;
    let live = rows.into_iter().map(|row| {
        let member = LiveMember {
            id: row.id,
            role: row.role,
            plan: row.plan,
            trial_expires_at: row.trial_expires_at,
            is_deleted: row.deleted_at.is_some(),
            permissions: row
                .custom_role_id
                .map(|id| keys_of(id, row.permissions).into()),
        };
        (row.family_id, member)
    });
    Ok(live.collect())
}

/// The role of a user in an organization, if they may manage members.
pub async fn find_manager(
    conn: &mut PgConnection,
    org_id: OrgId,
    user_id: UserId,
) -> db::Result<Option<Role>> {
    let row = sqlx::query!(
        r#"SELECT members.role, members.custom_role_id, custom_roles.permissions AS "permissions?"
         FROM members
         LEFT JOIN custom_roles
             ON custom_roles.org_id = members.org_id AND custom_roles.id = members.stored_role_id
         WHERE members.org_id = $1 AND members.user_id = $2 AND NOT members.awaits_proof"#,
        org_id as OrgId,
        user_id as UserId,
    )
    .fetch_optional(conn)
    .await?;
    let manager = row.filter(|row| {
        row.role.is_manager()
            && row.custom_role_id.is_none_or(|id| {
                MembersManage::NEEDS.is_met_by(&keys_of(id, row.permissions.clone()))
            })
    });
    Ok(manager.map(|row| row.role))
}

/// Those of the users who may review requests for approval, which is up to persons. Locks them until the end of the transaction.
pub async fn hold_reviewers(
    conn: &mut PgConnection,
    org_id: OrgId,
    user_ids: &[UserId],
) -> db::Result<Vec<UserId>> {
    let rows = sqlx::query!(
        r#"SELECT members.user_id, members.role, members.custom_role_id, custom_roles.permissions AS "permissions?"
         FROM members
         LEFT JOIN custom_roles
             ON custom_roles.org_id = members.org_id AND custom_roles.id = members.stored_role_id
         WHERE members.org_id = $1 AND members.user_id = ANY($2) AND NOT members.awaits_proof
             AND NOT members.is_service
         ORDER BY members.id
         FOR SHARE OF members"#,
        org_id as OrgId,
        user_ids as &[UserId],
    )
    .fetch_all(conn)
    .await?;
    let reviewers = rows
        .into_iter()
        .filter(|row| may_review(row.role, row.custom_role_id, row.permissions.clone()));
    Ok(reviewers.map(|row| row.user_id).collect())
}

/// Whether a person with this role, and custom role with its stored keys, may review requests for approval.
pub(crate) fn may_review(
    role: Role,
    custom_role_id: Option<CustomRoleId>,
    stored: Option<Vec<String>>,
) -> bool {
    role.is_manager()
        && custom_role_id.is_none_or(|id| ApprovalsReview::NEEDS.is_met_by(&keys_of(id, stored)))
}

/// A role that is neither built in nor stored cannot be assigned; it would allow nothing.
pub(crate) fn keys_of(id: CustomRoleId, stored: Option<Vec<String>>) -> Vec<String> {
    let built_in = || BuiltIn::find(id).map(|role| role.role().permissions);
    stored.or_else(built_in).unwrap_or_default()
}

/// The membership that a user signs in to: in the requested organization, else in the one last used, else the oldest. Deleted
/// organizations come last; those being deleted permanently, and memberships waiting for a proof of the password, are excluded.
/// Not tenant-scoped: the tenant is chosen here.
pub async fn find_for_login(
    conn: &mut PgConnection,
    user_id: UserId,
    asked_for: Option<OrgId>,
) -> db::Result<Option<Membership>> {
    find_to_open(conn, user_id, asked_for, false).await
}

/// The membership that a password signs in to: as [`find_for_login`], without those of organizations where their provider alone
/// does. Owners keep their password.
pub async fn find_for_password(
    conn: &mut PgConnection,
    user_id: UserId,
    asked_for: Option<OrgId>,
) -> db::Result<Option<Membership>> {
    find_to_open(conn, user_id, asked_for, true).await
}

async fn find_to_open(
    conn: &mut PgConnection,
    user_id: UserId,
    asked_for: Option<OrgId>,
    by_password: bool,
) -> db::Result<Option<Membership>> {
    Ok(sqlx::query_as!(
        Membership,
        "SELECT members.id, members.org_id, members.user_id, members.role
         FROM members
         JOIN organizations ON organizations.id = members.org_id
         WHERE members.user_id = $1
             AND ($2::uuid IS NULL OR members.org_id = $2)
             AND NOT members.awaits_proof
             AND organizations.purge_started_at IS NULL
             AND (NOT $3::boolean OR members.role = 'owner' OR NOT organizations.sign_in_only_by_provider)
         ORDER BY organizations.deleted_at IS NOT NULL, members.last_login_at DESC NULLS LAST, members.created_at, members.id
         LIMIT 1",
        user_id as UserId,
        asked_for as Option<OrgId>,
        by_password,
    )
    .fetch_optional(conn)
    .await?)
}

/// The newest membership of a user. Deleted organizations come last; those being deleted permanently are excluded. Not
/// tenant-scoped: the tenant is chosen here.
pub async fn find_newest(
    conn: &mut PgConnection,
    user_id: UserId,
) -> db::Result<Option<Membership>> {
    Ok(sqlx::query_as!(
        Membership,
        "SELECT members.id, members.org_id, members.user_id, members.role
         FROM members
         JOIN organizations ON organizations.id = members.org_id
         WHERE members.user_id = $1 AND organizations.purge_started_at IS NULL
         ORDER BY organizations.deleted_at IS NOT NULL, members.created_at DESC, members.id DESC
         LIMIT 1",
        user_id as UserId,
    )
    .fetch_optional(conn)
    .await?)
}

/// Whether an organization has invited the holder of an address, who has not claimed their account yet. Not tenant-scoped: any
/// organization counts.
pub async fn is_invited(conn: &mut PgConnection, email: &Email) -> db::Result<bool> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (
               SELECT
               FROM users
               JOIN members ON members.user_id = users.id
               JOIN organizations ON organizations.id = members.org_id
               WHERE users.email = $1 AND users.password_hash IS NULL AND organizations.purge_started_at IS NULL
           ) AS "is_invited!""#,
        email.as_str(),
    )
    .fetch_one(conn)
    .await?)
}

/// Records a login. From now on the organization shows the account's name.
pub async fn update_last_login(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: MemberId,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE members SET last_login_at = $3, known_as = NULL WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as MemberId,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Sessions that end by this time may not move to the organization. `None` if all may.
pub async fn find_ended_sessions(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: MemberId,
) -> db::Result<Option<OffsetDateTime>> {
    let found = sqlx::query_scalar!(
        "SELECT ended_sessions_until FROM members WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as MemberId,
    )
    .fetch_optional(conn)
    .await?;
    Ok(found.flatten())
}

pub async fn update_ended_sessions(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: MemberId,
    until: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE members SET ended_sessions_until = $3 WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as MemberId,
        until,
    )
    .execute(conn)
    .await?;
    Ok(())
}
