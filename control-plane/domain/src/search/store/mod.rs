//! SQL of searches: words are taken literally, in any case and order.

pub(super) mod words;

use sqlx::{FromRow, PgConnection, QueryBuilder};
use uuid::Uuid;

use super::{
    FLAG_TEXT,
    model::{Kind, SearchResult},
    push_has_words, words,
};
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

/// Matching objects of a kind, and their total. Keys that begin with the text come first, then what has all words in key and name,
/// then shorter keys.
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
        Kind::Flag => format!("id, key, name, project_id, {FLAG_TEXT} AS text FROM flags f"),
        Kind::Segment => format!(
            "id, key, name, project_id, {} FROM segments",
            text_of("key")
        ),
        Kind::Environment => {
            let text = text_of("slug");
            format!("id, slug AS key, name, project_id, {text} FROM environments")
        }
        Kind::Project => {
            let text = text_of("slug");
            format!("id, slug AS key, name, id AS project_id, {text} FROM projects")
        }
        Kind::Member => {
            // The name of an account is its holder's until they join.
            let name = "coalesce(m.known_as, u.name)";
            format!(
                "m.id, u.email AS key, {name} AS name, NULL::uuid AS project_id, concat_ws(E'\\n', u.email, {name}) AS text
                 FROM members m JOIN users u ON u.id = m.user_id AND NOT m.is_service"
            )
        }
    });
    query.push(" WHERE org_id = ").push_bind(org_id);
    if kind == Kind::Flag {
        query.push(" AND archived_at IS NULL");
    }
    let words = words(Some(text));
    query.push("), found AS (SELECT * FROM named WHERE ");
    push_has_words(&mut query, "text", &words);
    if let Some(project_id) = project_id {
        // Members are in no project.
        query.push(" AND project_id = ").push_bind(project_id);
    }
    query.push(
        ") SELECT *, count(*) OVER () AS total FROM found ORDER BY starts_with(lower(key), lower(",
    );
    query.push_bind(text.to_owned());
    query.push(")) DESC, ");
    push_has_words(&mut query, "concat_ws(E'\\n', key, name)", &words);
    query
        .push(" DESC, length(key), key, id LIMIT ")
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

/// What is searched of a thing with a name.
fn text_of(key: &str) -> String {
    format!("concat_ws(E'\\n', {key}, name) AS text")
}
