//! Writing audit entries.

use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::model::{Actor, Entry};
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
