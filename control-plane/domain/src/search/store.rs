//! SQL of searches: texts are taken literally, in any case.

use sqlx::{FromRow, PgConnection, QueryBuilder};
use uuid::Uuid;

use super::model::{Kind, SearchResult};
use base::{
    db,
    ids::{OrgId, ProjectId},
};

#[derive(FromRow)]
struct Row {
    id: Uuid,
    key: String,
    name: String,
    project_id: Option<ProjectId>,
    total: i64,
}

/// Matching objects of a kind, and their total. Keys that begin with the text come first, then shorter keys.
pub(super) async fn find(
    conn: &mut PgConnection,
    org_id: OrgId,
    kind: Kind,
    text: &str,
    project_id: Option<ProjectId>,
    limit: i64,
) -> db::Result<(Vec<SearchResult>, i64)> {
    let mut query = QueryBuilder::new("WITH named AS (SELECT ");
    query.push(match kind {
        Kind::Flag => "id, key, name, project_id FROM flags",
        Kind::Segment => "id, key, name, project_id FROM segments",
        Kind::Environment => "id, slug AS key, name, project_id FROM environments",
        Kind::Project => "id, slug AS key, name, id AS project_id FROM projects",
        Kind::Member => {
            "m.id, u.email AS key, u.name, NULL::uuid AS project_id
             FROM members m JOIN users u ON u.id = m.user_id"
        }
    });
    query.push(" WHERE org_id = ").push_bind(org_id);
    if kind == Kind::Flag {
        query.push(" AND archived_at IS NULL");
    }
    query.push("), found AS (SELECT * FROM named WHERE (strpos(lower(key), lower(");
    query.push_bind(text.to_owned());
    query.push(")) > 0 OR strpos(lower(name), lower(");
    query.push_bind(text.to_owned());
    query.push(")) > 0)");
    if let Some(project_id) = project_id {
        // Members are in no project.
        query.push(" AND project_id = ").push_bind(project_id);
    }
    query.push(
        ") SELECT *, count(*) OVER () AS total FROM found ORDER BY starts_with(lower(key), lower(",
    );
    query.push_bind(text.to_owned());
    query
        .push(")) DESC, length(key), key, id LIMIT ")
        .push_bind(limit);
    let rows: Vec<Row> = query.build_query_as().fetch_all(conn).await?;
    let total = rows.first().map_or(0, |row| row.total);
    let items = rows.into_iter().map(|row| SearchResult {
        kind,
        id: row.id,
        key: row.key,
        name: row.name,
        project_id: row.project_id,
    });
    Ok((items.collect(), total))
}
