//! SQL of a unit: the history of flags as far as units write it, and the lock of a project.

use serde_json::Value;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::history::{MAX_VERSIONS, PendingVersions};
use crate::{
    events::Actor,
    projects::model::Project,
    version::{Drawing, Row},
};
use base::{
    db::{self, Tx},
    ids::{ApprovalId, EnvId, FlagId, OrgId, ProjectId},
    input::Comment,
};

/// Writes versions, at most one for each part of a flag, deletes the oldest beyond the bound of the part, and charges the
/// organization with the growth; returns its new size.
///
/// Rows are looked up by flag, which an index answers. The organization is compared in a way that no index answers: the planner
/// would expect a new one to have a single row, and then read all of its versions for each of thousands of flags.
pub(super) async fn insert(
    conn: &mut PgConnection,
    org_id: OrgId,
    versions: &PendingVersions,
    actor: Actor,
    comment: Option<&Comment>,
    now: OffsetDateTime,
) -> db::Result<i64> {
    let (actor_type, actor_id) = actor.shown();
    Ok(sqlx::query_scalar!(
        r#"WITH numbered AS (
               SELECT given.*, last.version AS last_version, last.bytes AS last_bytes, COALESCE(last.ordinal, 0) + 1 AS ordinal,
                      COALESCE(newest.version, 0) + row_number() OVER (PARTITION BY flag_id ORDER BY place) AS version
               FROM unnest($3::uuid[], $4::uuid[], $5::text[], $6::uuid[], $7::jsonb[], $8::jsonb[])
                   WITH ORDINALITY AS given (flag_id, env_id, action, approval_id, changed, before, place)
               LEFT JOIN LATERAL (
                   SELECT version
                   FROM flag_versions v
                   WHERE v.org_id IS NOT DISTINCT FROM $1 AND v.flag_id = given.flag_id
                   ORDER BY version DESC
                   LIMIT 1
               ) newest ON true
               LEFT JOIN LATERAL (
                   (SELECT version, ordinal, bytes
                    FROM flag_versions v
                    WHERE v.org_id IS NOT DISTINCT FROM $1 AND v.flag_id = given.flag_id AND v.env_id = given.env_id
                    ORDER BY ordinal DESC
                    LIMIT 1)
                   UNION ALL
                   (SELECT version, ordinal, bytes
                    FROM flag_versions v
                    WHERE v.org_id IS NOT DISTINCT FROM $1 AND v.flag_id = given.flag_id AND v.env_id IS NULL AND given.env_id IS NULL
                    ORDER BY ordinal DESC
                    LIMIT 1)
               ) last ON true
           ), replaced AS (
               UPDATE flag_versions v
               SET replaced_at = $10, document = COALESCE(before, '{}'),
                   bytes = octet_length(COALESCE(before, '{}')::text) + COALESCE(octet_length(v.comment), 0)
               FROM numbered
               WHERE v.org_id IS NOT DISTINCT FROM $1 AND v.flag_id = numbered.flag_id AND v.version = last_version
               RETURNING v.bytes - last_bytes AS grown
           ), forgotten AS (
               DELETE FROM flag_versions v
               USING numbered
               WHERE v.org_id IS NOT DISTINCT FROM $1 AND v.flag_id = numbered.flag_id
                   AND v.env_id IS NOT DISTINCT FROM numbered.env_id AND v.ordinal = numbered.ordinal - $11::bigint
               RETURNING bytes
           ), written AS (
               INSERT INTO flag_versions
                   (org_id, project_id, flag_id, version, env_id, ordinal, action, actor_type, actor_id, approval_id, changed,
                    document, bytes, made_at, replaced_at, deleted_key, comment)
               SELECT $1, $2, flag_id, version, env_id, ordinal, action, $9, $12::uuid, approval_id, changed,
                      CASE WHEN NOT is_end THEN '{}'::jsonb END, octet_length('{}') + COALESCE(octet_length($14::text), 0), $10,
                      CASE WHEN is_end THEN $10::timestamptz END, CASE WHEN is_end THEN before ->> 'key' END, $14::text
               FROM numbered
               CROSS JOIN LATERAL (SELECT action = 'flag.deleted' AS is_end) deletion
               RETURNING bytes
           )
           INSERT INTO flag_history_sizes AS size (org_id, bytes)
           SELECT $1, $13::bigint + (SELECT COALESCE(SUM(bytes), 0) FROM written)
                      + (SELECT COALESCE(SUM(grown), 0) FROM replaced) - (SELECT COALESCE(SUM(bytes), 0) FROM forgotten)
           ON CONFLICT ON CONSTRAINT flag_history_sizes_pkey DO UPDATE SET bytes = size.bytes + EXCLUDED.bytes
           RETURNING bytes"#,
        org_id as OrgId,
        versions.project_id as Option<ProjectId>,
        &versions.flags as &[FlagId],
        &versions.envs as &[Option<EnvId>],
        &versions.actions,
        &versions.approvals as &[Option<ApprovalId>],
        &versions.changed as _,
        &versions.before as &[Option<Value>],
        actor_type,
        now,
        MAX_VERSIONS,
        actor_id as Option<Uuid>,
        versions.bytes,
        comment.map(Comment::as_str),
    )
    .fetch_one(conn)
    .await?)
}

/// Deletes the versions that were replaced first, until `bytes` are free, but at most `limit` versions; returns the freed bytes.
/// Skips versions that another transaction is deleting.
pub(crate) async fn delete_oldest(
    conn: &mut PgConnection,
    org_id: OrgId,
    bytes: i64,
    limit: i64,
) -> db::Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"WITH deleted AS (
             DELETE FROM flag_versions
             WHERE org_id = $1 AND (flag_id, version) IN (
                 SELECT flag_id, version
                 FROM (
                     SELECT flag_id, version, SUM(bytes) OVER (ORDER BY replaced_at, flag_id, version) - bytes AS freed
                     FROM (
                         SELECT flag_id, version, bytes, replaced_at
                         FROM flag_versions
                         WHERE org_id = $1 AND replaced_at IS NOT NULL
                         ORDER BY replaced_at, flag_id, version
                         LIMIT $3
                         FOR UPDATE SKIP LOCKED
                     ) AS oldest
                 ) AS summed
                 WHERE freed < $2::bigint
             )
             RETURNING bytes
         ), freed AS (
             SELECT COALESCE(SUM(bytes), 0)::bigint AS bytes FROM deleted
         ), counted AS (
             UPDATE flag_history_sizes AS size
             SET bytes = size.bytes - freed.bytes
             FROM freed
             WHERE size.org_id = $1
         )
         SELECT bytes AS "bytes!" FROM freed"#,
        org_id as OrgId,
        bytes,
        limit,
    )
    .fetch_one(conn)
    .await?)
}

/// Marks the versions of the own fields of a project's flags as replaced long ago, so that they are deleted soon. Versions of
/// states are deleted with the states.
pub(super) async fn expire_of_project(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE flag_versions v
         SET replaced_at = 'epoch'
         FROM flags f
         WHERE f.org_id = $1 AND f.project_id = $2 AND v.org_id = $1 AND v.flag_id = f.id AND v.env_id IS NULL
             AND v.replaced_at IS NULL",
        org_id as OrgId,
        project_id as ProjectId,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Locks a project of the organization until the end of the transaction, and reads the data for its next version.
///
/// The lock orders the versions of the project: decisions are based on its environments, flags, states, segments and API
/// keys read under it. Reads and foreign keys do not wait for it.
///
/// A statement that waited for the lock sees older data in the rows that it does not lock. If another transaction drew a
/// version meanwhile, it returns no version ([`Drawing::begin`]).
pub(super) async fn lock_project(
    tx: &mut Tx,
    org_id: OrgId,
    project_id: ProjectId,
) -> db::Result<Option<(Project, Option<Drawing>)>> {
    let rows = sqlx::query!(
        r#"SELECT projects.id, projects.name, projects.slug, projects.created_at, projects.updated_at,
                  projects.version, flag_count, segment_count, shared_bytes, shared_pattern_bytes,
                  (SELECT seen.version FROM projects AS seen WHERE seen.org_id = $1 AND seen.id = $2) AS "seen!",
                  environments.id AS "env_id?: EnvId", environments.state_bytes AS "state_bytes?",
                  environments.state_pattern_bytes AS "state_pattern_bytes?"
           FROM projects
           LEFT JOIN environments ON environments.project_id = projects.id
           WHERE projects.org_id = $1 AND projects.id = $2
           FOR NO KEY UPDATE OF projects"#,
        org_id as OrgId,
        project_id as ProjectId,
    )
    .fetch_all(&mut **tx)
    .await?;
    let Some(first) = rows.first() else {
        return Ok(None);
    };
    let project = Project {
        id: first.id,
        name: first.name.clone(),
        slug: first.slug.clone(),
        created_at: first.created_at,
        updated_at: first.updated_at,
    };
    let is_current = first.seen == first.version;
    let rows = rows.into_iter().map(|row| Row {
        version: row.version,
        flag_count: row.flag_count,
        segment_count: row.segment_count,
        shared_bytes: row.shared_bytes,
        shared_pattern_bytes: row.shared_pattern_bytes,
        env_id: row.env_id,
        state_bytes: row.state_bytes,
        state_pattern_bytes: row.state_pattern_bytes,
    });
    let drawing = Drawing::from_rows(org_id, project_id, rows.collect());
    Ok(Some((project, drawing.filter(|_| is_current))))
}
