//! SQL of token families.

use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::{accounts::Device, members::model::Membership};
use base::{
    db,
    ids::{FamilyId, OrgId, SignInProviderId, UserId},
};

#[derive(Debug)]
pub struct Family {
    pub is_revoked: bool,
    /// Whether its tokens are unusable even within the leeway.
    pub is_spent: bool,
    pub continued_by: Option<FamilyId>,
    /// The latest time of a refresh.
    pub ends_at: OffsetDateTime,
    /// The provider that opened it; `None` for a password.
    pub provider_id: Option<SignInProviderId>,
}

/// Stores a new family with its expiry and its latest end. Deletes the member's expired ones.
pub async fn insert(
    conn: &mut PgConnection,
    id: FamilyId,
    member: &Membership,
    device: &Device,
    (expires_at, ends_at): (OffsetDateTime, OffsetDateTime),
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM token_families WHERE org_id = $1 AND user_id = $2 AND expires_at <= $3",
        member.org_id as OrgId,
        member.user_id as UserId,
        now,
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "INSERT INTO token_families (id, org_id, user_id, created_at, expires_at, last_used_at, ip_address, user_agent, ends_at)
         VALUES ($1, $2, $3, $4, $5, $4, $6, $7, $8)",
        id as FamilyId,
        member.org_id as OrgId,
        member.user_id as UserId,
        now,
        expires_at,
        device.ip.to_string(),
        device.user_agent(),
        ends_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Locks a family, revoked or not, until the end of the transaction, which orders its refreshes and revocations. `None` if it
/// is not this user's in this organization.
pub async fn lock_even_revoked(
    conn: &mut PgConnection,
    org_id: OrgId,
    user_id: UserId,
    id: FamilyId,
) -> db::Result<Option<Family>> {
    Ok(sqlx::query_as!(
        Family,
        r#"SELECT revoked_at IS NOT NULL AS "is_revoked!", is_spent, continued_by, ends_at, provider_id
         FROM token_families
         WHERE org_id = $1 AND user_id = $2 AND id = $3
         FOR NO KEY UPDATE"#,
        org_id as OrgId,
        user_id as UserId,
        id as FamilyId,
    )
    .fetch_optional(conn)
    .await?)
}

/// The organization of a user's family. Not tenant-scoped: the tenant is found here.
pub async fn find_org(
    conn: &mut PgConnection,
    user_id: UserId,
    id: FamilyId,
) -> db::Result<Option<OrgId>> {
    Ok(sqlx::query_scalar!(
        "SELECT org_id FROM token_families WHERE user_id = $1 AND id = $2",
        user_id as UserId,
        id as FamilyId,
    )
    .fetch_optional(conn)
    .await?)
}

/// Extends the expiry of a family that was used.
pub async fn extend(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: FamilyId,
    device: &Device,
    expires_at: OffsetDateTime,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE token_families
         SET expires_at = $3, last_used_at = $4, ip_address = $5, user_agent = $6
         WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as FamilyId,
        expires_at,
        now,
        device.ip.to_string(),
        device.user_agent(),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Revokes a family that is continued by another. Its tokens keep their leeway.
pub async fn update_continued(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: FamilyId,
    by: FamilyId,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE token_families SET revoked_at = $4, continued_by = $3 WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as FamilyId,
        by as FamilyId,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Revokes a family that is continued by another, and ends the leeway of its tokens.
pub async fn update_spent(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: FamilyId,
    by: FamilyId,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE token_families SET revoked_at = $4, continued_by = $3, is_spent = true WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as FamilyId,
        by as FamilyId,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Revokes a live family of a user, and returns its organization. Not tenant-scoped: sessions belong to the user.
pub async fn revoke_own(
    conn: &mut PgConnection,
    user_id: UserId,
    id: FamilyId,
    now: OffsetDateTime,
) -> db::Result<Option<OrgId>> {
    Ok(sqlx::query_scalar!(
        "UPDATE token_families
         SET revoked_at = $3
         WHERE user_id = $1 AND id = $2 AND revoked_at IS NULL AND expires_at > $3
         RETURNING org_id",
        user_id as UserId,
        id as FamilyId,
        now,
    )
    .fetch_optional(conn)
    .await?)
}

/// Revokes a family, and with it every token that carries its id. `false` if it was already revoked.
pub async fn revoke(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: FamilyId,
    now: OffsetDateTime,
) -> db::Result<bool> {
    let revoked = sqlx::query!(
        "UPDATE token_families SET revoked_at = $3 WHERE org_id = $1 AND id = $2 AND revoked_at IS NULL",
        org_id as OrgId,
        id as FamilyId,
        now,
    )
    .execute(conn)
    .await?;
    Ok(revoked.rows_affected() == 1)
}

/// Revokes every family of a user in one organization; elsewhere they stay signed in.
pub async fn revoke_in(
    conn: &mut PgConnection,
    org_id: OrgId,
    user_id: UserId,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE token_families SET revoked_at = $3 WHERE org_id = $1 AND user_id = $2 AND revoked_at IS NULL",
        org_id as OrgId,
        user_id as UserId,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Notes the provider that opened a family.
pub async fn update_provider(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: FamilyId,
    provider_id: SignInProviderId,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE token_families SET provider_id = $3 WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as FamilyId,
        provider_id as SignInProviderId,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Revokes every family that a provider opened.
pub async fn revoke_of_provider(
    conn: &mut PgConnection,
    org_id: OrgId,
    provider_id: SignInProviderId,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE token_families SET revoked_at = $3 WHERE org_id = $1 AND provider_id = $2 AND revoked_at IS NULL",
        org_id as OrgId,
        provider_id as SignInProviderId,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Revokes every family of a user that a provider opened.
pub async fn revoke_of_identity(
    conn: &mut PgConnection,
    org_id: OrgId,
    provider_id: SignInProviderId,
    user_id: UserId,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE token_families
         SET revoked_at = $4
         WHERE org_id = $1 AND provider_id = $2 AND user_id = $3 AND revoked_at IS NULL",
        org_id as OrgId,
        provider_id as SignInProviderId,
        user_id as UserId,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Revokes every family in an organization that a password opened, except those of owners.
pub async fn revoke_of_passwords(
    conn: &mut PgConnection,
    org_id: OrgId,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE token_families
         SET revoked_at = $2
         FROM members
         WHERE token_families.org_id = $1
             AND token_families.provider_id IS NULL
             AND token_families.revoked_at IS NULL
             AND members.org_id = $1
             AND members.user_id = token_families.user_id
             AND members.role <> 'owner'",
        org_id as OrgId,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn revoke_all(
    conn: &mut PgConnection,
    user_id: UserId,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE token_families SET revoked_at = $2 WHERE user_id = $1 AND revoked_at IS NULL",
        user_id as UserId,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Revokes every family of a user but one. Not tenant-scoped: a password belongs to the user.
pub async fn revoke_others(
    conn: &mut PgConnection,
    user_id: UserId,
    kept: FamilyId,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE token_families SET revoked_at = $3 WHERE user_id = $1 AND id <> $2 AND revoked_at IS NULL",
        user_id as UserId,
        kept as FamilyId,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn delete_of_member(
    conn: &mut PgConnection,
    org_id: OrgId,
    user_id: UserId,
) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM token_families WHERE org_id = $1 AND user_id = $2",
        org_id as OrgId,
        user_id as UserId,
    )
    .execute(conn)
    .await?;
    Ok(())
}
