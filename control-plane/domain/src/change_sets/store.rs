//! SQL of change sets.

use serving::page::Page;
use sqlx::{PgConnection, types::Json};
use time::OffsetDateTime;

use super::model::{ChangeSet, GivenReview, Status};
use crate::content::parts::{Fields, Part};
use base::{
    db,
    ids::{ChangeSetId, OrgId, ProjectId, UserId},
    refusal::Refusal,
};

/// A set and the size of its contents.
pub(super) struct Stored<'a> {
    pub(super) set: &'a ChangeSet,
    pub(super) changes: &'a Fields,
    pub(super) parts: &'a [Part],
    pub(super) bytes: usize,
}

pub(super) async fn insert(
    conn: &mut PgConnection,
    org_id: OrgId,
    stored: Stored<'_>,
) -> Result<(), Refusal> {
    let set = stored.set;
    sqlx::query!(
        "INSERT INTO change_sets
             (id, org_id, project_id, name, description, status, changes, parts, base_version, author_ids, version,
              required_approvals, protected, reviews, undoes, created_at, updated_at, bytes)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0, '{}', '[]', $12, $13, $13, $14)",
        set.id as ChangeSetId,
        org_id as OrgId,
        set.project_id as ProjectId,
        set.name,
        set.description,
        set.status as Status,
        Json(stored.changes) as _,
        Json(stored.parts) as _,
        set.base_version,
        &set.author_ids as &[UserId],
        set.version,
        set.undoes as Option<ChangeSetId>,
        set.created_at,
        i32::try_from(stored.bytes).unwrap_or(i32::MAX),
    )
    .execute(conn)
    .await
    .map_err(Refusal::violated(
        "change_sets_project_id_fkey",
        "the project was deleted meanwhile",
    ))?;
    Ok(())
}

/// Stores all but the contents. The row is locked.
pub(super) async fn update(
    conn: &mut PgConnection,
    org_id: OrgId,
    set: &ChangeSet,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE change_sets
         SET name = $3, description = $4, status = $5, author_ids = $6, version = $7, required_approvals = $8, protected = $9,
             reviews = $10, apply_at = $11, scheduled_by = $12, applied_at = $13, applied_by = $14, applied_version = $15,
             failure = $16, updated_at = $17
         WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        set.id as ChangeSetId,
        set.name,
        set.description,
        set.status as Status,
        &set.author_ids as &[UserId],
        set.version,
        set.required_approvals,
        &set.protected,
        &set.reviews as &Json<Vec<GivenReview>>,
        set.apply_at,
        set.scheduled_by as Option<UserId>,
        set.applied_at,
        set.applied_by as Option<UserId>,
        set.applied_version,
        set.failure,
        set.updated_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Replaces the contents.
pub(super) async fn replace(
    conn: &mut PgConnection,
    org_id: OrgId,
    stored: Stored<'_>,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE change_sets SET changes = $3, parts = $4, base_version = $5, bytes = $6 WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        stored.set.id as ChangeSetId,
        Json(stored.changes) as _,
        Json(stored.parts) as _,
        stored.set.base_version,
        i32::try_from(stored.bytes).unwrap_or(i32::MAX),
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub(super) async fn delete(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: ChangeSetId,
) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM change_sets WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as ChangeSetId,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A set of a project, with its contents.
pub async fn find(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    id: ChangeSetId,
) -> db::Result<Option<ChangeSet>> {
    Ok(sqlx::query_as!(
        ChangeSet,
        r#"SELECT id, project_id, name, description, status, changes AS "changes: Json<Fields>", parts AS "parts: Json<Vec<Part>>",
                  base_version, author_ids AS "author_ids: Vec<UserId>", version, required_approvals, protected,
                  reviews AS "reviews: Json<Vec<GivenReview>>", apply_at, scheduled_by, applied_at, applied_by, applied_version,
                  failure, undoes, created_at, updated_at
           FROM change_sets
           WHERE org_id = $1 AND project_id = $2 AND id = $3"#,
        org_id as OrgId,
        project_id as ProjectId,
        id as ChangeSetId,
    )
    .fetch_optional(conn)
    .await?)
}

/// The same, without its contents and locked until the end of the transaction.
pub(super) async fn lock(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    id: ChangeSetId,
) -> db::Result<Option<ChangeSet>> {
    Ok(sqlx::query_as!(
        ChangeSet,
        r#"SELECT id, project_id, name, description, status, NULL::jsonb AS "changes: Json<Fields>",
                  NULL::jsonb AS "parts: Json<Vec<Part>>", base_version, author_ids AS "author_ids: Vec<UserId>", version,
                  required_approvals, protected, reviews AS "reviews: Json<Vec<GivenReview>>", apply_at, scheduled_by, applied_at,
                  applied_by, applied_version, failure, undoes, created_at, updated_at
           FROM change_sets
           WHERE org_id = $1 AND project_id = $2 AND id = $3
           FOR NO KEY UPDATE"#,
        org_id as OrgId,
        project_id as ProjectId,
        id as ChangeSetId,
    )
    .fetch_optional(conn)
    .await?)
}

/// A page of a project's sets without their contents, the newest first, and how many there are.
pub async fn page(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    status: Option<Status>,
    page: Page,
) -> db::Result<(Vec<ChangeSet>, i64)> {
    let sets = sqlx::query_as!(
        ChangeSet,
        r#"SELECT id, project_id, name, description, status, NULL::jsonb AS "changes: Json<Fields>",
                  NULL::jsonb AS "parts: Json<Vec<Part>>", base_version, author_ids AS "author_ids: Vec<UserId>", version,
                  required_approvals, protected, reviews AS "reviews: Json<Vec<GivenReview>>", apply_at, scheduled_by, applied_at,
                  applied_by, applied_version, failure, undoes, created_at, updated_at
           FROM change_sets
           WHERE org_id = $1 AND project_id = $2 AND ($3::text IS NULL OR status = $3)
           ORDER BY created_at DESC, id DESC
           LIMIT $4 OFFSET $5"#,
        org_id as OrgId,
        project_id as ProjectId,
        status.map(Status::as_str),
        page.limit,
        page.offset,
    )
    .fetch_all(&mut *conn)
    .await?;
    let total = sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "total!" FROM change_sets WHERE org_id = $1 AND project_id = $2 AND ($3::text IS NULL OR status = $3)"#,
        org_id as OrgId,
        project_id as ProjectId,
        status.map(Status::as_str),
    )
    .fetch_one(conn)
    .await?;
    Ok((sets, total))
}

/// How many sets of an organization are open, and their bytes.
pub(super) struct Open {
    pub(super) number: i64,
    pub(super) bytes: i64,
}

/// Of applied, rejected and failed sets keeps the last `number` with up to `bytes`; counts the others.
pub(super) async fn trim(
    conn: &mut PgConnection,
    org_id: OrgId,
    number: i64,
    bytes: i64,
) -> db::Result<Open> {
    sqlx::query!(
        "DELETE FROM change_sets
         WHERE org_id = $1 AND id IN (
             SELECT id
             FROM (
                 SELECT id, row_number() OVER newest AS place, sum(bytes) OVER newest AS total
                 FROM change_sets
                 WHERE org_id = $1 AND status IN ('applied', 'rejected', 'failed')
                 WINDOW newest AS (ORDER BY updated_at DESC, id DESC)
             ) AS closed
             WHERE place > $2 OR total > $3::bigint
         )",
        org_id as OrgId,
        number,
        bytes,
    )
    .execute(&mut *conn)
    .await?;
    Ok(sqlx::query_as!(
        Open,
        r#"SELECT COUNT(*) AS "number!", COALESCE(SUM(bytes), 0)::bigint AS "bytes!"
           FROM change_sets
           WHERE org_id = $1 AND status NOT IN ('applied', 'rejected', 'failed')"#,
        org_id as OrgId,
    )
    .fetch_one(conn)
    .await?)
}

/// A set whose time has come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Due {
    pub(super) id: ChangeSetId,
    pub(super) org_id: OrgId,
    pub(super) project_id: ProjectId,
    pub(super) scheduled_by: UserId,
    pub(super) apply_at: OffsetDateTime,
}

/// Those due, in order: one of an organization, so that others do not wait for long, and up to 100 in all. Not tenant-scoped: each
/// is applied within its organization.
pub(super) async fn list_due(conn: &mut PgConnection, now: OffsetDateTime) -> db::Result<Vec<Due>> {
    Ok(sqlx::query_as!(
        Due,
        r#"SELECT id AS "id!", org_id AS "org_id!", project_id AS "project_id!", scheduled_by AS "scheduled_by!",
                  apply_at AS "apply_at!"
           FROM (
               SELECT DISTINCT ON (org_id) id, org_id, project_id, scheduled_by, apply_at
               FROM change_sets
               WHERE status = 'scheduled' AND apply_at <= $1
               ORDER BY org_id, apply_at, id
           ) AS first
           ORDER BY apply_at, id
           LIMIT 100"#,
        now,
    )
    .fetch_all(conn)
    .await?)
}

/// When the next one is due.
pub(super) async fn next_after(
    conn: &mut PgConnection,
    now: OffsetDateTime,
) -> db::Result<Option<OffsetDateTime>> {
    Ok(sqlx::query_scalar!(
        "SELECT MIN(apply_at) FROM change_sets WHERE status = 'scheduled' AND apply_at > $1",
        now,
    )
    .fetch_one(conn)
    .await?)
}
