//! The window of an organization: its start, and the use of its bounds.

use std::collections::BTreeMap;

use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::usage::model::{OTHER, Step};
use base::{db, ids::OrgId};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::usage) struct Window {
    /// Keys without a flag that are counted individually.
    pub(in crate::usage) unknown_keys: i64,
    pub(in crate::usage) impressions: i64,
    /// Whether the first evaluation is still to be marked in the first steps. Read with the window to save a query.
    pub(in crate::usage) awaits_evaluation: bool,
    /// Series of hours, and of days, are complete up to here.
    pub(in crate::usage) hours_folded_to: Option<OffsetDateTime>,
    pub(in crate::usage) days_folded_to: Option<OffsetDateTime>,
}

/// Locks the organizations' windows until the end of the transaction, in id order. Creates missing ones.
pub(in crate::usage) async fn lock(
    conn: &mut PgConnection,
    org_ids: &[OrgId],
) -> db::Result<BTreeMap<OrgId, Window>> {
    // Before any lock: concurrent creators wait for each other, and must not hold what the others need next.
    sqlx::query!(
        "INSERT INTO usage_windows (org_id, started_at)
         SELECT id, created_at
         FROM organizations
         WHERE id = ANY($1) AND NOT EXISTS (SELECT FROM usage_windows WHERE org_id = organizations.id)
         ORDER BY id
         ON CONFLICT DO NOTHING",
        org_ids as &[OrgId],
    )
    .execute(&mut *conn)
    .await?;
    lock_existing(conn, org_ids).await
}

async fn lock_existing(
    conn: &mut PgConnection,
    org_ids: &[OrgId],
) -> db::Result<BTreeMap<OrgId, Window>> {
    let rows = sqlx::query!(
        r#"SELECT w.org_id, unknown_keys, impressions, hours_folded_to, days_folded_to,
                  coalesce(NOT first_evaluation AND 'first_evaluation' <> ALL(taken_back), true) AS "awaits_evaluation!"
           FROM usage_windows w
           LEFT JOIN onboarding s ON s.org_id = w.org_id
           WHERE w.org_id = ANY($1)
           ORDER BY w.org_id
           FOR NO KEY UPDATE OF w"#,
        org_ids as &[OrgId],
    )
    .fetch_all(conn)
    .await?;
    let windows = rows.into_iter().map(|row| {
        let window = Window {
            unknown_keys: row.unknown_keys,
            impressions: row.impressions,
            awaits_evaluation: row.awaits_evaluation,
            hours_folded_to: row.hours_folded_to,
            days_folded_to: row.days_folded_to,
        };
        (row.org_id, window)
    });
    Ok(windows.collect())
}

pub(in crate::usage) async fn update(
    conn: &mut PgConnection,
    windows: &BTreeMap<OrgId, Window>,
) -> db::Result<()> {
    if windows.is_empty() {
        return Ok(());
    }
    let org_ids: Vec<OrgId> = windows.keys().copied().collect();
    let unknown_keys: Vec<i64> = windows.values().map(|window| window.unknown_keys).collect();
    let impressions: Vec<i64> = windows.values().map(|window| window.impressions).collect();
    sqlx::query!(
        "UPDATE usage_windows
         SET unknown_keys = used.unknown_keys, impressions = used.impressions
         FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) AS used (org_id, unknown_keys, impressions)
         WHERE usage_windows.org_id = used.org_id",
        &org_ids as &[OrgId],
        &unknown_keys,
        &impressions,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Stores the time up to which series of hours or of days are complete.
pub(in crate::usage) async fn set_folded(
    conn: &mut PgConnection,
    org_id: OrgId,
    step: Step,
    folded_to: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE usage_windows
         SET hours_folded_to = CASE WHEN $3 = 3600 THEN $2 ELSE hours_folded_to END,
             days_folded_to = CASE WHEN $3 = 86400 THEN $2 ELSE days_folded_to END
         WHERE org_id = $1",
        org_id as OrgId,
        folded_to,
        step.seconds(),
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub(in crate::usage) async fn restart(
    conn: &mut PgConnection,
    org_id: OrgId,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE usage_windows SET started_at = $2, unknown_keys = 0 WHERE org_id = $1",
        org_id as OrgId,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Whether a flush holds a claim. Exact while the window is locked.
pub(in crate::usage) async fn is_claimed(
    conn: &mut PgConnection,
    org_id: OrgId,
    now: OffsetDateTime,
) -> db::Result<bool> {
    Ok(sqlx::query_scalar!(
        r#"SELECT flush_token IS NOT NULL AND flush_lapses_at > $2 AS "is_claimed!"
           FROM usage_windows
           WHERE org_id = $1"#,
        org_id as OrgId,
        now,
    )
    .fetch_one(conn)
    .await?)
}

/// Stores a flush's claim until it lapses.
pub(in crate::usage) async fn claim(
    conn: &mut PgConnection,
    org_id: OrgId,
    token: Uuid,
    lapses_at: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE usage_windows SET flush_token = $2, flush_lapses_at = $3 WHERE org_id = $1",
        org_id as OrgId,
        token,
        lapses_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Renews a claim; returns whether it was still valid.
pub(in crate::usage) async fn renew_claim(
    conn: &mut PgConnection,
    org_id: OrgId,
    token: Uuid,
    lapses_at: OffsetDateTime,
) -> db::Result<bool> {
    let renewed = sqlx::query!(
        "UPDATE usage_windows SET flush_lapses_at = $3 WHERE org_id = $1 AND flush_token = $2",
        org_id as OrgId,
        token,
        lapses_at,
    )
    .execute(conn)
    .await?;
    Ok(renewed.rows_affected() > 0)
}

/// Ends a claim; returns whether it was still valid.
pub(in crate::usage) async fn end_claim(
    conn: &mut PgConnection,
    org_id: OrgId,
    token: Uuid,
) -> db::Result<bool> {
    let ended = sqlx::query!(
        "UPDATE usage_windows
         SET flush_token = NULL, flush_lapses_at = NULL
         WHERE org_id = $1 AND flush_token = $2",
        org_id as OrgId,
        token,
    )
    .execute(conn)
    .await?;
    Ok(ended.rows_affected() > 0)
}

/// Recounts the keys without a flag after counters were deleted.
pub(in crate::usage) async fn recount_unknown(
    conn: &mut PgConnection,
    org_id: OrgId,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE usage_windows
         SET unknown_keys = (
             SELECT COUNT(*)
             FROM evaluation_counters
             WHERE org_id = $1 AND reason = 'NOT_FOUND' AND flag_key <> $2
         )
         WHERE org_id = $1",
        org_id as OrgId,
        OTHER,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The start of the window; before the first batch, the organization's creation.
pub async fn get_start(conn: &mut PgConnection, org_id: OrgId) -> db::Result<OffsetDateTime> {
    Ok(sqlx::query_scalar!(
        r#"SELECT coalesce(w.started_at, o.created_at) AS "started_at!"
           FROM organizations o
           LEFT JOIN usage_windows w ON w.org_id = o.id
           WHERE o.id = $1"#,
        org_id as OrgId,
    )
    .fetch_one(conn)
    .await?)
}
