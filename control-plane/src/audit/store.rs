//! SQL of audit entries.

use serde_json::Value;
use serving::page::{Page, Paged};
use sqlx::{PgConnection, Postgres, QueryBuilder};
use time::OffsetDateTime;
use uuid::Uuid;

use super::model::{AuditEntry, Filter, NewEntry};
use crate::{
    db,
    ids::{AuditEntryId, OrgId, ProjectId},
};

/// Writes entries, in the transaction of the change. Events are what is written: call [`crate::events::record`].
pub(crate) async fn insert(
    conn: &mut PgConnection,
    org_id: OrgId,
    entries: &[NewEntry],
    now: OffsetDateTime,
) -> db::Result<()> {
    let ids: Vec<_> = entries.iter().map(|_| AuditEntryId::new(now)).collect();
    let actors: Vec<_> = entries.iter().map(|entry| entry.actor_id).collect();
    let actor_types: Vec<_> = entries
        .iter()
        .map(|entry| entry.actor_type.to_owned())
        .collect();
    let actions: Vec<_> = entries
        .iter()
        .map(|entry| entry.action.to_owned())
        .collect();
    let types: Vec<_> = entries
        .iter()
        .map(|entry| entry.resource_type.to_owned())
        .collect();
    let resources: Vec<_> = entries
        .iter()
        .map(|entry| entry.resource_id.clone())
        .collect();
    let projects: Vec<_> = entries.iter().map(|entry| entry.project_id).collect();
    let before: Vec<_> = entries.iter().map(|entry| entry.before.as_ref()).collect();
    let after: Vec<_> = entries.iter().map(|entry| entry.after.as_ref()).collect();
    let metadata: Vec<_> = entries
        .iter()
        .map(|entry| entry.metadata.as_ref())
        .collect();
    let addresses: Vec<_> = entries
        .iter()
        .map(|entry| entry.ip.map(|ip| ip.to_string()))
        .collect();
    sqlx::query!(
        "INSERT INTO audit_entries
             (id, org_id, actor_id, actor_type, action, resource_type, resource_id, project_id,
              before_state, after_state, metadata, ip_address, created_at)
         SELECT id, $1, actor_id, actor_type, action, resource_type, resource_id, project_id,
                before_state, after_state, metadata, ip_address, $2
         FROM unnest($3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[], $9::uuid[], $10::jsonb[],
                     $11::jsonb[], $12::jsonb[], $13::text[])
             AS told (id, actor_id, actor_type, action, resource_type, resource_id, project_id,
                      before_state, after_state, metadata, ip_address)",
        org_id as OrgId,
        now,
        &ids as &[AuditEntryId],
        &actors as &[Option<Uuid>],
        &actor_types,
        &actions,
        &types,
        &resources,
        &projects as &[Option<ProjectId>],
        &before as &[Option<&Value>],
        &after as &[Option<&Value>],
        &metadata as &[Option<&Value>],
        &addresses as &[Option<String>],
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A page of the entries that fit, newest first; of one moment, the one written last.
pub async fn page(
    conn: &mut PgConnection,
    org_id: OrgId,
    filter: &Filter,
    page: Page,
) -> db::Result<Paged<AuditEntry>> {
    // The page is found in an index that holds all of its order; only its own rows are read from the table.
    let mut query = QueryBuilder::new(
        "SELECT id, actor_id, actor_type, action, resource_type, resource_id, created_at, project_id,
                before_state, after_state, metadata, ip_address
         FROM audit_entries
         JOIN (SELECT id FROM audit_entries",
    );
    push_where(&mut query, org_id, filter);
    query
        .push(" ORDER BY created_at DESC, id DESC LIMIT ")
        .push_bind(page.limit)
        .push(" OFFSET ")
        .push_bind(page.offset)
        .push(") AS page USING (id) ORDER BY created_at DESC, id DESC");
    let items = query.build_query_as().fetch_all(&mut *conn).await?;
    Ok(Paged::new(items, count(conn, org_id, filter).await?, page))
}

/// The number of entries that fit.
async fn count(conn: &mut PgConnection, org_id: OrgId, filter: &Filter) -> db::Result<i64> {
    let mut query = QueryBuilder::new("SELECT COUNT(*) FROM audit_entries");
    push_where(&mut query, org_id, filter);
    Ok(query.build_query_scalar().fetch_one(conn).await?)
}

/// Text of its own for each set of filters, so that each is planned with its index.
fn push_where(query: &mut QueryBuilder<Postgres>, org_id: OrgId, filter: &Filter) {
    let Filter {
        project_id,
        action,
        resource_type,
        resource_id,
        actor_id,
    } = filter;
    query.push(" WHERE org_id = ").push_bind(org_id);
    if let Some(project_id) = project_id {
        query.push(" AND project_id = ").push_bind(*project_id);
    }
    if let Some(action) = action {
        query.push(" AND action = ").push_bind(action.clone());
    }
    if let Some(resource_type) = resource_type {
        query
            .push(" AND resource_type = ")
            .push_bind(resource_type.clone());
    }
    if let Some(resource_id) = resource_id {
        query
            .push(" AND resource_id = ")
            .push_bind(resource_id.clone());
    }
    if let Some(actor_id) = actor_id {
        query.push(" AND actor_id = ").push_bind(*actor_id);
    }
}

/// Deletes at most `limit` entries from before `end`; tells how many. Not tenant-scoped: retention is the installation's.
pub async fn delete_older(
    conn: &mut PgConnection,
    end: OffsetDateTime,
    limit: i64,
) -> db::Result<u64> {
    let deleted = sqlx::query!(
        "DELETE FROM audit_entries
         WHERE id IN (
             SELECT id
             FROM audit_entries
             WHERE created_at < $1
             ORDER BY created_at
             LIMIT $2
             FOR UPDATE SKIP LOCKED
         )",
        end,
        limit,
    )
    .execute(conn)
    .await?;
    Ok(deleted.rows_affected())
}

/// Deletes at most `limit` entries of an organization that is going for good; tells how many.
pub async fn delete_of_org(conn: &mut PgConnection, org_id: OrgId, limit: i64) -> db::Result<u64> {
    let deleted = sqlx::query!(
        "DELETE FROM audit_entries
         WHERE org_id = $1 AND id IN (SELECT id FROM audit_entries WHERE org_id = $1 LIMIT $2)",
        org_id as OrgId,
        limit,
    )
    .execute(conn)
    .await?;
    Ok(deleted.rows_affected())
}
