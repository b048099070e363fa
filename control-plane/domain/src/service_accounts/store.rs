//! SQL of service accounts, which are members with an account of their own.

use serving::page::{Page, Paged};
use sqlx::PgConnection;

use super::model::ServiceAccount;
use crate::members::model::Role;
use base::{
    db,
    ids::{CustomRoleId, MemberId, OrgId, UserId},
};

pub(super) async fn insert(
    conn: &mut PgConnection,
    org_id: OrgId,
    account: &ServiceAccount,
) -> db::Result<()> {
    sqlx::query!(
        "INSERT INTO members (id, org_id, user_id, role, custom_role_id, created_at, is_service)
         VALUES ($1, $2, $3, $4, $5, $6, true)",
        account.id as MemberId,
        org_id as OrgId,
        account.user_id as UserId,
        account.role as Role,
        account.custom_role_id as Option<CustomRoleId>,
        account.created_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The number of the organization's service accounts. Exact if the caller holds the organization's lock.
pub(super) async fn count(conn: &mut PgConnection, org_id: OrgId) -> db::Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "count!" FROM members WHERE org_id = $1 AND is_service"#,
        org_id as OrgId,
    )
    .fetch_one(conn)
    .await?)
}

/// A page of the organization's service accounts, in creation order.
pub async fn page(
    conn: &mut PgConnection,
    org_id: OrgId,
    page: Page,
) -> db::Result<Paged<ServiceAccount>> {
    let items = sqlx::query_as!(
        ServiceAccount,
        "SELECT members.id, users.name, members.role, members.custom_role_id, members.created_at, members.user_id
         FROM members
         JOIN users ON users.id = members.user_id
         WHERE members.org_id = $1 AND members.is_service
         ORDER BY members.created_at, members.id
         LIMIT $2 OFFSET $3",
        org_id as OrgId,
        page.limit,
        page.offset,
    )
    .fetch_all(&mut *conn)
    .await?;
    Ok(Paged::new(items, count(conn, org_id).await?, page))
}

pub async fn find(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: MemberId,
) -> db::Result<Option<ServiceAccount>> {
    Ok(sqlx::query_as!(
        ServiceAccount,
        "SELECT members.id, users.name, members.role, members.custom_role_id, members.created_at, members.user_id
         FROM members
         JOIN users ON users.id = members.user_id
         WHERE members.org_id = $1 AND members.id = $2 AND members.is_service",
        org_id as OrgId,
        id as MemberId,
    )
    .fetch_optional(conn)
    .await?)
}
