//! SQL of queries about subscriptions: their times, and how many went unanswered.

use sqlx::PgConnection;
use time::OffsetDateTime;

use base::{
    db,
    ids::{OrgId, SubscriptionId},
};

/// Sets the time of the query; `None` if none is needed.
pub async fn update_settle_at(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: SubscriptionId,
    settle_at: Option<OffsetDateTime>,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE subscriptions
         SET settle_at = $3, settle_attempts = 0
         WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as SubscriptionId,
        settle_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Schedules a query at `now`. One due by `soon` stays: it may wait for the end of a call.
pub async fn ask(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: SubscriptionId,
    now: OffsetDateTime,
    soon: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE subscriptions
         SET settle_at = $3, settle_attempts = 0
         WHERE org_id = $1 AND id = $2 AND (settle_at IS NULL OR settle_at > $4)",
        org_id as OrgId,
        id as SubscriptionId,
        now,
        soon,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Records that a query begins, to be repeated at `next` without an answer.
pub async fn note_asking(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: SubscriptionId,
    next: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE subscriptions
         SET settle_at = $3, settle_attempts = settle_attempts + 1
         WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as SubscriptionId,
        next,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Records an answer and the time of the next query, unless that time was changed from `asked` meanwhile.
pub async fn settle(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: SubscriptionId,
    asked: OffsetDateTime,
    next: Option<OffsetDateTime>,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE subscriptions
         SET settle_at = $4, settle_attempts = 0
         WHERE org_id = $1 AND id = $2 AND settle_at = $3",
        org_id as OrgId,
        id as SubscriptionId,
        asked,
        next,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Unanswered queries since the last answer.
pub async fn count_unanswered(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: SubscriptionId,
) -> db::Result<i32> {
    Ok(sqlx::query_scalar!(
        "SELECT settle_attempts FROM subscriptions WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as SubscriptionId,
    )
    .fetch_one(conn)
    .await?)
}

/// A subscription to query at its gateway.
#[derive(Clone, Debug)]
pub struct Unsettled {
    pub id: SubscriptionId,
    pub org_id: OrgId,
    pub gateway_ref: String,
    pub settle_attempts: i32,
}

/// Thresholds for querying a subscription without open questions.
#[derive(Clone, Copy, Debug)]
pub struct AskedAbout {
    /// By the end of its period, if it ends then.
    pub ended_by: OffsetDateTime,
    /// By some time after the end of its period, if it renews.
    pub renewed_by: OffsetDateTime,
    pub past_due_since: OffsetDateTime,
}

/// Subscriptions to query, the longest waiting first: those with open questions, and those that are due. Not tenant-scoped: a
/// job of the service.
pub async fn list_unsettled(
    conn: &mut PgConnection,
    times: AskedAbout,
    limit: i64,
) -> db::Result<Vec<Unsettled>> {
    Ok(sqlx::query_as!(
        Unsettled,
        r#"SELECT id, org_id, gateway_ref AS "gateway_ref!", settle_attempts
           FROM subscriptions
           WHERE gateway = 'gateway_redirect'
               AND gateway_ref IS NOT NULL
               AND (
                   settle_at <= $1
                   OR settle_at IS NULL AND status = 'active'
                       AND (current_period_end <= $2 OR cancel_at_period_end AND current_period_end <= $1)
                   OR settle_at IS NULL AND status = 'past_due' AND past_due_since <= $3
               )
           ORDER BY COALESCE(settle_at, past_due_since, current_period_end), id
           LIMIT $4"#,
        times.ended_by,
        times.renewed_by,
        times.past_due_since,
        limit,
    )
    .fetch_all(conn)
    .await?)
}
