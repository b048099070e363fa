//! SQL of memberships.

pub mod former;
mod sign_in;

pub use sign_in::{
    LiveMember, find_ended_sessions, find_for_login, find_for_password, find_live, find_manager,
    find_newest, find_standing, hold_reviewers, hold_standing, is_invited, list_live,
    update_ended_sessions, update_last_login,
};

use serving::page::{Page, Paged};
pub(crate) use sign_in::{keys_of, may_review};
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::model::{Member, Membership, Ownership, Role};
use crate::sign_in::store::removals;
use base::{
    db,
    ids::{CustomRoleId, MemberId, OrgId, UserId},
};

/// A membership claimed by proving the address.
#[derive(Debug)]
pub struct Joined {
    pub member: Member,
    /// The organization's previous name for them, if different from the account's.
    pub known_as: Option<String>,
}

/// Claims all memberships of a user; the organizations show the account's name from now on. Not tenant-scoped: the user may be
/// in several.
pub async fn claim_all(conn: &mut PgConnection, user_id: UserId) -> db::Result<Vec<Joined>> {
    let rows = sqlx::query!(
        "WITH before AS (SELECT id, known_as FROM members WHERE user_id = $1)
         UPDATE members
         SET known_as = NULL
         FROM before, users
         WHERE members.id = before.id AND users.id = members.user_id
         RETURNING members.id, members.org_id, members.role, users.email, users.name, members.custom_role_id,
                members.user_id, before.known_as",
        user_id as UserId,
    )
    .fetch_all(conn)
    .await?;
    let joined = rows.into_iter().map(|row| Joined {
        member: Member {
            id: row.id,
            org_id: row.org_id,
            role: row.role,
            email: row.email,
            name: row.name,
            custom_role_id: row.custom_role_id,
            user_id: row.user_id,
        },
        known_as: row.known_as,
    });
    Ok(joined.collect())
}

/// Activates and returns memberships that waited for a proof of the password. Not tenant-scoped: the user may be in several
/// organizations.
pub async fn begin_waiting(
    conn: &mut PgConnection,
    user_id: UserId,
) -> db::Result<Vec<(OrgId, MemberId)>> {
    let rows = sqlx::query!(
        "UPDATE members SET awaits_proof = false WHERE user_id = $1 AND awaits_proof RETURNING org_id, id",
        user_id as UserId,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (row.org_id, row.id)).collect())
}

/// Stores the membership of a user in an organization just created for them.
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

/// Stores a membership given by an organization. It waits if the account's password is unproven. Locks the account against that
/// proof until the end of the transaction.
pub async fn insert_given(
    conn: &mut PgConnection,
    member: &Membership,
    known_as: Option<&str>,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "INSERT INTO members (id, org_id, user_id, role, created_at, known_as, awaits_proof)
         SELECT $1, $2, id, $4, $5, $6, password_hash IS NOT NULL AND NOT password_proven
         FROM users
         WHERE id = $3
         FOR SHARE",
        member.id as MemberId,
        member.org_id as OrgId,
        member.user_id as UserId,
        member.role as Role,
        now,
        known_as,
    )
    .execute(&mut *conn)
    .await?;
    removals::delete(conn, member.org_id, member.user_id).await
}

/// A page of the organization's members, in creation order, without service accounts. Like [`find`] it reads address and name from the accounts, which
/// belong to `accounts`.
pub async fn page(conn: &mut PgConnection, org_id: OrgId, page: Page) -> db::Result<Paged<Member>> {
    let items = sqlx::query_as!(
        Member,
        r#"SELECT members.id, members.org_id, members.role, users.email,
                COALESCE(members.known_as, users.name) AS "name!", members.custom_role_id, members.user_id
         FROM members
         JOIN users ON users.id = members.user_id
         WHERE members.org_id = $1 AND NOT members.is_service
         ORDER BY members.created_at, members.id
         LIMIT $2 OFFSET $3"#,
        org_id as OrgId,
        page.limit,
        page.offset,
    )
    .fetch_all(&mut *conn)
    .await?;
    Ok(Paged::new(items, count(conn, org_id).await?, page))
}

/// The addresses of the organization's owners and admins, in creation order. `Contacts::Claimed` limits them to those with a
/// claimed account: any address can be invited.
pub async fn list_contacts(
    conn: &mut PgConnection,
    org_id: OrgId,
    contacts: Contacts,
) -> db::Result<Vec<String>> {
    Ok(sqlx::query_scalar!(
        r#"SELECT users.email AS "email!"
         FROM members
         JOIN users ON users.id = members.user_id
         WHERE members.org_id = $1
             AND members.role IN ('owner', 'admin')
             AND users.email IS NOT NULL
             AND ($2 OR users.password_hash IS NOT NULL)
         ORDER BY members.created_at, members.id"#,
        org_id as OrgId,
        contacts == Contacts::All,
    )
    .fetch_all(conn)
    .await?)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contacts {
    All,
    /// Those who have signed up, without invited ones.
    Claimed,
}

/// The number of members, including invited ones, without service accounts: the seats in use. Exact if the caller holds the organization's lock.
pub async fn count(conn: &mut PgConnection, org_id: OrgId) -> db::Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "count!" FROM members WHERE org_id = $1 AND NOT is_service"#,
        org_id as OrgId,
    )
    .fetch_one(conn)
    .await?)
}

pub async fn find(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: MemberId,
) -> db::Result<Option<Member>> {
    Ok(sqlx::query_as!(
        Member,
        r#"SELECT members.id, members.org_id, members.role, users.email,
                COALESCE(members.known_as, users.name) AS "name!", members.custom_role_id, members.user_id
         FROM members
         JOIN users ON users.id = members.user_id
         WHERE members.org_id = $1 AND members.id = $2"#,
        org_id as OrgId,
        id as MemberId,
    )
    .fetch_optional(conn)
    .await?)
}

/// The membership of a user, and whether it waits for a proof of the password.
pub async fn find_of_user(
    conn: &mut PgConnection,
    org_id: OrgId,
    user_id: UserId,
) -> db::Result<Option<Held>> {
    Ok(sqlx::query_as!(
        Held,
        "SELECT id, role, awaits_proof FROM members WHERE org_id = $1 AND user_id = $2",
        org_id as OrgId,
        user_id as UserId,
    )
    .fetch_optional(conn)
    .await?)
}

#[derive(Clone, Copy, Debug)]
pub struct Held {
    pub id: MemberId,
    pub role: Role,
    pub awaits_proof: bool,
}

/// The strongest ownership among the other members. Stable until commit if the caller holds the organization's lock.
pub async fn ownership_of_others(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: MemberId,
) -> db::Result<Ownership> {
    let any_is_free = sqlx::query_scalar!(
        r#"SELECT bool_or(custom_role_id IS NULL) AS "any_is_free?"
         FROM members
         WHERE org_id = $1 AND id <> $2 AND role = 'owner' AND NOT is_service"#,
        org_id as OrgId,
        id as MemberId,
    )
    .fetch_one(conn)
    .await?;
    Ok(match any_is_free {
        None => Ownership::None,
        Some(false) => Ownership::Held,
        Some(true) => Ownership::Full,
    })
}

pub async fn list_user_ids(
    conn: &mut PgConnection,
    org_id: OrgId,
    limit: i64,
) -> db::Result<Vec<UserId>> {
    Ok(sqlx::query_scalar!(
        "SELECT user_id FROM members WHERE org_id = $1 ORDER BY id LIMIT $2",
        org_id as OrgId,
        limit,
    )
    .fetch_all(conn)
    .await?)
}

/// Whether a user is a member of an organization other than this one.
pub async fn is_member_elsewhere(
    conn: &mut PgConnection,
    user_id: UserId,
    org_id: OrgId,
) -> db::Result<bool> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM members WHERE user_id = $1 AND org_id <> $2) AS "is_member!""#,
        user_id as UserId,
        org_id as OrgId,
    )
    .fetch_one(conn)
    .await?)
}

pub async fn update_roles(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: MemberId,
    role: Role,
    custom_role_id: Option<CustomRoleId>,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE members SET role = $3, custom_role_id = $4 WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as MemberId,
        role as Role,
        custom_role_id as Option<CustomRoleId>,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Sets the organization's name for a member whose account is not its own and who has not signed in there.
pub async fn update_known_as(
    conn: &mut PgConnection,
    org_id: OrgId,
    user_id: UserId,
    known_as: &str,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE members SET known_as = $3 WHERE org_id = $1 AND user_id = $2 AND known_as IS NOT NULL",
        org_id as OrgId,
        user_id as UserId,
        known_as,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Deletes a membership and its environment permissions. The account of a person stays.
pub async fn delete(conn: &mut PgConnection, org_id: OrgId, id: MemberId) -> db::Result<()> {
    sqlx::query!(
        "WITH gone AS (DELETE FROM members WHERE org_id = $1 AND id = $2 RETURNING user_id, is_service)
         DELETE FROM users USING gone WHERE users.id = gone.user_id AND gone.is_service",
        org_id as OrgId,
        id as MemberId,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Deletes the membership of a user. The account stays.
pub async fn delete_of_user(
    conn: &mut PgConnection,
    org_id: OrgId,
    user_id: UserId,
) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM members WHERE org_id = $1 AND user_id = $2",
        org_id as OrgId,
        user_id as UserId,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Locks a member until the end of the transaction; `false` if the organization has no such member.
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
