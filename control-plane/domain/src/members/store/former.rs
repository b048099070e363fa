//! SQL of suspended memberships. The next membership, however it begins, deletes the row.

use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::members::model::Role;
use base::{
    db,
    ids::{CustomRoleId, MemberId, OrgId, UserId},
};

#[derive(Debug)]
pub struct Former {
    pub role: Role,
    pub custom_role_id: Option<CustomRoleId>,
}

/// Stores a member's roles and environment permissions, replacing an earlier row.
pub async fn insert(
    conn: &mut PgConnection,
    org_id: OrgId,
    user_id: UserId,
    member_id: MemberId,
) -> db::Result<()> {
    delete(conn, org_id, user_id).await?;
    sqlx::query!(
        "INSERT INTO former_members (org_id, user_id, role, custom_role_id)
         SELECT org_id, user_id, role, custom_role_id
         FROM members
         WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        member_id as MemberId,
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "INSERT INTO former_permissions (id, org_id, user_id, env_id, can_toggle, can_edit_rules, created_at)
         SELECT id, org_id, $2, env_id, can_toggle, can_edit_rules, created_at
         FROM environment_permissions
         WHERE org_id = $1 AND member_id = $3",
        org_id as OrgId,
        user_id as UserId,
        member_id as MemberId,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The roles of a suspended member; `None` if not suspended.
pub async fn find(
    conn: &mut PgConnection,
    org_id: OrgId,
    user_id: UserId,
) -> db::Result<Option<Former>> {
    Ok(sqlx::query_as!(
        Former,
        "SELECT role, custom_role_id FROM former_members WHERE org_id = $1 AND user_id = $2",
        org_id as OrgId,
        user_id as UserId,
    )
    .fetch_optional(conn)
    .await?)
}

/// Restores the stored environment permissions of a new membership, for environments that still exist.
pub async fn restore_permissions(
    conn: &mut PgConnection,
    org_id: OrgId,
    user_id: UserId,
    member_id: MemberId,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "INSERT INTO environment_permissions
             (id, org_id, member_id, env_id, can_toggle, can_edit_rules, created_at, updated_at)
         SELECT id, org_id, $3, env_id, can_toggle, can_edit_rules, created_at, $4
         FROM former_permissions
         WHERE org_id = $1 AND user_id = $2",
        org_id as OrgId,
        user_id as UserId,
        member_id as MemberId,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn delete(conn: &mut PgConnection, org_id: OrgId, user_id: UserId) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM former_members WHERE org_id = $1 AND user_id = $2",
        org_id as OrgId,
        user_id as UserId,
    )
    .execute(conn)
    .await?;
    Ok(())
}
