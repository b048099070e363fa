//! SQL of uses.

use serde_json::{Value, json};
use sqlx::PgConnection;

use super::model::{Use, Uses};
use base::{
    db,
    ids::{EnvId, OrgId, ProjectId},
    input::Key,
};

/// Flags listed: more than a person reads.
const MOST: i64 = 1_000;

struct Row {
    key: String,
    env_ids: Vec<EnvId>,
    total: i64,
}

impl From<Vec<Row>> for Uses {
    fn from(rows: Vec<Row>) -> Self {
        Self {
            total: rows.first().map_or(0, |row| row.total),
            flags: rows
                .into_iter()
                .map(|Row { key, env_ids, .. }| Use { key, env_ids })
                .collect(),
        }
    }
}

/// The flags that require one, and the environments where they are on.
pub async fn dependants(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    key: &Key,
) -> db::Result<Uses> {
    let rows = sqlx::query_as!(
        Row,
        r#"SELECT f.key, count(*) OVER () AS "total!",
                  ARRAY(SELECT s.env_id FROM flag_states s JOIN environments e ON e.id = s.env_id
                        WHERE s.flag_id = f.id AND s.enabled ORDER BY s.env_id) AS "env_ids!: Vec<EnvId>"
           FROM flags f
           WHERE f.org_id = $1 AND f.project_id = $2 AND f.archived_at IS NULL AND $3 = ANY (f.prerequisites)
           ORDER BY f.key
           LIMIT $4"#,
        org_id as OrgId,
        project_id as ProjectId,
        key.as_str(),
        MOST,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into())
}

/// The flags with a rule, enabled or not, that names a segment, and the environments of those rules.
pub async fn of_segment(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    key: &Key,
) -> db::Result<Uses> {
    let rows = sqlx::query_as!(
        Row,
        r#"SELECT f.key, count(*) OVER () AS "total!", array_agg(s.env_id ORDER BY s.env_id) AS "env_ids!: Vec<EnvId>"
           FROM environments e
           JOIN flag_states s ON s.env_id = e.id
           JOIN flags f ON f.id = s.flag_id
           WHERE e.org_id = $1 AND e.project_id = $2 AND f.archived_at IS NULL AND s.rules @> $3
           GROUP BY f.id
           ORDER BY f.key
           LIMIT $4"#,
        org_id as OrgId,
        project_id as ProjectId,
        naming(key),
        MOST,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into())
}

/// The JSON contained in rules that name a segment.
fn naming(key: &Key) -> Value {
    json!([{"segment_keys": [key.as_str()]}])
}
