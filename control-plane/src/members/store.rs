//! SQL of memberships.

use std::sync::Arc;

use serving::page::Page;
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::model::{Member, Membership, Role};
use crate::{
    db,
    ids::{FamilyId, MemberId, OrgId, UserId},
    roles::model::BuiltIn,
};

/// What a live token family stands for now.
#[derive(Debug)]
pub struct LiveMember {
    /// The membership.
    pub id: MemberId,
    /// The role at this moment, which may differ from the token's.
    pub role: Role,
    /// The keys of the custom role that the member is held to, if any.
    pub permissions: Option<Arc<[String]>>,
}

/// The membership behind a token with its custom role, read at each request: removal, demotion, logout and changed roles
/// act at once, on every replica. `None` when the family is revoked or the membership gone.
///
/// # Errors
/// When the database fails.
pub async fn find_live(
    conn: &mut PgConnection,
    org_id: OrgId,
    user_id: UserId,
    family_id: FamilyId,
) -> db::Result<Option<LiveMember>> {
    let row = sqlx::query!(
        r#"SELECT members.id, members.role, members.custom_role_id, custom_roles.permissions AS "permissions?"
         FROM members
         JOIN token_families
             ON token_families.org_id = members.org_id AND token_families.user_id = members.user_id
         LEFT JOIN custom_roles
             ON custom_roles.org_id = members.org_id AND custom_roles.id = members.stored_role_id
         WHERE members.org_id = $1
             AND members.user_id = $2
             AND token_families.id = $3
             AND token_families.revoked_at IS NULL"#,
        org_id as OrgId,
        user_id as UserId,
        family_id as FamilyId,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| LiveMember {
        id: row.id,
        role: row.role,
        permissions: row.custom_role_id.map(|id| {
            // One that is neither built in nor stored cannot be assigned; it would allow nothing.
            let built_in = || BuiltIn::find(id).map(|role| role.role().permissions);
            row.permissions.or_else(built_in).unwrap_or_default().into()
        }),
    }))
}

/// The membership that a user signs in to: the organization they ask for, else the one they signed in to last, else their
/// oldest. Not tenant-scoped: this is where the tenant is chosen.
///
/// # Errors
/// When the database fails.
pub async fn find_for_login(
    conn: &mut PgConnection,
    user_id: UserId,
    asked_for: Option<OrgId>,
) -> db::Result<Option<Membership>> {
    Ok(sqlx::query_as!(
        Membership,
        "SELECT id, org_id, user_id, role
         FROM members
         WHERE user_id = $1 AND ($2::uuid IS NULL OR org_id = $2)
         ORDER BY last_login_at DESC NULLS LAST, created_at, id
         LIMIT 1",
        user_id as UserId,
        asked_for as Option<OrgId>,
    )
    .fetch_optional(conn)
    .await?)
}

/// A user as a member of each of their organizations. Not tenant-scoped: they are in several.
///
/// # Errors
/// When the database fails.
pub async fn list_of_user(conn: &mut PgConnection, user_id: UserId) -> db::Result<Vec<Member>> {
    Ok(sqlx::query_as!(
        Member,
        "SELECT members.id, members.org_id, members.role, users.email, users.name, members.user_id
         FROM members
         JOIN users ON users.id = members.user_id
         WHERE members.user_id = $1
         ORDER BY members.created_at, members.id",
        user_id as UserId,
    )
    .fetch_all(conn)
    .await?)
}

/// Stores a new membership.
///
/// # Errors
/// When the database fails.
pub async fn insert(
    conn: &mut PgConnection,
    member: &Membership,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "INSERT INTO members (id, org_id, user_id, role, created_at)
         VALUES ($1, $2, $3, $4, $5)",
        member.id as MemberId,
        member.org_id as OrgId,
        member.user_id as UserId,
        member.role as Role,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Remembers that the member signed in.
///
/// # Errors
/// When the database fails.
pub async fn update_last_login(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: MemberId,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE members SET last_login_at = $3 WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as MemberId,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A page of the organization's members, in creation order. Like [`find`] it reads accounts, which belong to `accounts`, for
/// address and name.
///
/// # Errors
/// When the database fails.
pub async fn list(conn: &mut PgConnection, org_id: OrgId, page: Page) -> db::Result<Vec<Member>> {
    Ok(sqlx::query_as!(
        Member,
        "SELECT members.id, members.org_id, members.role, users.email, users.name, members.user_id
         FROM members
         JOIN users ON users.id = members.user_id
         WHERE members.org_id = $1
         ORDER BY members.created_at, members.id
         LIMIT $2 OFFSET $3",
        org_id as OrgId,
        page.limit,
        page.offset,
    )
    .fetch_all(conn)
    .await?)
}

/// The number of members, invited ones included: the seats in use. Exact when the caller holds the organization's lock.
///
/// # Errors
/// When the database fails.
pub async fn count(conn: &mut PgConnection, org_id: OrgId) -> db::Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "count!" FROM members WHERE org_id = $1"#,
        org_id as OrgId,
    )
    .fetch_one(conn)
    .await?)
}

/// The member, if the organization has it.
///
/// # Errors
/// When the database fails.
pub async fn find(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: MemberId,
) -> db::Result<Option<Member>> {
    Ok(sqlx::query_as!(
        Member,
        "SELECT members.id, members.org_id, members.role, users.email, users.name, members.user_id
         FROM members
         JOIN users ON users.id = members.user_id
         WHERE members.org_id = $1 AND members.id = $2",
        org_id as OrgId,
        id as MemberId,
    )
    .fetch_optional(conn)
    .await?)
}

/// Whether the user belongs to the organization.
///
/// # Errors
/// When the database fails.
pub async fn is_member(
    conn: &mut PgConnection,
    org_id: OrgId,
    user_id: UserId,
) -> db::Result<bool> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM members WHERE org_id = $1 AND user_id = $2) AS "is_member!""#,
        org_id as OrgId,
        user_id as UserId,
    )
    .fetch_one(conn)
    .await?)
}

/// Whether the organization has an owner besides this member. Stays true until commit while the caller holds the
/// organization's lock.
///
/// # Errors
/// When the database fails.
pub async fn has_other_owner(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: MemberId,
) -> db::Result<bool> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (
             SELECT FROM members WHERE org_id = $1 AND id <> $2 AND role = 'owner'
         ) AS "has_other_owner!""#,
        org_id as OrgId,
        id as MemberId,
    )
    .fetch_one(conn)
    .await?)
}

/// Stores the role of a member who is there.
///
/// # Errors
/// When the database fails.
pub async fn update(conn: &mut PgConnection, member: &Member) -> db::Result<()> {
    sqlx::query!(
        "UPDATE members SET role = $3 WHERE org_id = $1 AND id = $2",
        member.org_id as OrgId,
        member.id as MemberId,
        member.role as Role,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Deletes a membership with its environment permissions. The account stays.
///
/// # Errors
/// When the database fails.
pub async fn delete(conn: &mut PgConnection, org_id: OrgId, id: MemberId) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM members WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as MemberId,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Locks a member until the end of the transaction; `false` when the organization has no such member.
///
/// # Errors
/// When the database fails.
pub async fn lock(conn: &mut PgConnection, org_id: OrgId, id: MemberId) -> db::Result<bool> {
    let locked = sqlx::query_scalar!(
        "SELECT id FROM members WHERE org_id = $1 AND id = $2 FOR NO KEY UPDATE",
        org_id as OrgId,
        id as MemberId,
    )
    .fetch_optional(conn)
    .await?;
    Ok(locked.is_some())
}
