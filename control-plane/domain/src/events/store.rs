//! SQL of the outbox: committed, undistributed events.

use sqlx::PgConnection;
use time::OffsetDateTime;

use super::outbox::NewOutboxEvent;
use base::{
    db,
    ids::{EnvId, FlagId, OrgId, WebhookId},
    jobs::sweep::BATCH,
};

/// Appends events, for one webhook or for all that listen. Stores none if no webhook is enabled, unless addressed to one. Locks
/// the organization's head until the commit.
pub(super) async fn insert(
    conn: &mut PgConnection,
    org_id: OrgId,
    only: Option<WebhookId>,
    events: &[NewOutboxEvent],
) -> db::Result<()> {
    let types: Vec<_> = events.iter().map(|one| one.event_type.to_owned()).collect();
    let flags: Vec<_> = events.iter().map(|one| one.flag_id).collect();
    let envs: Vec<_> = events.iter().map(|one| one.env_id).collect();
    let times: Vec<_> = events.iter().map(|one| one.happened_at).collect();
    sqlx::query!(
        "WITH head AS (
             UPDATE webhook_heads
             SET last_position = last_position + cardinality($3::text[])
             WHERE org_id = $1
                 AND ($2::uuid IS NOT NULL OR EXISTS (SELECT FROM webhooks WHERE org_id = $1 AND enabled))
             RETURNING last_position - cardinality($3::text[]) AS before
         )
         INSERT INTO webhook_events (org_id, position, webhook_id, event_type, flag_id, env_id, happened_at)
         SELECT $1, head.before + owed.number, $2, owed.event_type, owed.flag_id, owed.env_id, owed.happened_at
         FROM head,
             unnest($3::text[], $4::uuid[], $5::uuid[], $6::timestamptz[])
                 WITH ORDINALITY AS owed (event_type, flag_id, env_id, happened_at, number)",
        org_id as OrgId,
        only as Option<WebhookId>,
        &types,
        &flags as &[Option<FlagId>],
        &envs as &[Option<EnvId>],
        &times,
    )
    .execute(conn)
    .await?;
    Ok(())
}

#[derive(Clone, Debug)]
pub(crate) struct OutboxEvent {
    pub position: i64,
    pub webhook_id: Option<WebhookId>,
    pub event_type: String,
    pub flag_id: Option<FlagId>,
    pub env_id: Option<EnvId>,
    pub happened_at: OffsetDateTime,
}

/// The first organizations beyond `after` that have events, each found by one index step, however many events there are.
pub(crate) async fn list_orgs(conn: &mut PgConnection, after: OrgId) -> db::Result<Vec<OrgId>> {
    Ok(sqlx::query_scalar!(
        r#"WITH RECURSIVE found AS (
               (SELECT org_id FROM webhook_events WHERE org_id > $1 ORDER BY org_id LIMIT 1)
               UNION ALL
               SELECT (SELECT next.org_id FROM webhook_events AS next WHERE next.org_id > found.org_id ORDER BY next.org_id LIMIT 1)
               FROM found
               WHERE found.org_id IS NOT NULL
           )
           SELECT org_id AS "org_id!: OrgId" FROM found WHERE org_id IS NOT NULL LIMIT $2"#,
        after as OrgId,
        BATCH,
    )
    .fetch_all(conn)
    .await?)
}

/// Takes the first events of an organization, in order, deleting them.
pub(crate) async fn take(
    conn: &mut PgConnection,
    org_id: OrgId,
    limit: i64,
) -> db::Result<Vec<OutboxEvent>> {
    Ok(sqlx::query_as!(
        OutboxEvent,
        "WITH taken AS (
             DELETE FROM webhook_events
             WHERE org_id = $1
                 AND position IN (
                     SELECT position FROM webhook_events WHERE org_id = $1 ORDER BY position LIMIT $2
                 )
             RETURNING position, webhook_id, event_type, flag_id, env_id, happened_at
         )
         SELECT position, webhook_id, event_type, flag_id, env_id, happened_at FROM taken ORDER BY position",
        org_id as OrgId,
        limit,
    )
    .fetch_all(conn)
    .await?)
}
