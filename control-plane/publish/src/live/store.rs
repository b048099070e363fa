//! SQL of streams: changes since their positions, and which of their sessions are live.

use sqlx::PgConnection;
use time::UtcOffset;
use uuid::Uuid;

use super::{
    events::{Change, ChangeEvent},
    position::{NoSnapshot, Position, Snapshot},
};
use base::{
    db,
    ids::{OrgId, ProjectId},
};

/// Changes of one organization sent at most, per poll or on reconnecting.
const MOST_OF_ONE: i64 = 1_000;
/// Entries of one organization read at most. Those already seen among them were committed while an older transaction was still
/// open, so there are few.
const MOST_READ: i64 = 10_000;
/// Changes of all organizations per poll. Above that the largest organizations are reset.
const MOST: i64 = 5_000;

/// Changes of some organizations, and the position after them.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) position: Position,
    pub(super) changes: Vec<(OrgId, ChangeEvent)>,
    /// Organizations with too many changes.
    pub(super) lost: Vec<OrgId>,
}

fn unreadable(error: NoSnapshot) -> db::Error {
    sqlx::Error::Decode(error.into()).into()
}

/// The position after all commits.
pub(super) async fn position(conn: &mut PgConnection) -> db::Result<Position> {
    let row = sqlx::query!(
        r#"SELECT pg_current_snapshot()::text AS "snapshot!", history.id AS "history?"
           FROM (VALUES (1)) AS look
           LEFT JOIN database_history history ON true"#,
    )
    .fetch_one(conn)
    .await?;
    read(&row.snapshot, row.history)
}

fn read(snapshot: &str, history: Option<Uuid>) -> db::Result<Position> {
    let snapshot = snapshot.parse().map_err(unreadable)?;
    Ok(Position { snapshot, history })
}

/// Entries of these organizations' audit logs that `since` does not see. One statement, so that entries and position belong to
/// one state of the database.
pub(super) async fn committed(
    conn: &mut PgConnection,
    org_ids: &[OrgId],
    since: &Snapshot,
) -> db::Result<Found> {
    let rows = sqlx::query!(
        r#"WITH read AS MATERIALIZED (
               SELECT asked.org_id, entry.id, entry.created_at, NOT pg_visible_in_snapshot(entry.written_in, $2::text::pg_snapshot) AS is_new
               FROM unnest($1::uuid[]) AS asked(org_id)
               CROSS JOIN LATERAL (
                   SELECT id, created_at, written_in
                   FROM audit_entries
                   WHERE org_id = asked.org_id AND written_in >= pg_snapshot_xmin($2::text::pg_snapshot)
                       -- Beyond it are entries that another cluster wrote, before they were restored into this one.
                       AND written_in < pg_snapshot_xmax(pg_current_snapshot())
                   ORDER BY written_in
                   LIMIT $3
               ) AS entry
           ), counted AS (
               SELECT org_id, count(*) AS read, count(*) FILTER (WHERE is_new) AS new FROM read GROUP BY org_id
           ), shares AS MATERIALIZED (
               SELECT org_id, read < $3 AND new <= $4 AND sum(new) OVER (ORDER BY new, org_id) <= $5::bigint AS is_told FROM counted
           )
           SELECT pg_current_snapshot()::text AS "snapshot!", history.id AS "history?",
                  ARRAY(SELECT org_id FROM shares WHERE NOT is_told) AS "lost!: Vec<OrgId>",
                  told.org_id AS "org_id?: OrgId", told.written_in::text AS "written_in?", told.action AS "action?",
                  told.resource_type AS "resource_type?", told.resource_id, told.project_id AS "project_id?: ProjectId",
                  told.env_id, told.actor_id AS "actor_id?: Uuid", told.created_at AS "created_at?",
                  CASE WHEN told.resource_type = 'flag' THEN coalesce(
                      (SELECT max(v.version)
                       FROM flag_versions v
                       WHERE v.org_id = told.org_id AND v.flag_id = told.resource_id::uuid AND v.env_id = told.env_id::uuid),
                      (SELECT max(v.version)
                       FROM flag_versions v
                       WHERE v.org_id = told.org_id AND v.flag_id = told.resource_id::uuid AND v.env_id IS NULL)
                  ) END AS version
           FROM (VALUES (1)) AS look
           LEFT JOIN database_history history ON true
           LEFT JOIN (
               SELECT audit_entries.id, audit_entries.org_id, written_in, action, resource_type, resource_id, project_id, actor_id, audit_entries.created_at,
                      coalesce(metadata ->> 'env_id', metadata ->> 'target_env_id',
                               CASE WHEN resource_type = 'environment' THEN resource_id END) AS env_id
               FROM read
               JOIN shares ON shares.org_id = read.org_id AND shares.is_told
               JOIN audit_entries ON audit_entries.id = read.id AND audit_entries.created_at = read.created_at
               WHERE read.is_new
           ) told ON true
           ORDER BY told.written_in, told.id"#,
        org_ids as &[OrgId],
        since.to_string(),
        MOST_READ,
        MOST_OF_ONE,
        MOST,
    )
    .fetch_all(conn)
    .await?;
    let first = rows.first().ok_or(sqlx::Error::RowNotFound)?;
    let position = read(&first.snapshot, first.history)?;
    let lost = first.lost.clone();
    let changes = rows.into_iter().filter_map(|row| {
        let org_id = row.org_id?;
        let change = Change {
            action: row.action?,
            resource_type: row.resource_type?,
            resource_id: row.resource_id,
            project_id: row.project_id,
            env_id: row.env_id,
            actor_id: row.actor_id,
            version: row.version,
            at: row.created_at?.to_offset(UtcOffset::UTC),
        };
        let transaction = row.written_in?.parse();
        Some(transaction.map(|transaction| (org_id, ChangeEvent::new(transaction, &change))))
    });
    Ok(Found {
        position,
        changes: changes
            .collect::<Result<_, _>>()
            .map_err(|_| unreadable(NoSnapshot))?,
        lost,
    })
}
