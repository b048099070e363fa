//! Queries of publishing, apart from the loaders of contents: changes, histories, API keys, old tombstones.

mod identity;

use std::{collections::HashMap, sync::Arc};

use fanout::Seen;

use protocol::{
    digest::FORMAT,
    snapshot::{Digest, KeyHash, Version},
};
use sqlx::{Connection, Executor, PgConnection};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

pub(super) use self::identity::{Database, has_moved, identify};
use super::{compile, lookups::Found, mark::Attempt, rewind::Proof};
use base::{
    db,
    ids::{EnvId, OrgId},
};

/// How long tombstones are kept: an edge that was away for less learns of deletions from them.
pub(super) const TOMBSTONES: Duration = Duration::days(7);

/// The state of the database that a poll saw: the next one finds later changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Horizon(String);

impl Default for Horizon {
    fn default() -> Self {
        Self("1:1:".to_owned())
    }
}

/// Where a version of an environment comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub(crate) org_id: OrgId,
    /// The transaction that drew it.
    pub(crate) transaction: u64,
}

/// The result of a poll.
#[derive(Debug)]
pub(super) struct Polled {
    /// Changes since the horizon.
    pub(super) seen: Vec<Seen>,
    /// Of the changed environments.
    pub(super) origins: HashMap<EnvId, Origin>,
    /// The start of the next poll.
    pub(super) horizon: Horizon,
    /// The log position flushed to disk, in bytes. It decreases only if the database is rewound.
    pub(super) position: u64,
    /// The stored history; `None` in a database whose data was loaded without it.
    pub(super) history: Option<Uuid>,
    /// This reader's mark before the poll.
    pub(super) mark: Option<Uuid>,
    pub(super) is_marked: bool,
    /// Whether a row has a transaction number that this cluster has not reached: see [`renumber`].
    pub(super) is_ahead: bool,
}

/// Finds the environments that were changed since `horizon`, what was removed since `removed` if that is given, and the next
/// horizon. A full poll needs no removals.
///
/// One statement, so that all results belong to one state of the database: invisible changes are found by the next poll, and the
/// attempt's mark, written if a change was found, proves that this state existed.
pub(super) async fn poll(
    conn: &mut PgConnection,
    horizon: &Horizon,
    removed: Option<&Horizon>,
    attempt: &Attempt,
) -> db::Result<Polled> {
    let rows = sqlx::query!(
        r#"WITH changed AS MATERIALIZED (
               SELECT e.id AS env_id, e.org_id, e.version, o.data_region, d.digest, e.changed_in
               FROM environments e
               JOIN organizations o ON o.id = e.org_id
               LEFT JOIN environment_digests d ON d.env_id = e.id AND d.version = e.version AND d.format = $6
               WHERE e.changed_in >= pg_snapshot_xmin($1::text::pg_snapshot)
                 AND NOT pg_visible_in_snapshot(e.changed_in, $1::text::pg_snapshot)
               UNION ALL
               SELECT env_id, NULL, NULL, NULL, NULL, changed_in
               FROM removed_environments
               WHERE changed_in >= pg_snapshot_xmin($2::text::pg_snapshot)
                 AND NOT pg_visible_in_snapshot(changed_in, $2::text::pg_snapshot)
           ), marked AS (
               INSERT INTO replica_marks (reader_id, mark, marked_at)
               SELECT $3, $4, now()
               -- Not worth a sync: after a crash of the database without it, edges greet once more.
               FROM (SELECT set_config('synchronous_commit', 'off', true)) AS lazily
               WHERE EXISTS (SELECT FROM changed)
               ON CONFLICT (reader_id) DO UPDATE
               SET mark = excluded.mark, marked_at = excluded.marked_at
               -- A statement that comes late does not replace what a later one wrote.
               WHERE replica_marks.mark = ANY($5)
               RETURNING mark
           )
           SELECT pg_current_snapshot()::text AS "horizon!",
                  pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::bigint AS "position!",
                  history.id AS "history?",
                  (SELECT mark FROM replica_marks WHERE reader_id = $3) AS "mark?",
                  EXISTS (SELECT FROM marked) AS "is_marked!",
                  changed.changed_in >= pg_snapshot_xmax(pg_current_snapshot()) AS "is_ahead?",
                  changed.env_id AS "env_id?: EnvId", changed.version AS "version?", changed.data_region AS "region?",
                  changed.org_id AS "org_id?: OrgId", changed.changed_in::text AS "transaction?",
                  changed.digest AS "digest?"
           FROM (VALUES (1)) AS look
           LEFT JOIN database_history history ON true
           LEFT JOIN changed ON true"#,
        horizon.0,
        removed.map(|removed| removed.0.as_str()),
        attempt.reader,
        attempt.next,
        &attempt.accepted,
        FORMAT,
    )
    .fetch_all(conn)
    .await?;

    let first = rows.first().ok_or(sqlx::Error::RowNotFound)?;
    let origins = rows.iter().filter_map(|row| {
        let origin = Origin {
            org_id: row.org_id?,
            transaction: row.transaction.as_deref()?.parse().ok()?,
        };
        Some((row.env_id?, origin))
    });
    let origins = origins.collect();
    let mut regions: Vec<Arc<str>> = Vec::new();
    Ok(Polled {
        origins,
        horizon: Horizon(first.horizon.clone()),
        position: u64::try_from(first.position).unwrap_or(0),
        history: first.history,
        mark: first.mark,
        is_marked: first.is_marked,
        is_ahead: rows.iter().any(|row| row.is_ahead == Some(true)),
        seen: rows
            .into_iter()
            .filter_map(|row| {
                let env_id = row.env_id?.into();
                let (Some(version), Some(region)) = (row.version, row.region) else {
                    return Some(Seen::Removed { env_id });
                };
                let digest = row.digest.and_then(|bytes| bytes.try_into().ok());
                Some(Seen::Environment {
                    env_id,
                    version: compile::version(version),
                    region: shared(&mut regions, &region),
                    digest: digest.map(Digest),
                })
            })
            .collect(),
    })
}

/// Makes a connection find changes by indexes alone. The planner cannot know how few they are: without statistics, as after a
/// restore, it expects a third of all rows, and scans the table.
pub(super) async fn read_by_index(conn: &mut PgConnection) -> db::Result<()> {
    // Without an index, a query is costed very high, and would be compiled by JIT each time. A bitmap scan does not mark dead
    // index entries, and would read renumbered rows until they are vacuumed.
    let settings = "SET enable_seqscan = off;
                    SET enable_bitmapscan = off;
                    SET enable_hashjoin = off;
                    SET enable_mergejoin = off;
                    SET jit = off;
                    SET plan_cache_mode = force_generic_plan";
    conn.execute(settings).await?;
    Ok(())
}

/// Replaces transaction numbers that this cluster has not reached, as after a restore into another one, by a present one:
/// otherwise every poll would find these rows until the cluster gets there.
pub(super) async fn renumber(conn: &mut PgConnection) -> db::Result<()> {
    sqlx::query!(
        "WITH removed AS (
             UPDATE removed_environments SET changed_in = pg_current_xact_id()
             WHERE changed_in >= pg_snapshot_xmax(pg_current_snapshot())
         )
         UPDATE environments SET changed_in = pg_current_xact_id()
         WHERE changed_in >= pg_snapshot_xmax(pg_current_snapshot())",
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Deletes the marks of processes that have ended, or have not polled for as long as tombstones are kept.
pub(super) async fn sweep_marks(conn: &mut PgConnection) -> db::Result<()> {
    sqlx::query!("DELETE FROM replica_marks WHERE marked_at < now() - interval '7 days'")
        .execute(conn)
        .await?;
    Ok(())
}

/// Begins another history, unless `known` is no longer the database's. Digests of the previous one are deleted, unless only an
/// edge claims the rewind: the database's own contents were always consistent then.
pub(super) async fn begin_history(
    conn: &mut PgConnection,
    known: Option<Uuid>,
    proof: Proof,
) -> db::Result<bool> {
    let mut tx = conn.begin().await?;
    let begun = sqlx::query!(
        "INSERT INTO database_history (id, begun_at, reason)
         VALUES (gen_random_uuid(), now(), $2)
         ON CONFLICT (is_only) DO UPDATE
         SET id = excluded.id, begun_at = excluded.begun_at, reason = excluded.reason
         WHERE database_history.id = $1",
        known,
        proof.reason(),
    )
    .execute(&mut *tx)
    .await?;
    let has_begun = begun.rows_affected() > 0;
    if has_begun && proof != Proof::Edge {
        sqlx::query!("DELETE FROM environment_digests")
            .execute(&mut *tx)
            .await?;
    }
    tx.commit().await?;
    Ok(has_begun)
}

/// Stores computed digests, unless a newer version's is known or the environment is gone. `false` if one was deleted meanwhile:
/// then none is stored.
pub(super) async fn keep_digests(
    conn: &mut PgConnection,
    computed: &[(EnvId, Version, Digest)],
) -> db::Result<bool> {
    let env_ids: Vec<EnvId> = computed.iter().map(|(env_id, ..)| *env_id).collect();
    let versions: Vec<i64> = computed
        .iter()
        .map(|(_, version, _)| row_version(*version))
        .collect();
    let digests: Vec<&[u8]> = computed.iter().map(|(.., digest)| &digest.0[..]).collect();
    let kept = sqlx::query!(
        "INSERT INTO environment_digests (env_id, version, format, digest)
         SELECT computed.env_id, computed.version, $4, computed.digest
         FROM unnest($1::uuid[], $2::bigint[], $3::bytea[]) AS computed (env_id, version, digest)
         JOIN environments e ON e.id = computed.env_id
         -- Not worth a sync: what is lost is computed again.
         CROSS JOIN (SELECT set_config('synchronous_commit', 'off', true)) AS lazily
         ORDER BY computed.env_id
         ON CONFLICT (env_id) DO UPDATE
         SET version = excluded.version, format = excluded.format, digest = excluded.digest
         WHERE environment_digests.version < excluded.version OR environment_digests.format <> excluded.format",
        &env_ids as &[EnvId],
        &versions,
        &digests as &[&[u8]],
        FORMAT,
    )
    .execute(conn)
    .await;
    match kept {
        Ok(_) => Ok(true),
        Err(sqlx::Error::Database(refusal)) if refusal.is_foreign_key_violation() => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Shares region names: there are few regions and many environments.
fn shared(regions: &mut Vec<Arc<str>>, region: &str) -> Arc<str> {
    if let Some(known) = regions.iter().find(|known| ***known == *region) {
        return Arc::clone(known);
    }
    let new: Arc<str> = region.into();
    regions.push(Arc::clone(&new));
    new
}

/// The environments of valid API keys, with their versions and the data regions of their organizations. Not scoped to a tenant:
/// the keys identify them.
pub(super) async fn find_keys(
    conn: &mut PgConnection,
    hashes: &[KeyHash],
    now: OffsetDateTime,
) -> db::Result<HashMap<KeyHash, Found>> {
    let hashes: Vec<&[u8]> = hashes.iter().map(KeyHash::as_slice).collect();
    let rows = sqlx::query!(
        r#"SELECT k.hash, e.id, e.version, o.data_region
           FROM api_keys k
           JOIN environments e ON e.id = k.env_id
           JOIN organizations o ON o.id = e.org_id
           WHERE k.hash = ANY($1) AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $2)"#,
        &hashes as &[&[u8]],
        now,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .filter_map(|row| {
            let found = Found {
                env_id: row.id,
                version: compile::version(row.version),
                region: row.data_region.into(),
            };
            Some((row.hash.try_into().ok()?, found))
        })
        .collect())
}

/// Keys added or changed in environments since the given versions, for edges that remember which keys do not exist.
pub(super) async fn list_new_keys(
    conn: &mut PgConnection,
    raised: &[(EnvId, Version)],
) -> db::Result<Vec<(EnvId, KeyHash)>> {
    let env_ids: Vec<EnvId> = raised.iter().map(|(env_id, _)| *env_id).collect();
    let since: Vec<i64> = raised
        .iter()
        .map(|(_, version)| row_version(*version))
        .collect();
    let rows = sqlx::query!(
        "SELECT k.env_id, k.hash
         FROM unnest($1::uuid[], $2::bigint[]) AS raised (env_id, since)
         JOIN api_keys k ON k.env_id = raised.env_id AND k.changed_version > raised.since
         WHERE k.revoked_at IS NULL AND k.retired_at IS NULL",
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

fn row_version(version: Version) -> i64 {
    i64::try_from(version).unwrap_or(i64::MAX)
}

/// Deletes tombstones older than `until`, except those by which a job still has to find states of deleted things.
pub(super) async fn prune(conn: &mut PgConnection, until: OffsetDateTime) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM removed_flags r
         WHERE removed_at < $1 AND NOT EXISTS (SELECT FROM flag_states s WHERE s.flag_id = r.flag_id)",
        until,
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!("DELETE FROM removed_segments WHERE removed_at < $1", until)
        .execute(&mut *conn)
        .await?;
    sqlx::query!(
        "DELETE FROM removed_environments r
         WHERE removed_at < $1 AND NOT EXISTS (SELECT FROM flag_states s WHERE s.env_id = r.env_id)",
        until,
    )
    .execute(conn)
    .await?;
    Ok(())
}
