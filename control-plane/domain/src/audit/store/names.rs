//! What the things are called that entries are about.

use std::collections::HashMap;

use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::audit::model::AuditEntry;
use base::{db, ids::OrgId};

/// Fills in names: those of now, or else those that the entries themselves keep.
pub(super) async fn fill(
    conn: &mut PgConnection,
    org_id: OrgId,
    entries: &mut [AuditEntry],
) -> db::Result<()> {
    let id = |entry: &AuditEntry| Uuid::try_parse(entry.resource_id.as_deref()?).ok();
    let ids: Vec<_> = entries.iter().filter_map(id).collect();
    let names = find(conn, org_id, &ids).await?;
    for entry in entries {
        let known = id(entry).and_then(|id| names.get(&id).cloned());
        entry.resource_name = known.or_else(|| kept(entry));
    }
    Ok(())
}

/// The name in one of the entry's states.
fn kept(entry: &AuditEntry) -> Option<String> {
    let states = [&entry.after_state, &entry.before_state];
    let states = states.into_iter().flatten();
    let member = |state: &Value, name: &str| Some(state.get(name)?.as_str()?.to_owned());
    states
        .flat_map(|state| {
            ["key", "flag_key", "slug", "name", "repository", "email"]
                .map(|name| member(state, name))
        })
        .flatten()
        .find(|name| !name.is_empty())
}

async fn find(
    conn: &mut PgConnection,
    org_id: OrgId,
    ids: &[Uuid],
) -> db::Result<HashMap<Uuid, String>> {
    let rows = sqlx::query!(
        r#"SELECT id AS "id!", key AS "name!" FROM flags WHERE org_id = $1 AND id = ANY($2)
           UNION ALL
           SELECT flag_id, deleted_key FROM flag_versions
           WHERE org_id = $1 AND flag_id = ANY($2) AND deleted_key IS NOT NULL
           UNION ALL
           SELECT id, key FROM segments WHERE org_id = $1 AND id = ANY($2)
           UNION ALL
           SELECT id, slug FROM environments WHERE org_id = $1 AND id = ANY($2)
           UNION ALL
           SELECT id, slug FROM projects WHERE org_id = $1 AND id = ANY($2)
           UNION ALL
           SELECT id, name FROM webhooks WHERE org_id = $1 AND id = ANY($2)
           UNION ALL
           SELECT id, name FROM custom_roles WHERE org_id = $1 AND id = ANY($2)
           UNION ALL
           SELECT id, name FROM api_keys WHERE org_id = $1 AND id = ANY($2)
           UNION ALL
           SELECT request.id, flag.key
           FROM approvals request JOIN flags flag ON flag.org_id = $1 AND flag.id = request.flag_id
           WHERE request.org_id = $1 AND request.id = ANY($2)
           UNION ALL
           SELECT member.id, coalesce(member.known_as, account.name)
           FROM members member JOIN users account ON account.id = member.user_id
           WHERE member.org_id = $1 AND member.id = ANY($2)
           UNION ALL
           SELECT account.id, coalesce(member.known_as, account.name)
           FROM users account JOIN members member ON member.org_id = $1 AND member.user_id = account.id
           WHERE account.id = ANY($2)"#,
        org_id as OrgId,
        ids,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.name)).collect())
}
