//! SQL of authenticators and backup codes. Not tenant-scoped: they belong to a user.

use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use base::{db, ids::UserId, sealing::Sealed};

pub(super) struct Stored {
    /// Sealed.
    pub(super) secret: Vec<u8>,
    pub(super) enrolled_at: Option<OffsetDateTime>,
}

/// Stores an unverified authenticator, replacing another one; `false` if one is active.
pub(super) async fn insert_pending(
    conn: &mut PgConnection,
    user_id: UserId,
    secret: &[u8],
) -> db::Result<bool> {
    let stored = sqlx::query!(
        "INSERT INTO mfa_enrolments (user_id, secret)
         VALUES ($1, $2)
         ON CONFLICT ON CONSTRAINT mfa_enrolments_pkey DO UPDATE
         SET secret = EXCLUDED.secret
         WHERE mfa_enrolments.enrolled_at IS NULL",
        user_id as UserId,
        secret,
    )
    .execute(conn)
    .await?;
    Ok(stored.rows_affected() == 1)
}

/// Stores the hashes of new backup codes and deletes the old ones.
pub(super) async fn replace_backup_codes(
    conn: &mut PgConnection,
    user_id: UserId,
    hashes: &[Vec<u8>],
) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM mfa_backup_codes WHERE user_id = $1",
        user_id as UserId
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "INSERT INTO mfa_backup_codes (user_id, code_hash)
         SELECT $1, code_hash FROM unnest($2::bytea[]) AS code_hash
         ON CONFLICT ON CONSTRAINT mfa_backup_codes_pkey DO NOTHING",
        user_id as UserId,
        hashes,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The user's authenticator, locked until the end of the transaction, so that it is not replaced while its code is
/// checked.
pub(super) async fn find_for_update(
    conn: &mut PgConnection,
    user_id: UserId,
) -> db::Result<Option<Stored>> {
    Ok(sqlx::query_as!(
        Stored,
        "SELECT secret, enrolled_at FROM mfa_enrolments WHERE user_id = $1 FOR NO KEY UPDATE",
        user_id as UserId,
    )
    .fetch_optional(conn)
    .await?)
}

pub async fn find_enrolled_at(
    conn: &mut PgConnection,
    user_id: UserId,
) -> db::Result<Option<OffsetDateTime>> {
    let found = sqlx::query_scalar!(
        "SELECT enrolled_at FROM mfa_enrolments WHERE user_id = $1",
        user_id as UserId,
    )
    .fetch_optional(conn)
    .await?;
    Ok(found.flatten())
}

/// Activates an authenticator, which consumes the code of `step`.
pub(super) async fn activate(
    conn: &mut PgConnection,
    user_id: UserId,
    step: i64,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE mfa_enrolments SET enrolled_at = $3, used_steps = ARRAY[$2::bigint] WHERE user_id = $1",
        user_id as UserId,
        step,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Consumes the code of a time step; `false` if it was used before. Deletes steps that no later window can reach.
pub(super) async fn use_step(
    conn: &mut PgConnection,
    user_id: UserId,
    step: i64,
) -> db::Result<bool> {
    let used = sqlx::query!(
        "UPDATE mfa_enrolments
         SET used_steps = ARRAY(SELECT used FROM unnest(used_steps) AS used WHERE used >= $2 - 2) || $2::bigint
         WHERE user_id = $1 AND enrolled_at IS NOT NULL AND $2 <> ALL (used_steps)",
        user_id as UserId,
        step,
    )
    .execute(conn)
    .await?;
    Ok(used.rows_affected() == 1)
}

/// Consumes a backup code; `false` if it is invalid or used.
pub(super) async fn delete_backup_code(
    conn: &mut PgConnection,
    user_id: UserId,
    hash: &[u8],
) -> db::Result<bool> {
    let deleted = sqlx::query!(
        "DELETE FROM mfa_backup_codes WHERE user_id = $1 AND code_hash = $2",
        user_id as UserId,
        hash,
    )
    .execute(conn)
    .await?;
    Ok(deleted.rows_affected() == 1)
}

/// Deletes an active authenticator with its backup codes, and returns its time of activation; `None` if none is active.
pub(super) async fn delete_active(
    conn: &mut PgConnection,
    user_id: UserId,
) -> db::Result<Option<OffsetDateTime>> {
    let deleted = sqlx::query_scalar!(
        "DELETE FROM mfa_enrolments WHERE user_id = $1 AND enrolled_at IS NOT NULL RETURNING enrolled_at",
        user_id as UserId,
    )
    .fetch_optional(conn)
    .await?;
    Ok(deleted.flatten())
}

/// Deletes any authenticator, active or not; `None` if none was active.
pub(super) async fn delete(
    conn: &mut PgConnection,
    user_id: UserId,
) -> db::Result<Option<OffsetDateTime>> {
    let deleted = sqlx::query_scalar!(
        "DELETE FROM mfa_enrolments WHERE user_id = $1 RETURNING enrolled_at",
        user_id as UserId,
    )
    .fetch_optional(conn)
    .await?;
    Ok(deleted.flatten())
}

// Sealed secrets of authenticators beyond `after`, locked.
base::sealed_column! {
    list: r#"SELECT user_id AS "id: Uuid", secret AS sealed
         FROM mfa_enrolments
         WHERE user_id > $1
         ORDER BY user_id
         LIMIT $2
         FOR NO KEY UPDATE"#,
    update: "UPDATE mfa_enrolments
         SET secret = anew.sealed
         FROM unnest($1::uuid[], $2::bytea[]) AS anew (user_id, sealed)
         WHERE mfa_enrolments.user_id = anew.user_id",
}

/// The stored key of backup codes, sealed.
pub(super) async fn find_sealed_key(conn: &mut PgConnection) -> db::Result<Option<Vec<u8>>> {
    Ok(
        sqlx::query_scalar!("SELECT sealed_key FROM mfa_backup_code_key")
            .fetch_optional(conn)
            .await?,
    )
}

/// The stored key, locked, as a row with the id nil plus one.
pub async fn list_sealed_key(conn: &mut PgConnection, after: Uuid) -> db::Result<Vec<Sealed>> {
    Ok(sqlx::query_as!(
        Sealed,
        r#"SELECT key.id AS "id!", key.sealed_key AS sealed
         FROM (
             SELECT '00000000-0000-0000-0000-000000000001'::uuid AS id, sealed_key FROM mfa_backup_code_key FOR UPDATE
         ) AS key
         WHERE key.id > $1"#,
        after,
    )
    .fetch_all(conn)
    .await?)
}

/// Stores the key, unless there is one.
pub async fn insert_sealed_key(conn: &mut PgConnection, sealed: &[u8]) -> db::Result<()> {
    sqlx::query!(
        "INSERT INTO mfa_backup_code_key (id, sealed_key)
         VALUES (1, $1)
         ON CONFLICT ON CONSTRAINT mfa_backup_code_key_pkey DO NOTHING",
        sealed,
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn update_sealed_key(conn: &mut PgConnection, sealed: &[u8]) -> db::Result<()> {
    sqlx::query!("UPDATE mfa_backup_code_key SET sealed_key = $1", sealed)
        .execute(conn)
        .await?;
    Ok(())
}
