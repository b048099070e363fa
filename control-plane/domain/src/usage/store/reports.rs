//! Stored batch numbers, and the owners of environments.

use std::collections::{HashMap, HashSet};

use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::usage::{apply::Report, merge::Owner};
use base::{
    db,
    ids::{EnvId, OrgId},
};

/// Records the reports, and returns for each whether it is new. A concurrent writer of the same report waits for the
/// commit.
pub(in crate::usage) async fn advance(
    conn: &mut PgConnection,
    reports: &[&Report],
    now: OffsetDateTime,
) -> db::Result<Vec<bool>> {
    let edges: Vec<String> = reports
        .iter()
        .map(|report| report.reporter.edge.clone())
        .collect();
    let boots: Vec<Vec<u8>> = reports
        .iter()
        .map(|report| report.batch.boot.to_vec())
        .collect();
    let sequences: Vec<i64> = reports
        .iter()
        .map(|report| i64::try_from(report.batch.sequence).unwrap_or(i64::MAX))
        .collect();
    let advanced = sqlx::query!(
        r#"INSERT INTO usage_reports (edge, boot, sequence, stored_at)
           SELECT edge, boot, sequence, $4
           FROM unnest($1::text[], $2::bytea[], $3::bigint[]) AS report (edge, boot, sequence)
           ORDER BY edge COLLATE "C", boot
           ON CONFLICT ON CONSTRAINT usage_reports_pkey
           DO UPDATE SET sequence = excluded.sequence, stored_at = excluded.stored_at
           WHERE usage_reports.sequence < excluded.sequence
           RETURNING edge, boot"#,
        &edges,
        &boots,
        &sequences,
        now,
    )
    .fetch_all(conn)
    .await?;
    let advanced: HashSet<(String, Vec<u8>)> = advanced
        .into_iter()
        .map(|row| (row.edge, row.boot))
        .collect();
    Ok(edges
        .into_iter()
        .zip(boots)
        .map(|report| advanced.contains(&report))
        .collect())
}

/// The owners of those environments that still exist. Locks their organizations in order against deletion until the end of the
/// transaction, before anything that a deletion would remove.
pub(in crate::usage) async fn owners(
    conn: &mut PgConnection,
    env_ids: &[EnvId],
) -> db::Result<HashMap<EnvId, Owner>> {
    let rows = sqlx::query!(
        r#"SELECT e.id AS "env_id: EnvId", o.id AS "org_id: OrgId", o.data_region
           FROM environments e
           JOIN organizations o ON o.id = e.org_id
           WHERE e.id = ANY($1)
           ORDER BY o.id
           FOR KEY SHARE OF o"#,
        env_ids as &[EnvId],
    )
    .fetch_all(conn)
    .await?;
    let owners = rows.into_iter().map(|row| {
        let owner = Owner {
            org_id: row.org_id,
            region: row.data_region,
        };
        (row.env_id, owner)
    });
    Ok(owners.collect())
}

/// Deletes edges that have sent nothing since `end`. Not tenant-scoped: edges belong to the operator.
pub(in crate::usage) async fn delete_older(
    conn: &mut PgConnection,
    end: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!("DELETE FROM usage_reports WHERE stored_at < $1", end)
        .execute(conn)
        .await?;
    Ok(())
}
