//! SQL of imports, and the lock of an import that runs. Their reports are in `items`.

mod items;

use std::time::Duration;

use serving::page::{Page, Paged};
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;

pub use self::items::{delete_items_of_org, insert_items, report};
use super::model::{ItemError, Migration, MigrationSummary, Provider, Status};
use base::{
    db,
    ids::{MigrationId, OrgId, ProjectId, UserId},
    refusal::Refusal,
};

/// Errors that the status shows.
const MAX_ERRORS: i64 = 1_000;

/// What is stored of an import when it begins.
#[derive(Clone, Copy, Debug)]
pub struct NewMigration {
    pub id: MigrationId,
    pub org_id: OrgId,
    pub project_id: ProjectId,
    pub provider: Provider,
    pub started_by: UserId,
    pub flags_total: i32,
}

/// Forgets the oldest imports of the organization with their reports: with one more, it has 20.
pub async fn forget_oldest(conn: &mut PgConnection, org_id: OrgId) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM migrations
         WHERE org_id = $1
             AND status <> 'in_progress'
             AND id NOT IN (SELECT id FROM migrations WHERE org_id = $1 ORDER BY started_at DESC, id DESC LIMIT $2)",
        org_id as OrgId,
        19_i64,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Stores an import that begins. Refused while another one into the same project runs.
pub async fn insert(
    conn: &mut PgConnection,
    new: &NewMigration,
    now: OffsetDateTime,
) -> Result<(), Refusal> {
    sqlx::query!(
        "INSERT INTO migrations (id, org_id, project_id, provider, status, started_by, flags_total, started_at)
         VALUES ($1, $2, $3, $4, 'in_progress', $5, $6, $7)",
        new.id as MigrationId,
        new.org_id as OrgId,
        new.project_id as ProjectId,
        new.provider as Provider,
        new.started_by as UserId,
        new.flags_total,
        now,
    )
    .execute(conn)
    .await
    .map_err(Refusal::violated(
        "migrations_project_id_key",
        "an import into this project is running",
    ))?;
    Ok(())
}

pub async fn is_running(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
) -> db::Result<bool> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (
               SELECT FROM migrations WHERE org_id = $1 AND project_id = $2 AND status = 'in_progress'
           ) AS "running!""#,
        org_id as OrgId,
        project_id as ProjectId,
    )
    .fetch_one(conn)
    .await?)
}

/// Adds to what an import that runs has done. False when it does not run any more.
pub async fn advance(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: MigrationId,
    done: &Done,
) -> db::Result<bool> {
    let updated = sqlx::query!(
        "UPDATE migrations
         SET flags_total = COALESCE($3, flags_total),
             flags_imported = flags_imported + $4,
             environments_imported = environments_imported + $5,
             segments_imported = segments_imported + $6
         WHERE org_id = $1 AND id = $2 AND status = 'in_progress'",
        org_id as OrgId,
        id as MigrationId,
        done.flags_total,
        done.flags,
        done.environments,
        done.segments,
    )
    .execute(conn)
    .await?;
    Ok(updated.rows_affected() == 1)
}

/// What a step of an import has done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Done {
    /// Flags of the source, once they are known for certain.
    pub flags_total: Option<i32>,
    pub flags: i32,
    pub environments: i32,
    pub segments: i32,
}

/// Whether an import runs, and why it failed; `None` where the organization has no such import.
pub async fn find_outcome(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: MigrationId,
) -> db::Result<Option<Outcome>> {
    Ok(sqlx::query_as!(
        Outcome,
        r#"SELECT status = 'in_progress' AS "is_running!", failure FROM migrations WHERE org_id = $1 AND id = $2"#,
        org_id as OrgId,
        id as MigrationId,
    )
    .fetch_optional(conn)
    .await?)
}

/// How far an import is, in short.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub is_running: bool,
    pub failure: Option<String>,
}

/// Ends an import that runs; says how far it came, and where to. `None` when it has ended before.
pub async fn end(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: MigrationId,
    failure: Option<&str>,
    now: OffsetDateTime,
) -> db::Result<Option<Ended>> {
    let status = match failure {
        None => Status::Completed,
        Some(_) => Status::Failed,
    };
    Ok(sqlx::query_as!(
        Ended,
        "UPDATE migrations
         SET status = $3, failure = $4, ended_at = $5
         WHERE org_id = $1 AND id = $2 AND status = 'in_progress'
         RETURNING project_id, provider, flags_imported, flags_total, environments_imported, segments_imported",
        org_id as OrgId,
        id as MigrationId,
        status as Status,
        failure,
        now,
    )
    .fetch_optional(conn)
    .await?)
}

#[derive(Clone, Copy, Debug)]
pub struct Ended {
    pub project_id: ProjectId,
    pub provider: Provider,
    pub flags_imported: i32,
    pub flags_total: i32,
    pub environments_imported: i32,
    pub segments_imported: i32,
}

/// An import of the organization, with its first errors.
pub async fn find(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: MigrationId,
) -> db::Result<Option<Migration>> {
    let found = sqlx::query!(
        "SELECT status, flags_imported, flags_total, environments_imported, segments_imported, failure
         FROM migrations
         WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as MigrationId,
    )
    .fetch_optional(&mut *conn)
    .await?;
    let Some(row) = found else { return Ok(None) };
    let rows = sqlx::query!(
        r#"SELECT kind, COALESCE(key, source) AS "name!", told.reason AS "reason!"
           FROM migration_items, unnest(reasons) WITH ORDINALITY AS told (reason, number)
           WHERE org_id = $1 AND migration_id = $2
           ORDER BY position, told.number
           LIMIT $3"#,
        org_id as OrgId,
        id as MigrationId,
        MAX_ERRORS,
    )
    .fetch_all(conn)
    .await?;
    let failure = row.failure.map(ItemError::of_all);
    let errors = rows
        .into_iter()
        .map(|row| ItemError::of(row.kind, row.name, row.reason));
    let limit = usize::try_from(MAX_ERRORS).unwrap_or(usize::MAX);
    Ok(Some(Migration {
        status: row.status,
        migration_id: id,
        flags_imported: row.flags_imported,
        flags_total: row.flags_total,
        environments_imported: row.environments_imported,
        segments_imported: row.segments_imported,
        errors: failure.into_iter().chain(errors).take(limit).collect(),
    }))
}

pub async fn exists(conn: &mut PgConnection, org_id: OrgId, id: MigrationId) -> db::Result<bool> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM migrations WHERE org_id = $1 AND id = $2) AS "exists!""#,
        org_id as OrgId,
        id as MigrationId,
    )
    .fetch_one(conn)
    .await?)
}

/// A page of the organization's imports, the newest first; of one project, if it is given.
pub async fn page(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: Option<ProjectId>,
    page: Page,
) -> db::Result<Paged<MigrationSummary>> {
    let items = sqlx::query_as!(
        MigrationSummary,
        "SELECT id AS migration_id, provider, project_id AS target_project_id, status, flags_imported, flags_total,
                started_at, ended_at
         FROM migrations
         WHERE org_id = $1 AND ($2::uuid IS NULL OR project_id = $2)
         ORDER BY started_at DESC, id DESC
         LIMIT $3 OFFSET $4",
        org_id as OrgId,
        project_id as Option<ProjectId>,
        page.limit,
        page.offset,
    )
    .fetch_all(&mut *conn)
    .await?;
    let total = sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "count!" FROM migrations WHERE org_id = $1 AND ($2::uuid IS NULL OR project_id = $2)"#,
        org_id as OrgId,
        project_id as Option<ProjectId>,
    )
    .fetch_one(conn)
    .await?;
    Ok(Paged::new(items, total, page))
}

/// The imports that are said to run, on any replica. Not tenant-scoped: whose process has ended is asked for all.
pub async fn list_running(conn: &mut PgConnection) -> db::Result<Vec<Running>> {
    Ok(sqlx::query_as!(
        Running,
        "SELECT id, org_id, started_by FROM migrations WHERE status = 'in_progress' ORDER BY id",
    )
    .fetch_all(conn)
    .await?)
}

/// An import that is said to run.
#[derive(Clone, Copy, Debug)]
pub struct Running {
    pub id: MigrationId,
    pub org_id: OrgId,
    pub started_by: UserId,
}

/// A session that holds the lock of an import, for as long as it lives. Postgres ends it once it has been silent for `silence`.
pub(super) async fn hold(
    pool: &PgPool,
    id: MigrationId,
    silence: Duration,
) -> db::Result<PgConnection> {
    let mut session = db::session(pool, silence).await?;
    sqlx::query_scalar!(
        r#"SELECT pg_try_advisory_lock($1) AS "held!""#,
        lock_number(id)
    )
    .fetch_one(&mut session)
    .await?;
    Ok(session)
}

/// Whether the process that runs an import has ended. The answer holds until the end of the transaction.
pub(super) async fn is_abandoned(conn: &mut PgConnection, id: MigrationId) -> db::Result<bool> {
    Ok(sqlx::query_scalar!(
        r#"SELECT pg_try_advisory_xact_lock($1) AS "taken!""#,
        lock_number(id)
    )
    .fetch_one(conn)
    .await?)
}

/// The random half of the id: no two imports have the same, but by a chance of one in 2^62.
const fn lock_number(id: MigrationId) -> i64 {
    i64::from_ne_bytes(id.0.as_u64_pair().1.to_ne_bytes())
}
