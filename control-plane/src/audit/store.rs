//! SQL of audit entries.

use serving::page::Page;
use sqlx::{PgConnection, Postgres, QueryBuilder};
use time::OffsetDateTime;
use uuid::Uuid;

use super::model::{Actor, AuditEntry, Entry, Filter};
use crate::{
    db,
    ids::{AuditEntryId, OrgId, ProjectId},
};

/// Writes an entry. Call it in the transaction of the change, so that neither exists without the other.
///
/// # Errors
/// When the database fails.
pub async fn record(conn: &mut PgConnection, entry: Entry, now: OffsetDateTime) -> db::Result<()> {
    let (actor_type, actor_id, ip) = match entry.actor {
        Actor::User { id, ip } => ("user", Some(id.0), ip),
        Actor::System => ("system", None, None),
    };
    sqlx::query!(
        "INSERT INTO audit_entries
             (id, org_id, actor_id, actor_type, action, resource_type, resource_id, project_id,
              before_state, after_state, metadata, ip_address, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
        AuditEntryId::new(now) as AuditEntryId,
        entry.org_id as OrgId,
        actor_id as Option<Uuid>,
        actor_type,
        entry.action,
        entry.resource_type(),
        entry.resource_id,
        entry.project_id as Option<ProjectId>,
        entry.before,
        entry.after,
        entry.metadata,
        ip.map(|ip| ip.to_string()),
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A page of the entries that fit, newest first; of one moment, the one written last.
///
/// # Errors
/// When the database fails.
pub async fn list(
    conn: &mut PgConnection,
    org_id: OrgId,
    filter: &Filter,
    page: Page,
) -> db::Result<Vec<AuditEntry>> {
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
    Ok(query.build_query_as().fetch_all(conn).await?)
}

/// The number of entries that fit.
///
/// # Errors
/// When the database fails.
pub async fn count(conn: &mut PgConnection, org_id: OrgId, filter: &Filter) -> db::Result<i64> {
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
///
/// # Errors
/// When the database fails.
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
