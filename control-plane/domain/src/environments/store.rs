//! SQL of environments.

use serving::page::{Page, Paged};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::model::Environment;
use crate::version::Drawn;
use base::{
    db,
    ids::{EnvId, FlagId, OrgId, ProjectId},
    input::Slug,
    refusal::Refusal,
};

/// Stores a new environment, in the drawn version.
pub async fn insert(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    env: &Environment,
    drawn: Drawn,
) -> Result<(), Refusal> {
    sqlx::query!(
        "INSERT INTO environments
             (id, org_id, project_id, name, slug, color, version, created_at, updated_at, revision, protected,
              required_approvals)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9, $10, $11)",
        env.id as EnvId,
        org_id as OrgId,
        project_id as ProjectId,
        env.name,
        env.slug,
        env.color,
        drawn.row_version(),
        env.created_at,
        env.version,
        env.protected,
        env.required_approvals,
    )
    .execute(conn)
    .await
    .map_err(slug_taken())?;
    Ok(())
}

pub async fn list_ids(conn: &mut PgConnection, org_id: OrgId) -> db::Result<Vec<EnvId>> {
    Ok(sqlx::query_scalar!(
        "SELECT id FROM environments WHERE org_id = $1",
        org_id as OrgId,
    )
    .fetch_all(conn)
    .await?)
}

/// The given environments that belong to one of the organizations, with their owners.
pub async fn list_owned(
    conn: &mut PgConnection,
    org_ids: &[OrgId],
    env_ids: &[EnvId],
) -> db::Result<Vec<(EnvId, OrgId)>> {
    let rows = sqlx::query!(
        r#"SELECT id AS "id: EnvId", org_id AS "org_id: OrgId"
           FROM environments
           WHERE org_id = ANY($1) AND id = ANY($2)"#,
        org_ids as &[OrgId],
        env_ids as &[EnvId],
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.org_id)).collect())
}

/// The number of environments of the project. Exact when the caller holds the project's lock.
pub async fn count(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
) -> db::Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "count!" FROM environments WHERE org_id = $1 AND project_id = $2"#,
        org_id as OrgId,
        project_id as ProjectId,
    )
    .fetch_one(conn)
    .await?)
}

/// A page of the project's environments, in creation order.
pub async fn page(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    page: Page,
) -> db::Result<Paged<Environment>> {
    let items = sqlx::query_as!(
        Environment,
        "SELECT id, name, slug, color, protected, required_approvals, created_at, revision AS version
         FROM environments
         WHERE org_id = $1 AND project_id = $2
         ORDER BY created_at, id
         LIMIT $3 OFFSET $4",
        org_id as OrgId,
        project_id as ProjectId,
        page.limit,
        page.offset,
    )
    .fetch_all(&mut *conn)
    .await?;
    Ok(Paged::new(
        items,
        count(conn, org_id, project_id).await?,
        page,
    ))
}

pub async fn find(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    id: EnvId,
) -> db::Result<Option<Environment>> {
    Ok(sqlx::query_as!(
        Environment,
        "SELECT id, name, slug, color, protected, required_approvals, created_at, revision AS version
         FROM environments
         WHERE org_id = $1 AND project_id = $2 AND id = $3",
        org_id as OrgId,
        project_id as ProjectId,
        id as EnvId,
    )
    .fetch_optional(conn)
    .await?)
}

/// The id of the project's environment with a slug.
pub async fn find_id(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    slug: &Slug,
) -> db::Result<Option<EnvId>> {
    Ok(sqlx::query_scalar!(
        r#"SELECT id AS "id: EnvId" FROM environments WHERE org_id = $1 AND project_id = $2 AND slug = $3"#,
        org_id as OrgId,
        project_id as ProjectId,
        slug.as_str(),
    )
    .fetch_optional(conn)
    .await?)
}

/// The project of an environment that the organization has.
pub async fn find_project(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: EnvId,
) -> db::Result<Option<ProjectId>> {
    Ok(sqlx::query_scalar!(
        "SELECT project_id FROM environments WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as EnvId,
    )
    .fetch_optional(conn)
    .await?)
}

/// The projects of these environments, one for each that there is.
pub async fn list_projects(
    conn: &mut PgConnection,
    org_id: OrgId,
    ids: &[EnvId],
) -> db::Result<Vec<ProjectId>> {
    Ok(sqlx::query_scalar!(
        "SELECT project_id FROM environments WHERE org_id = $1 AND id = ANY($2)",
        org_id as OrgId,
        ids as &[EnvId],
    )
    .fetch_all(conn)
    .await?)
}

/// The protected environments of a project.
pub async fn list_protected(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
) -> db::Result<Vec<(EnvId, String)>> {
    let rows = sqlx::query!(
        r#"SELECT id AS "id: EnvId", slug
           FROM environments
           WHERE org_id = $1 AND project_id = $2 AND protected
           ORDER BY created_at, id"#,
        org_id as OrgId,
        project_id as ProjectId,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.slug)).collect())
}

/// Counts the environments that the organization has. `ids` must be distinct.
pub async fn count_among(conn: &mut PgConnection, org_id: OrgId, ids: &[EnvId]) -> db::Result<i64> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    Ok(sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "count!" FROM environments WHERE org_id = $1 AND id = ANY($2)"#,
        org_id as OrgId,
        &ids,
    )
    .fetch_one(conn)
    .await?)
}

pub async fn update(
    conn: &mut PgConnection,
    org_id: OrgId,
    env: &Environment,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE environments
         SET name = $3, color = $4, updated_at = $5, revision = $6, protected = $7, required_approvals = $8
         WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        env.id as EnvId,
        env.name,
        env.color,
        now,
        env.version,
        env.protected,
        env.required_approvals,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Stores the slug of an existing environment, which edges serve.
pub async fn update_slug(
    conn: &mut PgConnection,
    org_id: OrgId,
    env: &Environment,
    drawn: Drawn,
) -> Result<(), Refusal> {
    sqlx::query!(
        "UPDATE environments SET slug = $3, version = $4 WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        env.id as EnvId,
        env.slug,
        drawn.row_version(),
    )
    .execute(conn)
    .await
    .map_err(slug_taken())?;
    Ok(())
}

/// Subtracts the states of a flag about to be deleted from the compiled sizes of the project's environments. Reads the states,
/// which belong to `flags`, because their sizes differ.
pub async fn shrink_by_states_of(
    conn: &mut PgConnection,
    org_id: OrgId,
    flag_id: FlagId,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE environments
         SET state_bytes = environments.state_bytes - flag_states.compiled_bytes,
             state_pattern_bytes = environments.state_pattern_bytes - flag_states.pattern_bytes
         FROM flag_states
         WHERE environments.org_id = $1
             AND flag_states.env_id = environments.id
             AND flag_states.flag_id = $2",
        org_id as OrgId,
        flag_id as FlagId,
    )
    .execute(conn)
    .await?;
    Ok(())
}

#[derive(Clone, Copy, Debug)]
pub enum Doomed {
    One(EnvId),
    /// Those of a project that is deleted with them.
    All,
}

/// Deletes environments with their states and API keys, and records tombstones for publishers.
pub async fn delete(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    doomed: Doomed,
    _drawn: Drawn,
    now: OffsetDateTime,
) -> db::Result<()> {
    let only = match doomed {
        Doomed::One(id) => Some(id),
        Doomed::All => None,
    };
    sqlx::query!(
        "WITH deleted AS (
             DELETE FROM environments
             WHERE org_id = $1 AND project_id = $2 AND ($3::uuid IS NULL OR id = $3)
             RETURNING id
         )
         INSERT INTO removed_environments (env_id, removed_at)
         SELECT id, $4 FROM deleted",
        org_id as OrgId,
        project_id as ProjectId,
        only as Option<EnvId>,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

fn slug_taken() -> impl FnOnce(sqlx::Error) -> Refusal {
    Refusal::violated(
        "environments_project_id_slug_key",
        "environment slug already exists",
    )
}
