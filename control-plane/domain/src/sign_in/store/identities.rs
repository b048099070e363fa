//! SQL of identities: who is who at a provider.

use serving::page::{Page, Paged};
use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::sign_in::model::Identity;
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

/// A page of what providers call a user, in the order of the first sign-ins.
pub async fn page(
    conn: &mut PgConnection,
    org_id: OrgId,
    user_id: UserId,
    page: Page,
) -> db::Result<Paged<Identity>> {
    let items = sqlx::query_as!(
        Identity,
        r#"SELECT provider_id AS "provider_id: SignInProviderId", sign_in_providers.name AS provider_name, subject,
                sign_in_identities.created_at, last_used_at
         FROM sign_in_identities
         JOIN sign_in_providers ON sign_in_providers.id = provider_id
         WHERE sign_in_identities.org_id = $1 AND user_id = $2
         ORDER BY sign_in_identities.created_at, provider_id
         LIMIT $3 OFFSET $4"#,
        org_id as OrgId,
        user_id as UserId,
        page.limit,
        page.offset,
    )
    .fetch_all(&mut *conn)
    .await?;
    let total = sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "count!" FROM sign_in_identities WHERE org_id = $1 AND user_id = $2"#,
        org_id as OrgId,
        user_id as UserId,
    )
    .fetch_one(conn)
    .await?;
    Ok(Paged::new(items, total, page))
}

/// Deletes and returns what a provider calls a user, if it has signed them in.
pub(in crate::sign_in) async fn delete(
    conn: &mut PgConnection,
    org_id: OrgId,
    provider_id: SignInProviderId,
    user_id: UserId,
) -> db::Result<Option<Identity>> {
    Ok(sqlx::query_as!(
        Identity,
        r#"DELETE FROM sign_in_identities
         USING sign_in_providers
         WHERE sign_in_identities.org_id = $1 AND provider_id = $2 AND user_id = $3 AND sign_in_providers.id = provider_id
         RETURNING provider_id AS "provider_id: SignInProviderId", sign_in_providers.name AS provider_name, subject,
             sign_in_identities.created_at, last_used_at"#,
        org_id as OrgId,
        provider_id as SignInProviderId,
        user_id as UserId,
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
        "DELETE FROM sign_in_identities WHERE org_id = $1 AND provider_id = $2",
        org_id as OrgId,
        provider_id as SignInProviderId,
    )
    .execute(conn)
    .await?;
    Ok(())
}
