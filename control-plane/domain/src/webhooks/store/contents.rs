//! SQL of the contents of events.

use sqlx::PgConnection;

use base::{db, ids::OrgId};

/// Bytes of an organization's contents that only ended deliveries need. The oldest beyond it are deleted.
const MAX_OF_ENDED: i64 = 8 * 1024 * 1024;

/// Deletes contents that neither a waiting nor a recorded delivery needs, once `after` events came since the last time.
///
/// Events move from the outbox into queues, and on to recorded deliveries, in one transaction each: one statement sees all
/// references.
pub(crate) async fn purge(conn: &mut PgConnection, org_id: OrgId, after: i64) -> db::Result<()> {
    let last_position = sqlx::query_scalar!(
        "SELECT last_position FROM webhook_heads WHERE org_id = $1 AND last_position - purged_to >= $2",
        org_id as OrgId,
        after,
    )
    .fetch_optional(&mut *conn)
    .await?;
    let Some(last_position) = last_position else {
        return Ok(());
    };
    sqlx::query!(
        "WITH waiting AS (
             SELECT position FROM webhook_events WHERE org_id = $1
             UNION
             SELECT webhook_queue.position
             FROM webhook_lanes
             JOIN webhook_queue ON webhook_queue.webhook_id = webhook_lanes.webhook_id
             WHERE webhook_lanes.org_id = $1
         ), recorded AS (
             SELECT DISTINCT webhook_deliveries.position
             FROM webhook_lanes
             JOIN webhook_deliveries ON webhook_deliveries.webhook_id = webhook_lanes.webhook_id
             WHERE webhook_lanes.org_id = $1
         ), ended AS (
             SELECT stored.position,
                    recorded.position IS NOT NULL AS is_recorded,
                    sum(stored.bytes) FILTER (WHERE recorded.position IS NOT NULL)
                        OVER (ORDER BY stored.position DESC) AS newer_bytes
             FROM webhook_contents AS stored
             LEFT JOIN waiting ON waiting.position = stored.position
             LEFT JOIN recorded ON recorded.position = stored.position
             WHERE stored.org_id = $1 AND stored.position <= $2 AND waiting.position IS NULL
         ), deleted AS (
             DELETE FROM webhook_contents
             USING ended
             WHERE webhook_contents.org_id = $1
                 AND webhook_contents.position = ended.position
                 AND (NOT ended.is_recorded OR ended.newer_bytes > $3::bigint)
             RETURNING bytes
         )
         UPDATE webhook_heads
         SET purged_to = $2, content_bytes = content_bytes - (SELECT coalesce(sum(bytes), 0) FROM deleted)
         WHERE org_id = $1",
        org_id as OrgId,
        last_position,
        MAX_OF_ENDED,
    )
    .execute(conn)
    .await?;
    Ok(())
}
