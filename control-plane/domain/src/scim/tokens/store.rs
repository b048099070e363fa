//! SQL of SCIM tokens.

use serving::page::{Page, Paged};
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::model::{ScimToken, TokenHash};
use crate::orgs::model::Plan;
use base::{
    db,
    ids::{OrgId, ScimTokenId, UserId},
};

/// The owner of a token, and the inputs of its authorization.
#[derive(Debug)]
pub struct Bearer {
    pub id: ScimTokenId,
    pub org_id: OrgId,
    /// The creator, unless their account was deleted.
    pub made_by: Option<UserId>,
    pub expires_at: Option<OffsetDateTime>,
    /// The organization's stored plan: a trial may have ended.
    pub plan: Plan,
    pub trial_expires_at: Option<OffsetDateTime>,
    /// When the organization was deleted, restorably by a login.
    pub deleted_at: Option<OffsetDateTime>,
}

/// The bearer of a token, with the organization, read on each request. Not tenant-scoped: the token names the tenant.
pub async fn find_bearer(conn: &mut PgConnection, hash: &TokenHash) -> db::Result<Option<Bearer>> {
    Ok(sqlx::query_as!(
        Bearer,
        "SELECT scim_tokens.id, scim_tokens.org_id, scim_tokens.made_by, scim_tokens.expires_at,
                organizations.plan, organizations.trial_expires_at, organizations.deleted_at
         FROM scim_tokens
         JOIN organizations ON organizations.id = scim_tokens.org_id
         WHERE scim_tokens.hash = $1 AND organizations.purge_started_at IS NULL",
        hash,
    )
    .fetch_optional(conn)
    .await?)
}

pub async fn insert(
    conn: &mut PgConnection,
    org_id: OrgId,
    token: &ScimToken,
    made_by: UserId,
    hash: TokenHash,
) -> db::Result<()> {
    sqlx::query!(
        "INSERT INTO scim_tokens (id, org_id, name, hash, created_at, expires_at, made_by)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        token.id as ScimTokenId,
        org_id as OrgId,
        token.name,
        &hash,
        token.created_at,
        token.expires_at,
        made_by as UserId,
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn exists(conn: &mut PgConnection, org_id: OrgId, id: ScimTokenId) -> db::Result<bool> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM scim_tokens WHERE org_id = $1 AND id = $2) AS "exists!""#,
        org_id as OrgId,
        id as ScimTokenId,
    )
    .fetch_one(conn)
    .await?)
}

/// The number of the organization's tokens. Exact if the caller holds the organization's lock.
pub async fn count(conn: &mut PgConnection, org_id: OrgId) -> db::Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "count!" FROM scim_tokens WHERE org_id = $1"#,
        org_id as OrgId,
    )
    .fetch_one(conn)
    .await?)
}

/// A page of the organization's tokens, expired ones included, in creation order.
pub async fn page(
    conn: &mut PgConnection,
    org_id: OrgId,
    page: Page,
) -> db::Result<Paged<ScimToken>> {
    let items = sqlx::query_as!(
        ScimToken,
        "SELECT id, name, created_at, expires_at
         FROM scim_tokens
         WHERE org_id = $1
         ORDER BY created_at, id
         LIMIT $2 OFFSET $3",
        org_id as OrgId,
        page.limit,
        page.offset,
    )
    .fetch_all(&mut *conn)
    .await?;
    Ok(Paged::new(items, count(conn, org_id).await?, page))
}

/// Deletes and returns a token. `None` if the organization has no such token.
pub async fn delete(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: ScimTokenId,
) -> db::Result<Option<ScimToken>> {
    Ok(sqlx::query_as!(
        ScimToken,
        "DELETE FROM scim_tokens
         WHERE org_id = $1 AND id = $2
         RETURNING id, name, created_at, expires_at",
        org_id as OrgId,
        id as ScimTokenId,
    )
    .fetch_optional(conn)
    .await?)
}
