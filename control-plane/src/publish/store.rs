//! Queries of publishing, apart from the loaders of contents: what changed, which history this is, API keys, old
//! tombstones.

use std::sync::Arc;

use protocol::{
    snapshot::{Digest, KeyHash, Version},
    wire::message::Epoch,
};
use sha2::{Digest as _, Sha256};
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::compile;
use crate::{db, ids::EnvId};

/// An environment that a poll found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// It exists, at this version.
    Environment {
        /// Which.
        env_id: EnvId,
        /// Its version.
        version: Version,
        /// The data region of its organization.
        region: Arc<str>,
        /// The stored digest of exactly this version, if it is known.
        digest: Option<Digest>,
    },
    /// It is gone.
    Removed {
        /// Which.
        env_id: EnvId,
    },
}

impl Seen {
    /// The environment, if it exists.
    pub(super) const fn present(&self) -> Option<EnvId> {
        match self {
            Self::Environment { env_id, .. } => Some(*env_id),
            Self::Removed { .. } => None,
        }
    }
}

/// The oldest transaction that a poll may have missed: the next one starts from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Horizon(String);

impl Default for Horizon {
    /// Before everything.
    fn default() -> Self {
        Self("0".to_owned())
    }
}

/// Finds what was changed by transactions from `horizon` on, and the next horizon. It is one statement, so that both
/// belong to one state of the database: a transaction that is not visible in it was still running, or began later, and
/// so is not below the next horizon.
pub(super) async fn look(
    conn: &mut PgConnection,
    horizon: &Horizon,
) -> db::Result<(Vec<Seen>, Horizon)> {
    let rows = sqlx::query!(
        r#"SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS "horizon!",
                  changed.env_id AS "env_id?: EnvId", changed.version AS "version?", changed.data_region AS "region?"
           FROM (VALUES (1)) AS look
           LEFT JOIN (
               SELECT e.id AS env_id, e.version, o.data_region
               FROM environments e
               JOIN organizations o ON o.id = e.org_id
               WHERE e.changed_in >= $1::text::xid8
               UNION ALL
               SELECT env_id, NULL, NULL
               FROM removed_environments
               WHERE changed_in >= $1::text::xid8
           ) changed ON true"#,
        horizon.0,
    )
    .fetch_all(conn)
    .await?;

    let next = rows
        .first()
        .map_or_else(Horizon::default, |row| Horizon(row.horizon.clone()));
    let mut regions: Vec<Arc<str>> = Vec::new();
    let seen = rows.into_iter().filter_map(|row| {
        let env_id = row.env_id?;
        Some(match (row.version, row.region) {
            (Some(version), Some(region)) => Seen::Environment {
                env_id,
                version: compile::version(version),
                region: shared(&mut regions, &region),
                digest: None,
            },
            _ => Seen::Removed { env_id },
        })
    });
    Ok((seen.collect(), next))
}

/// There are few regions and many environments.
fn shared(regions: &mut Vec<Arc<str>>, region: &str) -> Arc<str> {
    if let Some(known) = regions.iter().find(|known| ***known == *region) {
        return Arc::clone(known);
    }
    let new: Arc<str> = region.into();
    regions.push(Arc::clone(&new));
    new
}

/// Identifies the history of the database. It differs after a restore: another cluster, another timeline of the log
/// (also of a promoted standby, which may lack what the old primary had committed), another database, or recreated
/// tables.
pub(super) async fn epoch(conn: &mut PgConnection) -> db::Result<Epoch> {
    let history = sqlx::query!(
        r#"SELECT (SELECT system_identifier FROM pg_control_system()) AS "system!",
                  substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) AS "timeline!",
                  (SELECT oid FROM pg_database WHERE datname = current_database()) AS "database!",
                  'projects'::regclass::oid AS "versions!""#,
    )
    .fetch_one(conn)
    .await?;
    let hash = Sha256::new()
        .chain_update(history.system.to_be_bytes())
        .chain_update(history.timeline)
        .chain_update(history.database.0.to_be_bytes())
        .chain_update(history.versions.0.to_be_bytes())
        .finalize();
    let (epoch, _) = hash.split_first_chunk().expect("a hash has 32 bytes");
    Ok(Epoch(*epoch))
}

/// The environment of a usable API key, with its version and the data region of its organization. Not scoped to a
/// tenant: the key identifies it.
pub(super) async fn find_key(
    conn: &mut PgConnection,
    hash: &KeyHash,
    now: OffsetDateTime,
) -> db::Result<Option<(EnvId, Version, String)>> {
    let found = sqlx::query!(
        r#"SELECT e.id, e.version, o.data_region
           FROM api_keys k
           JOIN environments e ON e.id = k.env_id
           JOIN organizations o ON o.id = e.org_id
           WHERE k.hash = $1 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $2)"#,
        hash.as_slice(),
        now,
    )
    .fetch_optional(conn)
    .await?;
    Ok(found.map(|row| (row.id, compile::version(row.version), row.data_region)))
}

/// Keys that were added or changed in environments since the given versions. For edges that remember which keys do not
/// exist.
pub(super) async fn list_new_keys(
    conn: &mut PgConnection,
    raised: &[(EnvId, Version)],
) -> db::Result<Vec<(EnvId, KeyHash)>> {
    let env_ids: Vec<EnvId> = raised.iter().map(|(env_id, _)| *env_id).collect();
    let since: Vec<i64> = raised
        .iter()
        .map(|(_, version)| i64::try_from(*version).unwrap_or(i64::MAX))
        .collect();
    let rows = sqlx::query!(
        "SELECT k.env_id, k.hash
         FROM unnest($1::uuid[], $2::bigint[]) AS raised (env_id, since)
         JOIN api_keys k ON k.env_id = raised.env_id AND k.changed_version > raised.since
         WHERE k.revoked_at IS NULL",
        &env_ids as &[EnvId],
        &since,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .filter_map(|row| Some((row.env_id, row.hash.try_into().ok()?)))
        .collect())
}

/// Deletes tombstones older than `until`.
pub(super) async fn prune(conn: &mut PgConnection, until: OffsetDateTime) -> db::Result<()> {
    sqlx::query!("DELETE FROM removed_flags WHERE removed_at < $1", until)
        .execute(&mut *conn)
        .await?;
    sqlx::query!("DELETE FROM removed_segments WHERE removed_at < $1", until)
        .execute(&mut *conn)
        .await?;
    sqlx::query!(
        "DELETE FROM removed_environments WHERE removed_at < $1",
        until
    )
    .execute(conn)
    .await?;
    Ok(())
}
