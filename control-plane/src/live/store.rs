//! SQL of streams: what was committed since they last heard, and which of their sessions are live.

use sqlx::PgConnection;
use uuid::Uuid;

use super::{
    change::{Change, Told},
    position::{NoSnapshot, Position, Snapshot},
};
use crate::{
    db,
    ids::{OrgId, ProjectId},
};

/// What was committed of some organizations, and the position of whoever has heard of it.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) position: Position,
    pub(super) changes: Vec<(OrgId, Told)>,
    /// Whether there is more than was asked for.
    pub(super) is_cut: bool,
}

fn unreadable(error: NoSnapshot) -> db::Error {
    sqlx::Error::Decode(error.into()).into()
}

/// The position of whoever has heard of everything.
pub(super) async fn position(conn: &mut PgConnection) -> db::Result<Position> {
    let row = sqlx::query!(
        r#"SELECT pg_current_snapshot()::text AS "snapshot!", history.id AS "history?"
           FROM (VALUES (1)) AS look
           LEFT JOIN database_history history ON true"#,
    )
    .fetch_one(conn)
    .await?;
    Ok(Position {
        snapshot: row.snapshot.parse().map_err(unreadable)?,
        history: row.history,
    })
}

/// What the trail of these organizations tells that `since` does not see, at most `limit` entries of all together. It is one
/// statement, so the entries and the position belong to one state of the database.
///
/// At most `read` entries of each organization are looked at, if that is given: a snapshot that somebody made up can have all
/// between its ends, and see each of them.
pub(super) async fn committed(
    conn: &mut PgConnection,
    org_ids: &[OrgId],
    since: &Snapshot,
    limit: usize,
    read: Option<usize>,
) -> db::Result<Found> {
    let rows_of = |most: usize| i64::try_from(most).unwrap_or(i64::MAX);
    let rows = sqlx::query!(
        r#"WITH read AS MATERIALIZED (
               SELECT entry.id, entry.written_in
               FROM unnest($1::uuid[]) AS asked(org_id)
               CROSS JOIN LATERAL (
                   SELECT id, written_in
                   FROM audit_entries
                   WHERE org_id = asked.org_id AND written_in >= pg_snapshot_xmin($2::text::pg_snapshot)
                   ORDER BY written_in
                   LIMIT $4
               ) AS entry
           ), unseen AS MATERIALIZED (
               SELECT id
               FROM read
               WHERE NOT pg_visible_in_snapshot(written_in, $2::text::pg_snapshot)
               ORDER BY written_in, id
               LIMIT $3
           )
           SELECT pg_current_snapshot()::text AS "snapshot!", history.id AS "history?", (SELECT count(*) FROM read) AS "read!",
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
               SELECT id, org_id, written_in, action, resource_type, resource_id, project_id, actor_id, created_at,
                      coalesce(metadata ->> 'env_id', metadata ->> 'target_env_id',
                               CASE WHEN resource_type = 'environment' THEN resource_id END) AS env_id
               FROM unseen
               JOIN audit_entries USING (id)
           ) told ON true
           ORDER BY told.written_in, told.id"#,
        org_ids as &[OrgId],
        since.to_string(),
        rows_of(limit).saturating_add(1),
        read.map(rows_of),
    )
    .fetch_all(conn)
    .await?;
    let first = rows.first().ok_or(sqlx::Error::RowNotFound)?;
    let position = Position {
        snapshot: first.snapshot.parse().map_err(unreadable)?,
        history: first.history,
    };
    let is_cut = rows.len() > limit || read.is_some_and(|most| first.read >= rows_of(most));
    let mut changes = Vec::new();
    for row in rows.into_iter().take(limit) {
        let (Some(org_id), Some(transaction), Some(action), Some(resource_type), Some(at)) = (
            row.org_id,
            row.written_in,
            row.action,
            row.resource_type,
            row.created_at,
        ) else {
            continue;
        };
        let transaction = transaction.parse().map_err(|_| unreadable(NoSnapshot))?;
        let change = Change {
            action,
            resource_type,
            resource_id: row.resource_id,
            project_id: row.project_id,
            env_id: row.env_id,
            actor_id: row.actor_id,
            version: row.version,
            at: at.to_offset(time::UtcOffset::UTC),
        };
        changes.push((org_id, Told::new(transaction, &change)));
    }
    Ok(Found {
        position,
        changes,
        is_cut,
    })
}
