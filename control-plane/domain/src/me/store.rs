//! SQL of lists for the signed-in user.

use sqlx::PgConnection;

use super::model::{JoinedOrganization, NamedProject};
use base::{
    db,
    ids::{OrgId, UserId},
};

/// The first 1,000 organizations that a user may sign in to, in the order of joining: any may invite an account. Not
/// tenant-scoped: the user may be in several.
pub(super) async fn list_organizations(
    conn: &mut PgConnection,
    user_id: UserId,
) -> db::Result<Vec<JoinedOrganization>> {
    Ok(sqlx::query_as!(
        JoinedOrganization,
        "SELECT organizations.id, organizations.name, members.role
         FROM members
         JOIN organizations ON organizations.id = members.org_id
         WHERE members.user_id = $1 AND NOT members.awaits_proof AND organizations.purge_started_at IS NULL
         ORDER BY members.created_at, members.id
         LIMIT $2",
        user_id as UserId,
        1_000_i64,
    )
    .fetch_all(conn)
    .await?)
}

/// The projects of an organization, in creation order: it has at most 1,000.
pub(super) async fn list_projects(
    conn: &mut PgConnection,
    org_id: OrgId,
) -> db::Result<Vec<NamedProject>> {
    Ok(sqlx::query_as!(
        NamedProject,
        "SELECT id, name, slug
         FROM projects
         WHERE org_id = $1
         ORDER BY created_at, id
         LIMIT $2",
        org_id as OrgId,
        1_000_i64,
    )
    .fetch_all(conn)
    .await?)
}
