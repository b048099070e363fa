//! SQL of repositories and references.

use std::collections::BTreeSet;

use serving::page::{Page, Paged};
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::{
    input::{Reference, Scan},
    model::{CodeReference, Repository, Scanner, address},
};
use base::{
    db,
    ids::{OrgId, ProjectId, RepositoryId, UserId},
};

/// Keys that an answer names.
const NAMED: i64 = 100;

struct Row {
    id: RepositoryId,
    name: String,
    branch: Option<String>,
    commit: Option<String>,
    link: Option<String>,
    reference_count: i64,
    flag_count: i64,
    scanned_at: OffsetDateTime,
    scanned_by: Option<UserId>,
    scanner: Option<String>,
}

impl From<Row> for Repository {
    fn from(row: Row) -> Self {
        let scanner = row.scanned_by.zip(row.scanner);
        Self {
            id: row.id,
            repository: row.name,
            branch: row.branch,
            commit: row.commit,
            link: row.link,
            reference_count: row.reference_count,
            flag_count: row.flag_count,
            scanned_at: row.scanned_at,
            scanned_by: scanner.map(|(id, name)| Scanner { id, name }),
        }
    }
}

/// The repositories of a project by name, or the one with an id or a name.
async fn read(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    id: Option<RepositoryId>,
    name: Option<&str>,
) -> db::Result<Vec<Repository>> {
    let rows = sqlx::query_as!(
        Row,
        r#"SELECT r.id, r.name, r.branch, r.commit, r.link, r.reference_count, r.flag_count, r.scanned_at,
                  r.scanned_by, u.name AS "scanner?"
           FROM repositories r
           LEFT JOIN users u ON u.id = r.scanned_by
           WHERE r.org_id = $1 AND r.project_id = $2 AND ($3::uuid IS NULL OR r.id = $3) AND ($4::text IS NULL OR r.name = $4)
           ORDER BY r.name"#,
        org_id as OrgId,
        project_id as ProjectId,
        id as Option<RepositoryId>,
        name,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(Repository::from).collect())
}

/// The repositories of a project, by name.
pub async fn list(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
) -> db::Result<Vec<Repository>> {
    read(conn, org_id, project_id, None, None).await
}

/// One of the project's repositories.
pub async fn find(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    id: RepositoryId,
) -> db::Result<Option<Repository>> {
    Ok(read(conn, org_id, project_id, Some(id), None).await?.pop())
}

pub(super) async fn find_named(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    name: &str,
) -> db::Result<Option<Repository>> {
    let found = read(conn, org_id, project_id, None, Some(name)).await?;
    Ok(found.into_iter().next())
}

/// The number of the project's repositories. Exact if the caller holds the project's lock.
pub(super) async fn count(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
) -> db::Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM repositories WHERE org_id = $1 AND project_id = $2"#,
        org_id as OrgId,
        project_id as ProjectId,
    )
    .fetch_one(conn)
    .await?)
}

/// The first of the keys that no flag of the project has.
pub(super) async fn unknown_keys(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    keys: &[&str],
) -> db::Result<Vec<String>> {
    Ok(sqlx::query_scalar!(
        r#"SELECT given.key AS "key!"
           FROM UNNEST($3::text[]) AS given (key)
           WHERE NOT EXISTS (SELECT FROM flags f WHERE f.org_id = $1 AND f.project_id = $2 AND f.key = given.key)
           ORDER BY given.key
           LIMIT $4"#,
        org_id as OrgId,
        project_id as ProjectId,
        keys as &[&str],
        NAMED,
    )
    .fetch_all(conn)
    .await?)
}

/// Stores what is known of a repository, new or existing, with the numbers of its references and of the flags that they name.
#[expect(clippy::too_many_arguments, reason = "a row's columns")]
pub(super) async fn upsert(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    id: RepositoryId,
    scan: &Scan,
    (references, flags): (usize, usize),
    scanner: Option<UserId>,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "INSERT INTO repositories
             (id, org_id, project_id, name, branch, commit, link, reference_count, flag_count, scanned_at, scanned_by)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
         ON CONFLICT ON CONSTRAINT repositories_project_id_name_key DO UPDATE
         SET branch = EXCLUDED.branch, commit = EXCLUDED.commit, link = EXCLUDED.link,
             reference_count = EXCLUDED.reference_count, flag_count = EXCLUDED.flag_count,
             scanned_at = EXCLUDED.scanned_at, scanned_by = EXCLUDED.scanned_by",
        id as RepositoryId,
        org_id as OrgId,
        project_id as ProjectId,
        scan.repository,
        scan.branch.as_deref(),
        scan.commit.as_deref(),
        scan.link.as_deref(),
        i64::try_from(references).unwrap_or(i64::MAX),
        i64::try_from(flags).unwrap_or(i64::MAX),
        now,
        scanner as Option<UserId>,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Deletes the references that are not among these, and adds those that are new: two scans of one repository differ in little.
pub(super) async fn replace(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    id: RepositoryId,
    references: &BTreeSet<Reference>,
) -> db::Result<()> {
    let keys: Vec<&str> = references.iter().map(|one| one.key.as_str()).collect();
    let paths: Vec<&str> = references.iter().map(|one| one.path.as_str()).collect();
    let lines: Vec<i32> = references.iter().map(|one| one.line).collect();
    let aliases: Vec<&str> = references.iter().map(|one| one.alias.as_str()).collect();
    sqlx::query!(
        "WITH found AS (
             SELECT * FROM UNNEST($4::text[], $5::text[], $6::integer[], $7::text[]) AS given (flag_key, path, line, alias)
         ), gone AS (
             DELETE FROM code_references r
             WHERE r.org_id = $1 AND r.repository_id = $3
                 AND NOT EXISTS (
                     SELECT FROM found f
                     WHERE f.flag_key = r.flag_key AND f.path = r.path AND f.line = r.line AND f.alias = r.alias)
         )
         INSERT INTO code_references (repository_id, org_id, project_id, flag_key, path, line, alias)
         SELECT $3, $1, $2, flag_key, path, line, alias FROM found
         ON CONFLICT ON CONSTRAINT code_references_pkey DO NOTHING",
        org_id as OrgId,
        project_id as ProjectId,
        id as RepositoryId,
        &keys as &[&str],
        &paths as &[&str],
        &lines,
        &aliases as &[&str],
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub(super) async fn delete(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: RepositoryId,
) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM repositories WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as RepositoryId,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A page of the lines that name a flag, by repository and place.
pub async fn page(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    key: &str,
    page: Page,
) -> db::Result<Paged<CodeReference>> {
    let total = sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM code_references WHERE org_id = $1 AND project_id = $2 AND flag_key = $3"#,
        org_id as OrgId,
        project_id as ProjectId,
        key,
    )
    .fetch_one(&mut *conn)
    .await?;
    let rows = sqlx::query!(
        r#"SELECT r.id, r.name, r.branch, r.commit, r.link, r.scanned_at, c.path, c.line, c.alias
           FROM code_references c
           JOIN repositories r ON r.id = c.repository_id
           WHERE c.org_id = $1 AND c.project_id = $2 AND c.flag_key = $3
           ORDER BY r.name, c.path, c.line, c.alias
           LIMIT $4 OFFSET $5"#,
        org_id as OrgId,
        project_id as ProjectId,
        key,
        page.limit,
        page.offset,
    )
    .fetch_all(conn)
    .await?;
    let found = rows.into_iter().map(|row| CodeReference {
        url: row
            .link
            .map(|link| address(&link, &row.path, row.line, row.commit.as_deref())),
        repository_id: row.id,
        repository: row.name,
        branch: row.branch,
        commit: row.commit,
        path: row.path,
        line: row.line,
        alias: Some(row.alias).filter(|text| !text.is_empty()),
        scanned_at: row.scanned_at,
    });
    Ok(Paged::new(found.collect(), total, page))
}
