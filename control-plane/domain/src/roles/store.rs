//! SQL of custom roles. Built-in ones have no rows, but [`find`] returns them too.

use sqlx::PgConnection;
use time::OffsetDateTime;

use super::model::{BuiltIn, CustomRole, folded};
use base::{
    db,
    ids::{CustomRoleId, OrgId},
    refusal::Refusal,
};

pub(super) const NAME_TAKEN: &str = "role name already exists";

/// A built-in role or one of the organization.
pub async fn find(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: CustomRoleId,
) -> db::Result<Option<CustomRole>> {
    if let Some(built_in) = BuiltIn::find(id) {
        return Ok(Some(built_in.role()));
    }
    find_stored(conn, org_id, id).await
}

/// A role of the organization, never a built-in one.
pub async fn find_stored(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: CustomRoleId,
) -> db::Result<Option<CustomRole>> {
    Ok(sqlx::query_as!(
        CustomRole,
        r#"SELECT id, name, permissions, false AS "built_in!", created_at, revision AS version
           FROM custom_roles
           WHERE org_id = $1 AND id = $2"#,
        org_id as OrgId,
        id as CustomRoleId,
    )
    .fetch_optional(conn)
    .await?)
}

/// All roles of the organization, in creation order, without the built-in ones.
pub async fn list(conn: &mut PgConnection, org_id: OrgId) -> db::Result<Vec<CustomRole>> {
    Ok(sqlx::query_as!(
        CustomRole,
        r#"SELECT id, name, permissions, false AS "built_in!", created_at, revision AS version
           FROM custom_roles
           WHERE org_id = $1
           ORDER BY created_at, id"#,
        org_id as OrgId,
    )
    .fetch_all(conn)
    .await?)
}

/// The number of roles of the organization, without the built-in ones. Exact when the caller holds the organization's row.
pub async fn count(conn: &mut PgConnection, org_id: OrgId) -> db::Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "count!" FROM custom_roles WHERE org_id = $1"#,
        org_id as OrgId,
    )
    .fetch_one(conn)
    .await?)
}

pub async fn insert(
    conn: &mut PgConnection,
    org_id: OrgId,
    role: &CustomRole,
) -> Result<(), Refusal> {
    sqlx::query!(
        "INSERT INTO custom_roles (id, org_id, name, folded_name, permissions, created_at, updated_at, revision)
         VALUES ($1, $2, $3, $4, $5, $6, $6, $7)",
        role.id as CustomRoleId,
        org_id as OrgId,
        role.name,
        folded(&role.name),
        &role.permissions,
        role.created_at,
        role.version,
    )
    .execute(conn)
    .await
    .map_err(name_taken())?;
    Ok(())
}

pub async fn update(
    conn: &mut PgConnection,
    org_id: OrgId,
    role: &CustomRole,
    now: OffsetDateTime,
) -> Result<(), Refusal> {
    sqlx::query!(
        "UPDATE custom_roles
         SET name = $3, folded_name = $4, permissions = $5, updated_at = $6, revision = $7
         WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        role.id as CustomRoleId,
        role.name,
        folded(&role.name),
        &role.permissions,
        now,
        role.version,
    )
    .execute(conn)
    .await
    .map_err(name_taken())?;
    Ok(())
}

/// Deletes an unassigned role.
///
/// # Errors
/// When a member has it, or the database fails.
pub async fn delete(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: CustomRoleId,
) -> Result<(), Refusal> {
    sqlx::query!(
        "DELETE FROM custom_roles WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as CustomRoleId,
    )
    .execute(conn)
    .await
    .map_err(Refusal::violated(
        "members_stored_role_id_fkey",
        "role is assigned to members",
    ))?;
    Ok(())
}

fn name_taken() -> impl FnOnce(sqlx::Error) -> Refusal {
    Refusal::violated("custom_roles_org_id_folded_name_key", NAME_TAKEN)
}
