//! Certificates of edges, which belong to the operator, not to a tenant.

use sqlx::PgConnection;
use time::OffsetDateTime;

use super::model::EdgeCertificate;
use crate::Fingerprint;
use base::{db, refusal::Refusal};

pub async fn insert(conn: &mut PgConnection, edge: &EdgeCertificate) -> Result<(), Refusal> {
    sqlx::query!(
        "INSERT INTO edge_certificates (fingerprint, name, region, issued_at, expires_at, renews, is_relay)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        edge.fingerprint,
        edge.name,
        edge.region,
        edge.issued_at,
        edge.expires_at,
        edge.renews,
        edge.is_relay,
    )
    .execute(conn)
    .await
    .map_err(Refusal::violated(
        "edge_certificates_name_key",
        "an edge of this name is enrolled already; revoke it first",
    ))?;
    Ok(())
}

/// The certificate with this fingerprint, locked against revocation and renewal until the end of the transaction.
pub async fn lock(
    conn: &mut PgConnection,
    fingerprint: &Fingerprint,
) -> db::Result<Option<EdgeCertificate>> {
    let found = sqlx::query_as!(
        EdgeCertificate,
        "SELECT fingerprint, name, region, issued_at, expires_at, last_seen_at, revoked_at, renews,
                is_relay
         FROM edge_certificates
         WHERE fingerprint = $1
         FOR UPDATE",
        fingerprint.as_slice(),
    )
    .fetch_optional(conn)
    .await?;
    Ok(found)
}

/// Counts an edge's valid certificates.
pub(crate) async fn count_valid(
    conn: &mut PgConnection,
    name: &str,
    now: OffsetDateTime,
) -> db::Result<i64> {
    let count = sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "count!"
           FROM edge_certificates
           WHERE name = $1 AND revoked_at IS NULL AND expires_at > $2"#,
        name,
        now,
    )
    .fetch_one(conn)
    .await?;
    Ok(count)
}

/// The known certificates among the fingerprints, even if revoked or expired.
pub(crate) async fn list_of(
    conn: &mut PgConnection,
    fingerprints: &[Fingerprint],
) -> db::Result<Vec<EdgeCertificate>> {
    let fingerprints: Vec<Vec<u8>> = fingerprints
        .iter()
        .map(|fingerprint| fingerprint.to_vec())
        .collect();
    let found = sqlx::query_as!(
        EdgeCertificate,
        "SELECT fingerprint, name, region, issued_at, expires_at, last_seen_at, revoked_at, renews,
                is_relay
         FROM edge_certificates
         WHERE fingerprint = ANY($1)",
        &fingerprints,
    )
    .fetch_all(conn)
    .await?;
    Ok(found)
}

/// All certificates ever issued, by name, newest first.
pub async fn list(conn: &mut PgConnection) -> db::Result<Vec<EdgeCertificate>> {
    let found = sqlx::query_as!(
        EdgeCertificate,
        "SELECT fingerprint, name, region, issued_at, expires_at, last_seen_at, revoked_at, renews,
                is_relay
         FROM edge_certificates
         ORDER BY name, issued_at DESC, fingerprint",
    )
    .fetch_all(conn)
    .await?;
    Ok(found)
}

/// The newest certificate of an edge that is not revoked.
pub async fn find_enrolled(
    conn: &mut PgConnection,
    name: &str,
) -> db::Result<Option<EdgeCertificate>> {
    let found = sqlx::query_as!(
        EdgeCertificate,
        "SELECT fingerprint, name, region, issued_at, expires_at, last_seen_at, revoked_at, renews,
                is_relay
         FROM edge_certificates
         WHERE name = $1 AND revoked_at IS NULL
         ORDER BY issued_at DESC, fingerprint
         LIMIT 1",
        name,
    )
    .fetch_optional(conn)
    .await?;
    Ok(found)
}

/// Valid certificates, by name, newest first.
pub(crate) async fn list_valid(
    conn: &mut PgConnection,
    now: OffsetDateTime,
) -> db::Result<Vec<EdgeCertificate>> {
    let found = sqlx::query_as!(
        EdgeCertificate,
        "SELECT fingerprint, name, region, issued_at, expires_at, last_seen_at, revoked_at, renews,
                is_relay
         FROM edge_certificates
         WHERE revoked_at IS NULL AND expires_at > $1
         ORDER BY name, issued_at DESC, fingerprint",
        now,
    )
    .fetch_all(conn)
    .await?;
    Ok(found)
}

/// Records that edges are connected.
pub(crate) async fn touch(
    conn: &mut PgConnection,
    fingerprints: &[Fingerprint],
    now: OffsetDateTime,
) -> db::Result<()> {
    let fingerprints: Vec<Vec<u8>> = fingerprints
        .iter()
        .map(|fingerprint| fingerprint.to_vec())
        .collect();
    sqlx::query!(
        "UPDATE edge_certificates
         SET last_seen_at = $2
         WHERE fingerprint = ANY($1)",
        &fingerprints,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Revokes all certificates of an edge; returns how many, 0 if no edge with this name is enrolled.
pub async fn revoke(conn: &mut PgConnection, name: &str, now: OffsetDateTime) -> db::Result<u64> {
    // A renewal in progress has locked the certificate that it renews. After it, the statement below sees both.
    sqlx::query!(
        "SELECT fingerprint
         FROM edge_certificates
         WHERE name = $1 AND revoked_at IS NULL
         ORDER BY fingerprint
         FOR UPDATE",
        name,
    )
    .fetch_all(&mut *conn)
    .await?;
    let revoked = sqlx::query!(
        "UPDATE edge_certificates
         SET revoked_at = $2
         WHERE name = $1 AND revoked_at IS NULL",
        name,
        now,
    )
    .execute(conn)
    .await?;
    Ok(revoked.rows_affected())
}
