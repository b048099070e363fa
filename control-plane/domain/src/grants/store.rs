//! SQL of grants and their uses.

use sqlx::{PgConnection, types::Json};
use time::OffsetDateTime;
use uuid::Uuid;

use super::model::{Grant, Holder, HolderKind, Hours, Standing};
use crate::members::{caller::Caller, model::Role, store::may_review};
use base::{
    db,
    ids::{AccessTokenId, CustomRoleId, EnvId, GrantId, MemberId, OrgId, ProjectId, UserId},
};

/// The grants of a project that are looked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sought<'a> {
    pub id: Option<GrantId>,
    pub env_id: Option<EnvId>,
    /// Those that this caller can use.
    pub of: Option<&'a Caller>,
}

impl Sought<'_> {
    fn token_id(&self) -> Option<AccessTokenId> {
        Some(self.of?.scope()?.token_id)
    }
}

/// Grants as they stand, in creation order.
pub async fn list(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    sought: Sought<'_>,
    now: OffsetDateTime,
) -> db::Result<Vec<Standing>> {
    let rows = sqlx::query!(
        r#"SELECT g.id, g.env_id, g.name, g.member_id AS "member_id: Uuid", g.role_id AS "role_id: Uuid",
                g.access_token_id AS "access_token_id: Uuid", g.tags, g.max_raise, g.window_seconds, g.can_lower, g.can_kill,
                g.hours, g.ends_at, g.given_by, g.created_at, g.version,
                COALESCE(m.known_as, u.name, r.name, t.name) AS "holder_name!",
                COALESCE(t.revoked_at IS NOT NULL OR t.expires_at <= $6 OR t.member_id IS NULL AND t.id IS NOT NULL, false) AS "is_orphaned!",
                giver.role AS "giver_role?: Role", giver.custom_role_id AS "giver_role_id?: CustomRoleId",
                given.permissions AS "giver_permissions?",
                COALESCE(used.points, 0)::integer AS "used!", used.first_at AS "first_at?",
                grant_local_time($6, g.hours ->> 'time_zone') AS local
         FROM grants g
         LEFT JOIN members m ON m.org_id = $1 AND m.id = g.member_id
         LEFT JOIN users u ON u.id = m.user_id
         LEFT JOIN custom_roles r ON r.org_id = $1 AND r.id = g.role_id
         LEFT JOIN access_tokens t ON t.org_id = $1 AND t.id = g.access_token_id
         LEFT JOIN members giver ON giver.org_id = $1 AND giver.user_id = g.given_by AND NOT giver.awaits_proof AND NOT giver.is_service
         LEFT JOIN custom_roles given ON given.org_id = $1 AND given.id = giver.stored_role_id
         LEFT JOIN LATERAL (
             SELECT SUM(points) AS points, MIN(used_at) AS first_at
             FROM grant_uses
             WHERE grant_id = g.id AND used_at > $6::timestamptz - g.window_seconds * interval '1 second'
         ) used ON true
         WHERE g.org_id = $1 AND g.project_id = $2 AND ($3::uuid IS NULL OR g.id = $3) AND ($4::uuid IS NULL OR g.env_id = $4)
             AND ($5::uuid IS NULL OR g.member_id = $5 OR g.access_token_id = $7
                 OR g.role_id = (SELECT stored_role_id FROM members WHERE org_id = $1 AND id = $5))
         ORDER BY g.created_at, g.id"#,
        org_id as OrgId,
        project_id as ProjectId,
        sought.id as Option<GrantId>,
        sought.env_id as Option<EnvId>,
        sought.of.map(|caller| caller.member_id) as Option<MemberId>,
        now,
        sought.token_id() as Option<AccessTokenId>,
    )
    .fetch_all(conn)
    .await?;
    let standing = rows.into_iter().map(|row| {
        let kinds = [
            (HolderKind::Member, row.member_id),
            (HolderKind::Role, row.role_id),
            (HolderKind::AccessToken, row.access_token_id),
        ];
        let mut holders = kinds
            .into_iter()
            .filter_map(|(kind, id)| Some(Holder { kind, id: id? }));
        let window = time::Duration::seconds(row.window_seconds.into());
        Standing {
            holder_name: row.holder_name,
            is_orphaned: row.is_orphaned,
            is_backed: row
                .giver_role
                .is_some_and(|role| may_review(role, row.giver_role_id, row.giver_permissions)),
            left: (row.max_raise - row.used).max(0),
            more_at: row.first_at.map(|first| first + window),
            local: row.local,
            grant: Grant {
                id: row.id,
                env_id: row.env_id,
                name: row.name,
                holder: holders
                    .next()
                    .expect("grants_holder_check: each has a holder"),
                tags: row.tags,
                max_raise: row.max_raise,
                window_seconds: row.window_seconds,
                lower: row.can_lower,
                kill: row.can_kill,
                hours: row.hours,
                ends_at: row.ends_at,
                given_by: row.given_by,
                created_at: row.created_at,
                version: row.version,
            },
        }
    });
    Ok(standing.collect())
}

/// A grant of a project as it stands.
pub async fn find(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    id: GrantId,
    now: OffsetDateTime,
) -> db::Result<Option<Standing>> {
    let sought = Sought {
        id: Some(id),
        ..Sought::default()
    };
    let mut found = list(conn, org_id, project_id, sought, now).await?;
    Ok(found.pop())
}

/// Locks the grants of an environment that a caller can use until the end of the transaction; returns who gave them.
pub(super) async fn lock_of(
    conn: &mut PgConnection,
    caller: &Caller,
    env_id: EnvId,
) -> db::Result<Vec<UserId>> {
    Ok(sqlx::query_scalar!(
        r#"SELECT given_by AS "given_by: UserId"
         FROM grants
         WHERE org_id = $1 AND env_id = $2
             AND (member_id = $3 OR access_token_id = $4
                 OR role_id = (SELECT stored_role_id FROM members WHERE org_id = $1 AND id = $3))
         ORDER BY id
         FOR UPDATE"#,
        caller.org_id as OrgId,
        env_id as EnvId,
        caller.member_id as MemberId,
        caller.scope().map(|scope| scope.token_id) as Option<AccessTokenId>,
    )
    .fetch_all(conn)
    .await?)
}

/// Stores that points were used, and forgets uses that do not count any more.
pub(super) async fn insert_use(
    conn: &mut PgConnection,
    org_id: OrgId,
    grant: &Grant,
    points: i32,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "WITH forgotten AS (
             DELETE FROM grant_uses WHERE org_id = $1 AND grant_id = $2 AND used_at <= $5
         )
         INSERT INTO grant_uses (org_id, grant_id, points, used_at) VALUES ($1, $2, $3, $4)",
        org_id as OrgId,
        grant.id as GrantId,
        points,
        now,
        now - time::Duration::seconds(grant.window_seconds.into()),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The number of grants of the organization. Exact when the caller holds the organization's row.
pub(super) async fn count(conn: &mut PgConnection, org_id: OrgId) -> db::Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "count!" FROM grants WHERE org_id = $1"#,
        org_id as OrgId,
    )
    .fetch_one(conn)
    .await?)
}

/// Who can hold a grant in an organization, and is not the giver: `None` if there is no such holder. Locks the holder.
pub(super) async fn is_holder(
    conn: &mut PgConnection,
    org_id: OrgId,
    holder: Holder,
    now: OffsetDateTime,
) -> db::Result<Option<Option<UserId>>> {
    let id = holder.id;
    Ok(match holder.kind {
        HolderKind::Member => sqlx::query_scalar!(
            r#"SELECT user_id AS "user_id: UserId" FROM members WHERE org_id = $1 AND id = $2 FOR KEY SHARE"#,
            org_id as OrgId,
            id,
        )
        .fetch_optional(conn)
        .await?
        .map(Some),
        HolderKind::Role => sqlx::query_scalar!(
            "SELECT id FROM custom_roles WHERE org_id = $1 AND id = $2 FOR KEY SHARE",
            org_id as OrgId,
            id,
        )
        .fetch_optional(conn)
        .await?
        .map(|_| None),
        HolderKind::AccessToken => sqlx::query_scalar!(
            r#"SELECT user_id AS "user_id: UserId" FROM access_tokens
             WHERE org_id = $1 AND id = $2 AND revoked_at IS NULL AND expires_at > $3 AND member_id IS NOT NULL
             FOR KEY SHARE"#,
            org_id as OrgId,
            id,
            now,
        )
        .fetch_optional(conn)
        .await?
        .map(Some),
    })
}

/// Whether the database knows a time zone.
pub async fn knows_zone(conn: &mut PgConnection, name: &str) -> db::Result<bool> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM pg_timezone_names WHERE name = $1) AS "exists!""#,
        name,
    )
    .fetch_one(conn)
    .await?)
}

pub(super) async fn insert(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    grant: &Grant,
) -> db::Result<()> {
    let [member_id, role_id, access_token_id] = columns(grant.holder);
    sqlx::query!(
        "INSERT INTO grants
             (id, org_id, project_id, env_id, name, member_id, role_id, access_token_id, tags, max_raise, window_seconds, can_lower,
              can_kill, hours, ends_at, given_by, created_at, updated_at, version)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $17, $18)",
        grant.id as GrantId,
        org_id as OrgId,
        project_id as ProjectId,
        grant.env_id as EnvId,
        grant.name,
        member_id,
        role_id,
        access_token_id,
        &grant.tags,
        grant.max_raise,
        grant.window_seconds,
        grant.lower,
        grant.kill,
        &grant.hours as &Option<Json<Hours>>,
        grant.ends_at,
        grant.given_by as UserId,
        grant.created_at,
        grant.version,
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub(super) async fn update(
    conn: &mut PgConnection,
    org_id: OrgId,
    grant: &Grant,
    now: OffsetDateTime,
) -> db::Result<()> {
    let [member_id, role_id, access_token_id] = columns(grant.holder);
    sqlx::query!(
        "UPDATE grants
         SET env_id = $3, name = $4, member_id = $5, role_id = $6, access_token_id = $7, tags = $8, max_raise = $9,
             window_seconds = $10, can_lower = $11, can_kill = $12, hours = $13, ends_at = $14, given_by = $15, version = $16,
             updated_at = $17
         WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        grant.id as GrantId,
        grant.env_id as EnvId,
        grant.name,
        member_id,
        role_id,
        access_token_id,
        &grant.tags,
        grant.max_raise,
        grant.window_seconds,
        grant.lower,
        grant.kill,
        &grant.hours as &Option<Json<Hours>>,
        grant.ends_at,
        grant.given_by as UserId,
        grant.version,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub(super) async fn delete(conn: &mut PgConnection, org_id: OrgId, id: GrantId) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM grants WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as GrantId,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The columns of the member, the role and the access token.
fn columns(holder: Holder) -> [Option<Uuid>; 3] {
    let kinds = [
        HolderKind::Member,
        HolderKind::Role,
        HolderKind::AccessToken,
    ];
    kinds.map(|kind| (kind == holder.kind).then_some(holder.id))
}
