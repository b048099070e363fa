//! SQL of projects.

use serving::page::{Page, Paged};
use sqlx::PgConnection;
use uuid::Uuid;

use super::model::Project;
use base::{
    db,
    ids::{EnvId, OrgId, ProjectId},
    input::Slug,
    refusal::Refusal,
};

pub async fn insert(
    conn: &mut PgConnection,
    org_id: OrgId,
    project: &Project,
) -> Result<(), Refusal> {
    sqlx::query!(
        "INSERT INTO projects (id, org_id, name, slug, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6)",
        project.id as ProjectId,
        org_id as OrgId,
        project.name,
        project.slug,
        project.created_at,
        project.updated_at,
    )
    .execute(conn)
    .await
    .map_err(slug_taken())?;
    Ok(())
}

/// The number of projects of the organization. Exact when the caller holds the organization's row.
pub async fn count(conn: &mut PgConnection, org_id: OrgId) -> db::Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "count!" FROM projects WHERE org_id = $1"#,
        org_id as OrgId,
    )
    .fetch_one(conn)
    .await?)
}

/// A page of the organization's projects, or of those among them that are named, in creation order.
pub async fn page(
    conn: &mut PgConnection,
    org_id: OrgId,
    named: Option<&[ProjectId]>,
    page: Page,
) -> db::Result<Paged<Project>> {
    let items = sqlx::query_as!(
        Project,
        "SELECT id, name, slug, created_at, updated_at
         FROM projects
         WHERE org_id = $1 AND ($2::uuid[] IS NULL OR id = ANY($2))
         ORDER BY created_at, id
         LIMIT $3 OFFSET $4",
        org_id as OrgId,
        named as Option<&[ProjectId]>,
        page.limit,
        page.offset,
    )
    .fetch_all(&mut *conn)
    .await?;
    let total = match named {
        None => count(conn, org_id).await?,
        Some(ids) => i64::try_from(count_among(conn, org_id, ids).await?).unwrap_or(i64::MAX),
    };
    Ok(Paged::new(items, total, page))
}

pub async fn list_ids(conn: &mut PgConnection, org_id: OrgId) -> db::Result<Vec<ProjectId>> {
    Ok(sqlx::query_scalar!(
        "SELECT id FROM projects WHERE org_id = $1 ORDER BY id",
        org_id as OrgId
    )
    .fetch_all(conn)
    .await?)
}

pub async fn find(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: ProjectId,
) -> db::Result<Option<Project>> {
    Ok(sqlx::query_as!(
        Project,
        "SELECT id, name, slug, created_at, updated_at
         FROM projects
         WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as ProjectId,
    )
    .fetch_optional(conn)
    .await?)
}

/// How many of these projects there are.
pub async fn count_among(
    conn: &mut PgConnection,
    org_id: OrgId,
    ids: &[ProjectId],
) -> db::Result<usize> {
    let found = sqlx::query_scalar!(
        "SELECT id FROM projects WHERE org_id = $1 AND id = ANY($2)",
        org_id as OrgId,
        ids as &[ProjectId],
    )
    .fetch_all(conn)
    .await?;
    Ok(found.len())
}

/// The id of the project with a slug.
pub async fn find_id(
    conn: &mut PgConnection,
    org_id: OrgId,
    slug: &Slug,
) -> db::Result<Option<ProjectId>> {
    Ok(sqlx::query_scalar!(
        r#"SELECT id AS "id: ProjectId" FROM projects WHERE org_id = $1 AND slug = $2"#,
        org_id as OrgId,
        slug.as_str(),
    )
    .fetch_optional(conn)
    .await?)
}

/// Locks the projects of these environments until the end of the transaction, like [`crate::unit::Unit::lock_project`], in id
/// order to avoid deadlocks. Reads environments, which belong to `environments`.
pub async fn lock_of_environments(
    conn: &mut PgConnection,
    org_id: OrgId,
    env_ids: &[EnvId],
) -> db::Result<()> {
    let env_ids: Vec<Uuid> = env_ids.iter().map(|id| id.0).collect();
    sqlx::query_scalar!(
        "SELECT id
         FROM projects
         WHERE org_id = $1 AND id IN (SELECT project_id FROM environments WHERE org_id = $1 AND id = ANY($2))
         ORDER BY id
         FOR NO KEY UPDATE",
        org_id as OrgId,
        &env_ids,
    )
    .fetch_all(conn)
    .await?;
    Ok(())
}

pub async fn update(
    conn: &mut PgConnection,
    org_id: OrgId,
    project: &Project,
) -> Result<(), Refusal> {
    sqlx::query!(
        "UPDATE projects
         SET name = $3, slug = $4, updated_at = $5
         WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        project.id as ProjectId,
        project.name,
        project.slug,
        project.updated_at,
    )
    .execute(conn)
    .await
    .map_err(slug_taken())?;
    Ok(())
}

pub async fn delete(conn: &mut PgConnection, org_id: OrgId, id: ProjectId) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM projects WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as ProjectId
    )
    .execute(conn)
    .await?;
    Ok(())
}

fn slug_taken() -> impl FnOnce(sqlx::Error) -> Refusal {
    Refusal::violated("projects_org_id_slug_key", "project slug already exists")
}
