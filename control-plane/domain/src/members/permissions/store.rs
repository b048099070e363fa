//! SQL of environment permissions.

use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::model::EnvironmentPermission;
use crate::members::model::Role;
use base::{
    db,
    ids::{EnvId, MemberId, OrgId},
};

#[derive(Debug)]
pub(super) struct Held {
    pub(super) role: Role,
    /// True without a row.
    pub(super) can_toggle: bool,
    /// True without a row.
    pub(super) can_edit_rules: bool,
    /// Whether the environment is protected.
    pub(super) protected: bool,
}

/// A member's role and permissions; locks the member until the end of the transaction. `None` if there is no such member or
/// environment.
pub(super) async fn find_for_share(
    conn: &mut PgConnection,
    org_id: OrgId,
    member_id: MemberId,
    env_id: EnvId,
) -> db::Result<Option<Held>> {
    Ok(sqlx::query_as!(
        Held,
        r#"SELECT members.role,
                  COALESCE(held.can_toggle, true) AS "can_toggle!",
                  COALESCE(held.can_edit_rules, true) AS "can_edit_rules!",
                  environments.protected
           FROM members
           JOIN environments ON environments.org_id = members.org_id AND environments.id = $3
           LEFT JOIN environment_permissions AS held ON held.member_id = members.id AND held.env_id = $3
           WHERE members.org_id = $1 AND members.id = $2
           FOR SHARE OF members"#,
        org_id as OrgId,
        member_id as MemberId,
        env_id as EnvId,
    )
    .fetch_optional(conn)
    .await?)
}

/// A member's role; locks the member until the end of the transaction.
pub(super) async fn find_role_for_share(
    conn: &mut PgConnection,
    org_id: OrgId,
    member_id: MemberId,
) -> db::Result<Option<Role>> {
    Ok(sqlx::query_scalar!(
        "SELECT role FROM members WHERE org_id = $1 AND id = $2 FOR SHARE",
        org_id as OrgId,
        member_id as MemberId,
    )
    .fetch_optional(conn)
    .await?)
}

/// All rows of a member, in creation order.
pub async fn list(
    conn: &mut PgConnection,
    org_id: OrgId,
    member_id: MemberId,
) -> db::Result<Vec<EnvironmentPermission>> {
    Ok(sqlx::query_as!(
        EnvironmentPermission,
        "SELECT id, member_id, env_id, can_toggle, can_edit_rules
         FROM environment_permissions
         WHERE org_id = $1 AND member_id = $2
         ORDER BY created_at, id",
        org_id as OrgId,
        member_id as MemberId,
    )
    .fetch_all(conn)
    .await?)
}

/// Stores rows, new or existing. An existing row keeps its id.
pub(super) async fn upsert(
    conn: &mut PgConnection,
    org_id: OrgId,
    rows: &[EnvironmentPermission],
    now: OffsetDateTime,
) -> db::Result<()> {
    let ids: Vec<Uuid> = rows.iter().map(|row| row.id.0).collect();
    let members: Vec<Uuid> = rows.iter().map(|row| row.member_id.0).collect();
    let environments: Vec<Uuid> = rows.iter().map(|row| row.env_id.0).collect();
    let can_toggle: Vec<bool> = rows.iter().map(|row| row.can_toggle).collect();
    let can_edit_rules: Vec<bool> = rows.iter().map(|row| row.can_edit_rules).collect();
    sqlx::query!(
        "INSERT INTO environment_permissions
             (id, member_id, env_id, can_toggle, can_edit_rules, org_id, created_at, updated_at)
         SELECT *, $6::uuid, $7::timestamptz, $7::timestamptz
         FROM UNNEST($1::uuid[], $2::uuid[], $3::uuid[], $4::boolean[], $5::boolean[])
         ON CONFLICT ON CONSTRAINT environment_permissions_member_id_env_id_key DO UPDATE
         SET can_toggle = EXCLUDED.can_toggle,
             can_edit_rules = EXCLUDED.can_edit_rules,
             updated_at = EXCLUDED.updated_at",
        &ids,
        &members,
        &environments,
        &can_toggle,
        &can_edit_rules,
        org_id as OrgId,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}
