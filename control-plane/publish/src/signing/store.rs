//! Storage of the keys that sign.

use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use base::db;

/// A stored key.
#[derive(Clone, Debug)]
pub struct StoredKey {
    pub id: Uuid,
    /// Ed25519.
    pub public_key: Vec<u8>,
    pub(super) sealed_seed: Vec<u8>,
    pub created_at: OffsetDateTime,
    /// When it begins to sign.
    pub signs_from: OffsetDateTime,
    /// So late were signatures made, to the minute.
    pub(super) signed_until: OffsetDateTime,
    /// When its signatures are not accepted any more; `None` until there is another key.
    pub ends_at: Option<OffsetDateTime>,
}

/// Locks out others who make keys until the end of the transaction.
pub(super) async fn lock(conn: &mut PgConnection) -> db::Result<()> {
    // Any number that no other lock uses.
    sqlx::query!(
        "SELECT pg_advisory_xact_lock($1)",
        0x6861_6c79_6172_6403_i64
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The keys whose signatures are accepted, in the order in which they sign.
pub(super) async fn list(
    conn: &mut PgConnection,
    now: OffsetDateTime,
) -> db::Result<Vec<StoredKey>> {
    Ok(sqlx::query_as!(
        StoredKey,
        "SELECT id, public_key, sealed_seed, created_at, signs_from, signed_until, ends_at
         FROM signing_keys
         WHERE ends_at IS NULL OR ends_at > $1
         ORDER BY signs_from, id",
        now,
    )
    .fetch_all(conn)
    .await?)
}

pub(super) async fn insert(conn: &mut PgConnection, key: &StoredKey) -> db::Result<()> {
    sqlx::query!(
        "INSERT INTO signing_keys (id, public_key, sealed_seed, created_at, signs_from, signed_until, ends_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        key.id,
        key.public_key,
        key.sealed_seed,
        key.created_at,
        key.signs_from,
        key.signed_until,
        key.ends_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Notes that a key makes signatures now.
pub(super) async fn signs(
    conn: &mut PgConnection,
    id: Uuid,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE signing_keys
         SET signed_until = $2
         WHERE id = $1 AND signed_until < $2",
        id,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Has all other keys end, unless they end before.
pub(super) async fn end_others(
    conn: &mut PgConnection,
    id: Uuid,
    ends_at: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE signing_keys
         SET ends_at = LEAST(ends_at, $2)
         WHERE id <> $1",
        id,
        ends_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

base::sealed_column! {
    list: r#"SELECT id AS "id: Uuid", sealed_seed AS "sealed!"
         FROM signing_keys
         WHERE id > $1
         ORDER BY id
         LIMIT $2
         FOR NO KEY UPDATE"#,
    update: "UPDATE signing_keys
         SET sealed_seed = anew.sealed
         FROM unnest($1::uuid[], $2::bytea[]) AS anew (id, sealed)
         WHERE signing_keys.id = anew.id",
}
