//! SQL of sign-ins that are under way.

use sqlx::PgConnection;
use time::OffsetDateTime;

use base::{
    db,
    ids::{OrgId, SignInProviderId},
};

/// A sign-in that a page began.
#[derive(Debug)]
pub struct Attempt {
    pub org_id: OrgId,
    pub provider_id: SignInProviderId,
    /// Of what the page keeps.
    pub key_hash: Vec<u8>,
    pub created_at: OffsetDateTime,
    pub expires_at: OffsetDateTime,
}

pub(in crate::sign_in) async fn insert(
    conn: &mut PgConnection,
    state_hash: &[u8],
    attempt: &Attempt,
) -> db::Result<()> {
    sqlx::query!(
        "INSERT INTO sign_in_attempts (state_hash, org_id, provider_id, key_hash, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6)",
        state_hash,
        attempt.org_id as OrgId,
        attempt.provider_id as SignInProviderId,
        attempt.key_hash,
        attempt.created_at,
        attempt.expires_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Deletes and returns an attempt, which is used once. Not tenant-scoped: the state names the tenant.
pub(in crate::sign_in) async fn consume(
    conn: &mut PgConnection,
    state_hash: &[u8],
) -> db::Result<Option<Attempt>> {
    Ok(sqlx::query_as!(
        Attempt,
        r#"DELETE FROM sign_in_attempts
         WHERE state_hash = $1
         RETURNING org_id AS "org_id: OrgId", provider_id AS "provider_id: SignInProviderId", key_hash, created_at, expires_at"#,
        state_hash,
    )
    .fetch_optional(conn)
    .await?)
}

pub(in crate::sign_in) async fn delete_of_provider(
    conn: &mut PgConnection,
    org_id: OrgId,
    provider_id: SignInProviderId,
) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM sign_in_attempts WHERE org_id = $1 AND provider_id = $2",
        org_id as OrgId,
        provider_id as SignInProviderId,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Deletes those that have expired. Not tenant-scoped.
pub(crate) async fn delete_expired(conn: &mut PgConnection, now: OffsetDateTime) -> db::Result<()> {
    sqlx::query!("DELETE FROM sign_in_attempts WHERE expires_at <= $1", now)
        .execute(conn)
        .await?;
    Ok(())
}
