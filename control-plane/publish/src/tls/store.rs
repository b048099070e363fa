//! Storage of the link's authority.

use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use base::{db, sealing::Sealed};

/// The stored authority.
#[derive(Debug)]
pub(super) struct StoredAuthority {
    pub(super) certificate_pem: String,
    pub(super) sealed_key: Vec<u8>,
}

/// Locks out other creators of the authority until the end of the transaction.
pub(super) async fn lock_authority(conn: &mut PgConnection) -> db::Result<()> {
    // Any number that no other lock uses.
    sqlx::query!(
        "SELECT pg_advisory_xact_lock($1)",
        0x6861_6c79_6172_6401_i64
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub(super) async fn find_authority(conn: &mut PgConnection) -> db::Result<Option<StoredAuthority>> {
    let found = sqlx::query_as!(
        StoredAuthority,
        "SELECT certificate_pem, sealed_key
         FROM link_authority",
    )
    .fetch_optional(conn)
    .await?;
    Ok(found)
}

pub(super) async fn insert_authority(
    conn: &mut PgConnection,
    certificate_pem: &str,
    sealed_key: &[u8],
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "INSERT INTO link_authority (id, certificate_pem, sealed_key, created_at)
         VALUES (1, $1, $2, $3)",
        certificate_pem,
        sealed_key,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The sealed key, locked, as a row with the id nil plus one.
pub async fn list_sealed(conn: &mut PgConnection, after: Uuid) -> db::Result<Vec<Sealed>> {
    Ok(sqlx::query_as!(
        Sealed,
        r#"SELECT authority.id AS "id!", authority.sealed_key AS sealed
         FROM (
             SELECT '00000000-0000-0000-0000-000000000001'::uuid AS id, sealed_key FROM link_authority FOR UPDATE
         ) AS authority
         WHERE authority.id > $1"#,
        after,
    )
    .fetch_all(conn)
    .await?)
}

pub async fn update_sealed(conn: &mut PgConnection, sealed: &[u8]) -> db::Result<()> {
    sqlx::query!("UPDATE link_authority SET sealed_key = $1", sealed)
        .execute(conn)
        .await?;
    Ok(())
}
