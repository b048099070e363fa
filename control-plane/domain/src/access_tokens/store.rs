//! SQL of access tokens. Ended ones stay for a while, so that their use can be told from that of unknown ones.

use std::net::IpAddr;

use serving::page::{Page, Paged};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{
    model::{AccessToken, TokenHash},
    scope::Scope,
};
use crate::members::{
    model::{Member, Role},
    store::{LiveMember, keys_of},
};
use base::{
    db,
    ids::{AccessTokenId, EnvId, OrgId, ProjectId, UserId},
};

/// A token that was presented, and the membership that it acts for.
#[derive(Debug)]
pub struct Bearer {
    pub org_id: OrgId,
    pub user_id: UserId,
    pub scope: Scope,
    pub expires_at: OffsetDateTime,
    /// With the lower role of the member's and the token's; `None` if the token has ended.
    pub member: Option<LiveMember>,
    /// Whether its use in this minute is not stored yet.
    pub is_unnoted: bool,
    /// Whether the audit log has not said today that it is used after its end.
    pub is_untold: bool,
}

/// The bearer of a token, with membership, custom role and organization, read on each request: removal and demotion take effect
/// at once. Not tenant-scoped: the token names the tenant.
pub async fn find_bearer(
    conn: &mut PgConnection,
    hash: &TokenHash,
    now: OffsetDateTime,
) -> db::Result<Option<Bearer>> {
    let row = sqlx::query!(
        r#"SELECT t.id, t.org_id, t.user_id, t.role AS "token_role?: Role", t.read_only, t.expires_at,
                t.project_ids AS "project_ids: Vec<ProjectId>", t.env_ids AS "env_ids: Vec<EnvId>",
                t.revoked_at IS NULL AND t.expires_at > $2 AND NOT m.awaits_proof AS is_live,
                COALESCE(t.last_used_at < date_trunc('minute', $2::timestamptz), true) AS "is_unnoted!",
                COALESCE(t.refused_at <= $2::timestamptz - interval '1 day', true) AS "is_untold!",
                m.id AS "member_id?", m.role AS "role?", m.custom_role_id, c.permissions AS "permissions?",
                o.plan, o.trial_expires_at, o.deleted_at
         FROM access_tokens t
         JOIN organizations o ON o.id = t.org_id
         LEFT JOIN members m ON m.org_id = t.org_id AND m.id = t.member_id
         LEFT JOIN custom_roles c ON c.org_id = m.org_id AND c.id = m.stored_role_id
         WHERE t.hash = $1 AND o.purge_started_at IS NULL"#,
        hash,
        now,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| Bearer {
        org_id: row.org_id,
        user_id: row.user_id,
        scope: Scope {
            token_id: row.id,
            read_only: row.read_only,
            project_ids: row.project_ids.map(Into::into),
            env_ids: row.env_ids.map(Into::into),
        },
        expires_at: row.expires_at,
        is_unnoted: row.is_unnoted,
        is_untold: row.is_untold,
        member: row
            .member_id
            .zip(row.role)
            .filter(|_| row.is_live == Some(true))
            .map(|(id, role)| LiveMember {
                id,
                role: row.token_role.map_or(role, |most| role.at_most(most)),
                permissions: row
                    .custom_role_id
                    .map(|id| keys_of(id, row.permissions).into()),
                plan: row.plan,
                trial_expires_at: row.trial_expires_at,
                is_deleted: row.deleted_at.is_some(),
            }),
    }))
}

/// Stores that a token is being used, to the minute. One of many requests at once does.
pub async fn note_use(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: AccessTokenId,
    ip: IpAddr,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE access_tokens
         SET last_used_at = date_trunc('minute', $4::timestamptz), last_used_ip = $3
         WHERE id IN (
             SELECT id FROM access_tokens
             WHERE org_id = $1 AND id = $2 AND COALESCE(last_used_at < date_trunc('minute', $4::timestamptz), true)
             FOR UPDATE SKIP LOCKED
         )",
        org_id as OrgId,
        id as AccessTokenId,
        ip.to_string(),
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Stores that an ended token was used, at most once a day; returns whether this is that time, and its name.
pub async fn note_refusal(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: AccessTokenId,
    now: OffsetDateTime,
) -> db::Result<Option<String>> {
    Ok(sqlx::query_scalar!(
        "UPDATE access_tokens
         SET refused_at = $3
         WHERE org_id = $1 AND id = $2 AND COALESCE(refused_at <= $3::timestamptz - interval '1 day', true)
         RETURNING name",
        org_id as OrgId,
        id as AccessTokenId,
        now,
    )
    .fetch_optional(conn)
    .await?)
}

/// The live ones of many tokens. Not tenant-scoped: the tokens are of many organizations.
pub async fn list_live(
    conn: &mut PgConnection,
    ids: &[AccessTokenId],
    now: OffsetDateTime,
) -> db::Result<Vec<(AccessTokenId, LiveMember)>> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let rows = sqlx::query!(
        r#"SELECT t.id AS token_id, t.role AS "token_role?: Role", m.id, m.role, m.custom_role_id,
                c.permissions AS "permissions?", o.plan, o.trial_expires_at, o.deleted_at
         FROM access_tokens t
         JOIN members m ON m.org_id = t.org_id AND m.id = t.member_id
         JOIN organizations o ON o.id = m.org_id
         LEFT JOIN custom_roles c ON c.org_id = m.org_id AND c.id = m.stored_role_id
         WHERE t.id = ANY($1)
             AND t.revoked_at IS NULL
             AND t.expires_at > $2
             AND NOT m.awaits_proof
             AND o.purge_started_at IS NULL"#,
        &ids,
        now,
    )
    .fetch_all(conn)
    .await?;
    let live = rows.into_iter().map(|row| {
        let member = LiveMember {
            id: row.id,
            role: row
                .token_role
                .map_or(row.role, |most| row.role.at_most(most)),
            permissions: row
                .custom_role_id
                .map(|id| keys_of(id, row.permissions).into()),
            plan: row.plan,
            trial_expires_at: row.trial_expires_at,
            is_deleted: row.deleted_at.is_some(),
        };
        (row.token_id, member)
    });
    Ok(live.collect())
}

pub(super) async fn insert(
    conn: &mut PgConnection,
    org_id: OrgId,
    member: &Member,
    token: &AccessToken,
    hash: TokenHash,
) -> db::Result<()> {
    sqlx::query!(
        "INSERT INTO access_tokens
             (id, org_id, user_id, member_id, name, hash, role, project_ids, env_ids, read_only, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        token.id as AccessTokenId,
        org_id as OrgId,
        member.user_id as UserId,
        member.id as base::ids::MemberId,
        token.name,
        &hash,
        token.role as Option<Role>,
        token.project_ids.as_deref() as Option<&[ProjectId]>,
        token.env_ids.as_deref() as Option<&[EnvId]>,
        token.read_only,
        token.created_at,
        token.expires_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The number of a user's tokens in an organization that have not ended. Exact if the caller holds the organization's lock.
pub(super) async fn count(
    conn: &mut PgConnection,
    org_id: OrgId,
    user_id: UserId,
    now: OffsetDateTime,
) -> db::Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "count!"
         FROM access_tokens
         WHERE org_id = $1 AND user_id = $2 AND member_id IS NOT NULL AND revoked_at IS NULL AND expires_at > $3"#,
        org_id as OrgId,
        user_id as UserId,
        now,
    )
    .fetch_one(conn)
    .await?)
}

/// A page of a user's tokens in an organization that were not revoked, expired ones included, in creation order.
pub async fn page(
    conn: &mut PgConnection,
    org_id: OrgId,
    user_id: UserId,
    page: Page,
) -> db::Result<Paged<AccessToken>> {
    let total = sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "count!"
         FROM access_tokens
         WHERE org_id = $1 AND user_id = $2 AND member_id IS NOT NULL AND revoked_at IS NULL"#,
        org_id as OrgId,
        user_id as UserId,
    )
    .fetch_one(&mut *conn)
    .await?;
    let items = sqlx::query_as!(
        AccessToken,
        r#"SELECT id, name, role AS "role: Role", project_ids AS "project_ids: Vec<ProjectId>",
                env_ids AS "env_ids: Vec<EnvId>", read_only, created_at, expires_at, last_used_at, last_used_ip
         FROM access_tokens
         WHERE org_id = $1 AND user_id = $2 AND member_id IS NOT NULL AND revoked_at IS NULL
         ORDER BY created_at, id
         LIMIT $3 OFFSET $4"#,
        org_id as OrgId,
        user_id as UserId,
        page.limit,
        page.offset,
    )
    .fetch_all(conn)
    .await?;
    Ok(Paged::new(items, total, page))
}

/// A token of a user that was not revoked.
pub async fn find(
    conn: &mut PgConnection,
    org_id: OrgId,
    user_id: UserId,
    id: AccessTokenId,
) -> db::Result<Option<AccessToken>> {
    Ok(sqlx::query_as!(
        AccessToken,
        r#"SELECT id, name, role AS "role: Role", project_ids AS "project_ids: Vec<ProjectId>",
                env_ids AS "env_ids: Vec<EnvId>", read_only, created_at, expires_at, last_used_at, last_used_ip
         FROM access_tokens
         WHERE org_id = $1 AND user_id = $2 AND id = $3 AND member_id IS NOT NULL AND revoked_at IS NULL"#,
        org_id as OrgId,
        user_id as UserId,
        id as AccessTokenId,
    )
    .fetch_optional(conn)
    .await?)
}

pub(super) async fn update_end(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: AccessTokenId,
    end: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE access_tokens SET expires_at = $3 WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as AccessTokenId,
        end,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Revokes and returns a token. `None` if the user has no such token, or it was revoked before.
pub(super) async fn revoke(
    conn: &mut PgConnection,
    org_id: OrgId,
    user_id: UserId,
    id: AccessTokenId,
    now: OffsetDateTime,
) -> db::Result<Option<AccessToken>> {
    Ok(sqlx::query_as!(
        AccessToken,
        r#"UPDATE access_tokens
         SET revoked_at = $4
         WHERE org_id = $1 AND user_id = $2 AND id = $3 AND member_id IS NOT NULL AND revoked_at IS NULL
         RETURNING id, name, role AS "role: Role", project_ids AS "project_ids: Vec<ProjectId>",
             env_ids AS "env_ids: Vec<EnvId>", read_only, created_at, expires_at, last_used_at, last_used_ip"#,
        org_id as OrgId,
        user_id as UserId,
        id as AccessTokenId,
        now,
    )
    .fetch_optional(conn)
    .await?)
}

/// Revokes all tokens of a user in an organization.
pub async fn revoke_in(
    conn: &mut PgConnection,
    org_id: OrgId,
    user_id: UserId,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE access_tokens SET revoked_at = $3 WHERE org_id = $1 AND user_id = $2 AND revoked_at IS NULL",
        org_id as OrgId,
        user_id as UserId,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Revokes all tokens of a user. Not tenant-scoped: the user may be in several organizations.
pub async fn revoke_of_user(
    conn: &mut PgConnection,
    user_id: UserId,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE access_tokens SET revoked_at = $2 WHERE user_id = $1 AND revoked_at IS NULL",
        user_id as UserId,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Deletes the ended tokens of a user but the newest 50.
pub(super) async fn delete_ended(
    conn: &mut PgConnection,
    org_id: OrgId,
    user_id: UserId,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM access_tokens
         WHERE id IN (
             SELECT id FROM access_tokens
             WHERE org_id = $1 AND user_id = $2 AND (member_id IS NULL OR revoked_at IS NOT NULL OR expires_at <= $3)
             ORDER BY created_at DESC, id DESC
             OFFSET 50
         )",
        org_id as OrgId,
        user_id as UserId,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}
