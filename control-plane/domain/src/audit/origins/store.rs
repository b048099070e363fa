//! SQL of entries by their transactions.

use std::collections::HashMap;

use sqlx::PgConnection;
use time::UtcOffset;
use uuid::Uuid;

use super::Origin;
use base::{
    db,
    ids::{EnvId, OrgId, ProjectId},
};

/// The first entry of each of these transactions of an organization that is about the environment, or about none. Looks at the
/// first 100 of a transaction.
pub async fn list(
    conn: &mut PgConnection,
    org_id: OrgId,
    changes: &[(u64, EnvId)],
) -> db::Result<HashMap<(u64, EnvId), Origin>> {
    let transactions: Vec<String> = changes
        .iter()
        .map(|(number, _)| number.to_string())
        .collect();
    let env_ids: Vec<EnvId> = changes.iter().map(|(_, env_id)| *env_id).collect();
    let rows = sqlx::query!(
        r#"SELECT asked.place AS "place!", entry.action AS "action!", entry.resource_type AS "resource_type!", entry.resource_id,
                  entry.project_id AS "project_id?: ProjectId", entry.actor_id AS "actor_id?: Uuid",
                  entry.created_at AS "created_at!", coalesce(flags.key, segments.key) AS resource_key
           FROM unnest($2::text[], $3::uuid[]) WITH ORDINALITY AS asked(written_in, env_id, place)
           CROSS JOIN LATERAL (
               SELECT *
               FROM (
                   SELECT id, action, resource_type, resource_id, project_id, actor_id, created_at,
                          coalesce(metadata ->> 'env_id', metadata ->> 'target_env_id',
                                   CASE WHEN resource_type = 'environment' THEN resource_id END) AS of_env
                   FROM audit_entries
                   WHERE org_id = $1 AND audit_entries.written_in = asked.written_in::xid8
                   LIMIT 100
               ) AS first
               WHERE of_env IS NULL OR of_env = asked.env_id::text
               ORDER BY of_env IS NULL, id
               LIMIT 1
           ) AS entry
           LEFT JOIN flags ON entry.resource_type = 'flag' AND flags.org_id = $1
               AND flags.id = CASE WHEN entry.resource_type = 'flag' THEN entry.resource_id::uuid END
           LEFT JOIN segments ON entry.resource_type = 'segment' AND segments.org_id = $1
               AND segments.id = CASE WHEN entry.resource_type = 'segment' THEN entry.resource_id::uuid END"#,
        org_id as OrgId,
        &transactions,
        &env_ids as &[EnvId],
    )
    .fetch_all(conn)
    .await?;
    let origins = rows.into_iter().filter_map(|row| {
        let place = usize::try_from(row.place).ok()?.checked_sub(1)?;
        let origin = Origin {
            action: row.action,
            resource_type: row.resource_type,
            resource_id: row.resource_id,
            resource_key: row.resource_key,
            project_id: row.project_id,
            actor_id: row.actor_id,
            created_at: row.created_at.to_offset(UtcOffset::UTC),
        };
        Some((*changes.get(place)?, origin))
    });
    Ok(origins.collect())
}
