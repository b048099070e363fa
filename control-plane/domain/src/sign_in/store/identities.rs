//! SQL of identities: who is who at a provider.

use sqlx::PgConnection;
use time::OffsetDateTime;

use base::{
    db,
    ids::{OrgId, SignInProviderId, UserId},
};

/// The user of a subject.
pub(crate) async fn find_user(
    conn: &mut PgConnection,
    org_id: OrgId,
    provider_id: SignInProviderId,
    subject: &str,
) -> db::Result<Option<UserId>> {
    Ok(sqlx::query_scalar!(
        r#"SELECT user_id AS "user_id: UserId"
         FROM sign_in_identities
         WHERE org_id = $1 AND provider_id = $2 AND subject = $3"#,
        org_id as OrgId,
        provider_id as SignInProviderId,
        subject,
    )
    .fetch_optional(conn)
    .await?)
}

/// Binds a subject to a user; `false` if either is bound already.
pub(crate) async fn insert(
    conn: &mut PgConnection,
    org_id: OrgId,
    provider_id: SignInProviderId,
    subject: &str,
    user_id: UserId,
    now: OffsetDateTime,
) -> db::Result<bool> {
    let inserted = sqlx::query!(
        "INSERT INTO sign_in_identities (provider_id, subject, org_id, user_id, created_at, last_used_at)
         VALUES ($1, $2, $3, $4, $5, $5)
         ON CONFLICT DO NOTHING",
        provider_id as SignInProviderId,
        subject,
        org_id as OrgId,
        user_id as UserId,
        now,
    )
    .execute(conn)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

pub(crate) async fn update_used(
    conn: &mut PgConnection,
    org_id: OrgId,
    provider_id: SignInProviderId,
    subject: &str,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE sign_in_identities SET last_used_at = $4 WHERE org_id = $1 AND provider_id = $2 AND subject = $3",
        org_id as OrgId,
        provider_id as SignInProviderId,
        subject,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Whether anybody has signed in by a provider of the organization.
pub(in crate::sign_in) async fn is_any(conn: &mut PgConnection, org_id: OrgId) -> db::Result<bool> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM sign_in_identities WHERE org_id = $1) AS "is_any!""#,
        org_id as OrgId,
    )
    .fetch_one(conn)
    .await?)
}

pub(in crate::sign_in) async fn delete_of_provider(
    conn: &mut PgConnection,
    org_id: OrgId,
    provider_id: SignInProviderId,
) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM sign_in_identities WHERE org_id = $1 AND provider_id = $2",
        org_id as OrgId,
        provider_id as SignInProviderId,
    )
    .execute(conn)
    .await?;
    Ok(())
}
