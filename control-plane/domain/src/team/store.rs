//! SQL of the team's list.

use serving::page::Page;
use sqlx::PgConnection;
use uuid::Uuid;

use super::model::{Filter, TeamMember};
use crate::me::model::EnvironmentAccess;
use base::{
    db,
    ids::{CustomRoleId, EnvId, MemberId, OrgId, ProjectId, UserId},
};

/// Who looks at the list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Viewer {
    pub(super) org_id: OrgId,
    pub(super) member_id: MemberId,
    /// Whether they see the sign-ins of others.
    pub(super) is_manager: bool,
}

/// Members that match, in the order in which they were added, and how many there are. Nothing of the account of a member who has
/// never signed in: whether an address has an account is private to its holder.
pub(super) async fn page(
    conn: &mut PgConnection,
    viewer: Viewer,
    filter: &Filter,
    page: Page,
) -> db::Result<(Vec<TeamMember>, i64)> {
    let rows = sqlx::query!(
        r#"SELECT members.id, members.role, users.email, members.custom_role_id, members.created_at, members.last_login_at,
                COALESCE(members.known_as, users.name) AS "name!",
                CASE WHEN members.last_login_at IS NOT NULL THEN members.user_id END AS "user_id: UserId",
                CASE WHEN members.last_login_at IS NOT NULL
                    THEN EXISTS (SELECT FROM mfa_enrolments WHERE user_id = members.user_id AND enrolled_at IS NOT NULL)
                END AS mfa_enabled,
                $4 OR members.id = $5 AS "is_shown!"
         FROM members
         JOIN users ON users.id = members.user_id
         WHERE members.org_id = $1
             AND NOT members.is_service
             AND ($3::uuid IS NULL OR members.custom_role_id = $3)
             AND ($8::uuid IS NULL OR members.id = $8)
             AND NOT EXISTS (
                 SELECT
                 FROM unnest($2::text[]) AS word
                 WHERE strpos(lower(concat_ws(' ', COALESCE(members.known_as, users.name), users.email)), lower(word)) = 0
             )
         ORDER BY members.created_at, members.id
         LIMIT $6 OFFSET $7"#,
        viewer.org_id as OrgId,
        &filter.words,
        filter.custom_role_id as Option<CustomRoleId>,
        viewer.is_manager,
        viewer.member_id as MemberId,
        page.limit,
        page.offset,
        filter.member_id as Option<MemberId>,
    )
    .fetch_all(&mut *conn)
    .await?;
    let members = rows.into_iter().map(|row| TeamMember {
        member_id: row.id,
        user_id: row.user_id,
        name: row.name,
        email: row.email,
        role: row.role,
        custom_role_id: row.custom_role_id,
        joined_at: row.created_at,
        invited: row.last_login_at.is_none(),
        last_login_at: row.last_login_at.filter(|_| row.is_shown),
        mfa_enabled: row.mfa_enabled.filter(|_| row.is_shown),
        permissions: Vec::new(),
    });
    let members = members.collect();
    Ok((members, count(conn, viewer.org_id, filter).await?))
}

async fn count(conn: &mut PgConnection, org_id: OrgId, filter: &Filter) -> db::Result<i64> {
    if filter.is_empty() {
        return crate::members::store::count(conn, org_id).await;
    }
    Ok(sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!"
         FROM members
         JOIN users ON users.id = members.user_id
         WHERE members.org_id = $1
             AND NOT members.is_service
             AND ($3::uuid IS NULL OR members.custom_role_id = $3)
             AND ($4::uuid IS NULL OR members.id = $4)
             AND NOT EXISTS (
                 SELECT
                 FROM unnest($2::text[]) AS word
                 WHERE strpos(lower(concat_ws(' ', COALESCE(members.known_as, users.name), users.email)), lower(word)) = 0
             )"#,
        org_id as OrgId,
        &filter.words,
        filter.custom_role_id as Option<CustomRoleId>,
        filter.member_id as Option<MemberId>,
    )
    .fetch_one(conn)
    .await?)
}

/// Adds the stored permissions in the environments of a project, in the order in which they were stored.
pub(super) async fn add_permissions(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    members: &mut [TeamMember],
) -> db::Result<()> {
    let ids: Vec<Uuid> = members.iter().map(|member| member.member_id.0).collect();
    let rows = sqlx::query!(
        r#"SELECT held.member_id AS "member_id: MemberId", held.env_id AS "env_id: EnvId", held.can_toggle, held.can_edit_rules
         FROM environment_permissions AS held
         JOIN environments ON environments.org_id = held.org_id AND environments.id = held.env_id
         WHERE held.org_id = $1 AND environments.project_id = $2 AND held.member_id = ANY($3)
         ORDER BY held.created_at, held.id"#,
        org_id as OrgId,
        project_id as ProjectId,
        &ids,
    )
    .fetch_all(conn)
    .await?;
    for row in rows {
        let member = members
            .iter_mut()
            .find(|one| one.member_id == row.member_id);
        if let Some(member) = member {
            let access = EnvironmentAccess::new(row.env_id, row.can_toggle, row.can_edit_rules);
            member.permissions.push(access);
        }
    }
    Ok(())
}
