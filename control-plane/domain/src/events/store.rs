//! SQL of the outbox: committed, undistributed events.

use serde_json::Value;
use sqlx::{PgConnection, types::Json};
use time::OffsetDateTime;

use super::{Actor, contents::About, outbox::NewOutboxEvent};
use base::{
    db,
    ids::{EnvId, FlagId, OrgId, ProjectId, WebhookDeliveryId, WebhookId},
    jobs::sweep::BATCH,
};

/// Bytes of the contents of an organization's events. Beyond it, events are stored without values, and beyond twice as much
/// without contents.
pub const MAX_BYTES: i64 = 16 * 1024 * 1024;

/// Appends events, for one webhook or for all that listen. Stores none to which no enabled webhook listens, unless addressed to
/// one. Locks the organization's head until the commit.
pub(super) async fn insert(
    conn: &mut PgConnection,
    org_id: OrgId,
    actor: Actor,
    only: Option<WebhookId>,
    events: &[NewOutboxEvent],
) -> db::Result<()> {
    let (actor_type, actor_id) = actor.shown();
    let types: Vec<_> = events.iter().map(|one| one.event_type.to_owned()).collect();
    let flags: Vec<_> = events.iter().map(|one| one.flag_id).collect();
    let envs: Vec<_> = events.iter().map(|one| one.env_id).collect();
    let projects: Vec<_> = events.iter().map(|one| one.project_id).collect();
    let times: Vec<_> = events.iter().map(|one| one.happened_at).collect();
    let parts: Vec<_> = events.iter().map(|one| one.is_part).collect();
    let contents = || events.iter().map(|one| &one.contents);
    let subjects: Vec<_> = contents().map(|one| Json(&one.about)).collect();
    let before: Vec<_> = contents().map(|one| one.before.as_ref()).collect();
    let after: Vec<_> = contents().map(|one| one.after.as_ref()).collect();
    let truncated: Vec<_> = contents().map(|one| one.truncated).collect();
    let counted = |bytes: usize| i32::try_from(bytes).unwrap_or(i32::MAX);
    let brief_bytes: Vec<_> = contents().map(|one| counted(one.brief_bytes)).collect();
    let bytes: Vec<_> = contents().map(|one| counted(one.bytes)).collect();
    sqlx::query!(
        "WITH given AS MATERIALIZED (
             SELECT *
             FROM unnest($3::text[], $4::uuid[], $5::uuid[], $6::uuid[], $7::timestamptz[], $8::jsonb[], $9::jsonb[],
                         $10::jsonb[], $11::boolean[], $12::integer[], $13::integer[], $17::boolean[])
                 WITH ORDINALITY
                 AS given (event_type, flag_id, env_id, project_id, happened_at, subject, before_values, after_values,
                           truncated, brief_bytes, bytes, is_part, place)
         ), listened AS MATERIALIZED (
             SELECT types.event_type
             FROM (SELECT DISTINCT event_type FROM given) AS types
             WHERE $2::uuid IS NOT NULL
                 OR EXISTS (
                     SELECT
                     FROM webhooks
                     WHERE org_id = $1
                         AND enabled
                         AND (cardinality(events) = 0
                              OR events && ARRAY['*', types.event_type, split_part(types.event_type, '.', 1) || '.*'])
                 )
         ), owed AS MATERIALIZED (
             SELECT given.*,
                    row_number() OVER in_order AS number,
                    sum(brief_bytes) OVER in_order AS brief_total,
                    sum(bytes) OVER in_order AS total
             FROM given
             JOIN listened USING (event_type)
             WINDOW in_order AS (ORDER BY place)
         ), head AS MATERIALIZED (
             SELECT last_position, content_bytes
             FROM webhook_heads
             WHERE org_id = $1 AND EXISTS (SELECT FROM owed)
             FOR NO KEY UPDATE
         ), placed AS MATERIALIZED (
             SELECT owed.*,
                    head.last_position + owed.number AS position,
                    head.content_bytes + owed.total > $14::bigint AS is_brief,
                    head.content_bytes + owed.brief_total > 2 * $14::bigint AS is_bare
             FROM owed
             CROSS JOIN head
         ), advanced AS (
             UPDATE webhook_heads
             SET last_position = added.last_position, content_bytes = content_bytes + added.bytes
             FROM (
                 SELECT max(position) AS last_position,
                        coalesce(sum(CASE WHEN is_bare THEN 0 WHEN is_brief THEN brief_bytes ELSE bytes END), 0)::bigint AS bytes
                 FROM placed
             ) AS added
             WHERE webhook_heads.org_id = $1 AND added.last_position IS NOT NULL
         ), appended AS (
             INSERT INTO webhook_events (org_id, position, webhook_id, event_type, flag_id, env_id, happened_at, is_part)
             SELECT $1, position, $2, event_type, flag_id, env_id, happened_at, is_part
             FROM placed
         )
         INSERT INTO webhook_contents
             (org_id, position, event_type, happened_at, flag_id, flag_key, flag_name, env_id, env_slug, env_name,
              project_id, project_slug, project_name, actor_type, actor_id, actor_name, subject, before_values,
              after_values, truncated, bytes)
         SELECT $1, placed.position, placed.event_type, placed.happened_at, placed.flag_id, flags.key, flags.name,
                placed.env_id, environments.slug, environments.name, placed.project_id, projects.slug, projects.name,
                $15, $16,
                CASE $15::text
                    WHEN 'user' THEN
                        (SELECT CASE WHEN lower(name) IS DISTINCT FROM email THEN name END FROM users WHERE id = $16)
                    WHEN 'api_key' THEN (SELECT name FROM api_keys WHERE org_id = $1 AND id = $16)
                    WHEN 'scim' THEN 'Identity provider'
                    ELSE 'System'
                END,
                placed.subject,
                CASE WHEN NOT placed.is_brief THEN placed.before_values END,
                CASE WHEN NOT placed.is_brief THEN placed.after_values END,
                placed.truncated OR placed.is_brief AND placed.bytes > placed.brief_bytes,
                CASE WHEN placed.is_brief THEN placed.brief_bytes ELSE placed.bytes END
         FROM placed
         LEFT JOIN flags ON flags.org_id = $1 AND flags.id = placed.flag_id
         LEFT JOIN environments ON environments.org_id = $1 AND environments.id = placed.env_id
         LEFT JOIN projects ON projects.org_id = $1 AND projects.id = placed.project_id
         WHERE NOT placed.is_bare",
        org_id as OrgId,
        only as Option<WebhookId>,
        &types,
        &flags as &[Option<FlagId>],
        &envs as &[Option<EnvId>],
        &projects as &[Option<ProjectId>],
        &times,
        &subjects as &[Json<&About>],
        &before as &[Option<&Value>],
        &after as &[Option<&Value>],
        &truncated,
        &brief_bytes,
        &bytes,
        MAX_BYTES,
        actor_type,
        actor_id,
        &parts,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The keys of flags, of those that are there.
pub(super) async fn flag_keys(
    conn: &mut PgConnection,
    org_id: OrgId,
    ids: &[FlagId],
) -> db::Result<Vec<(FlagId, String)>> {
    let rows = sqlx::query!(
        r#"SELECT id AS "id: FlagId", key FROM flags WHERE org_id = $1 AND id = ANY($2)"#,
        org_id as OrgId,
        ids as &[FlagId],
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.key)).collect())
}

#[derive(Clone, Debug)]
pub(crate) struct OutboxEvent {
    pub position: i64,
    pub webhook_id: Option<WebhookId>,
    /// The delivery whose contents are sent again.
    pub redelivery_of: Option<WebhookDeliveryId>,
    pub event_type: String,
    pub flag_id: Option<FlagId>,
    pub env_id: Option<EnvId>,
    pub happened_at: OffsetDateTime,
    /// Whether it is a part of a change set.
    pub is_part: bool,
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
             RETURNING position, webhook_id, redelivery_of, event_type, flag_id, env_id, happened_at, is_part
         )
         SELECT position, webhook_id, redelivery_of, event_type, flag_id, env_id, happened_at, is_part
         FROM taken
         ORDER BY position",
        org_id as OrgId,
        limit,
    )
    .fetch_all(conn)
    .await?)
}
