//! SQL of audit entries.

mod names;
pub(super) mod partitions;
pub mod search;

use serde_json::Value;
use serving::page::Page;
use sqlx::{PgConnection, Postgres, QueryBuilder};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{
    budget::{BYTES_A_DAY, Spending},
    details::Details,
    model::{AuditEntry, Filter, NewEntry},
};
use base::{
    db,
    ids::{AuditEntryId, OrgId, ProjectId, UserId},
};

/// Writes entries, in the transaction of the change. Events are what is written: call [`crate::events::record`]. Once the
/// day's budget is spent, counting what this transaction has spent before, entries keep marks in place of states. Charges the day
/// too, where that is said.
pub async fn insert(
    conn: &mut PgConnection,
    org_id: OrgId,
    entries: &[NewEntry],
    spending: Spending,
    now: OffsetDateTime,
) -> db::Result<()> {
    let ids: Vec<_> = entries.iter().map(|_| AuditEntryId::new(now)).collect();
    let actors: Vec<_> = entries.iter().map(|entry| entry.actor_id).collect();
    let texts = |text: fn(&NewEntry) -> &str| -> Vec<String> {
        entries.iter().map(|entry| text(entry).to_owned()).collect()
    };
    let projects: Vec<_> = entries.iter().map(|entry| entry.project_id).collect();
    let values = |value: fn(&Details) -> Option<&Value>| -> Vec<Option<&Value>> {
        entries.iter().map(|entry| value(&entry.details)).collect()
    };
    let omitted: Vec<_> = entries.iter().map(NewEntry::omitted_bytes).collect();
    let sizes: Vec<_> = entries.iter().map(NewEntry::bytes).collect();
    let addresses = entries
        .iter()
        .map(|entry| entry.ip.map(|ip| ip.to_string()));
    let addresses: Vec<_> = addresses.collect();
    sqlx::query!(
        "WITH told AS (
             SELECT *,
                    $16::bigint + sum(bytes) OVER (ORDER BY place)
                        + coalesce((SELECT b.bytes FROM audit_budgets b WHERE b.org_id = $1 AND b.day = $17), 0) > $18::bigint
                        AND (before_state, after_state) IS DISTINCT FROM (before_mark, after_mark) AS is_beyond
             FROM unnest($3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[], $9::uuid[],
                         $10::jsonb[], $11::jsonb[], $12::jsonb[], $13::text[], $14::jsonb[], $15::jsonb[],
                         $19::bigint[], $20::bigint[])
                 WITH ORDINALITY
                 AS told (id, actor_id, actor_type, action, resource_type, resource_id, project_id, before_state,
                          after_state, metadata, ip_address, before_mark, after_mark, bytes, omitted, place)
         ), charged AS (
             INSERT INTO audit_budgets AS budget (org_id, day, bytes)
             SELECT $1, $17, $21::bigint WHERE $21::bigint <> 0
             ON CONFLICT ON CONSTRAINT audit_budgets_pkey
             DO UPDATE SET
                 day = excluded.day,
                 bytes = excluded.bytes + CASE WHEN budget.day = excluded.day THEN budget.bytes ELSE 0 END
         )
         INSERT INTO audit_entries
             (id, org_id, actor_id, actor_type, action, resource_type, resource_id, project_id,
              before_state, after_state, metadata, ip_address, created_at)
         SELECT id, $1, actor_id, actor_type, action, resource_type, resource_id, project_id,
                CASE WHEN is_beyond THEN before_mark ELSE before_state END,
                CASE WHEN is_beyond THEN after_mark ELSE after_state END,
                CASE WHEN is_beyond THEN coalesce(metadata, '{}') || jsonb_build_object('omitted_bytes', omitted)
                     ELSE metadata END,
                ip_address, $2
         FROM told",
        org_id as OrgId,
        now,
        &ids as &[AuditEntryId],
        &actors as &[Option<Uuid>],
        &texts(|entry| entry.actor_type),
        &texts(|entry| entry.action),
        &texts(|entry| entry.resource_type),
        &texts(|entry| &entry.resource_id),
        &projects as &[Option<ProjectId>],
        &values(|details| details.before.as_ref()) as &[Option<&Value>],
        &values(|details| details.after.as_ref()) as &[Option<&Value>],
        &values(|details| details.metadata.as_ref()) as &[Option<&Value>],
        &addresses as &[Option<String>],
        &values(|details| details.brief.before.as_ref()) as &[Option<&Value>],
        &values(|details| details.brief.after.as_ref()) as &[Option<&Value>],
        spending.spent,
        now.date(),
        BYTES_A_DAY,
        &sizes,
        &omitted,
        spending.charged,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// An entry, and when it was written: that names its partition.
#[derive(Debug, sqlx::FromRow)]
pub(super) struct Place {
    id: AuditEntryId,
    created_at: OffsetDateTime,
}

/// The places of a page and of the entry after it, newest first; of one moment, the one written last. Read from an index that
/// holds all of the order.
pub(super) async fn places(
    conn: &mut PgConnection,
    org_id: OrgId,
    filter: &Filter,
    page: Page,
) -> db::Result<Vec<Place>> {
    let mut query = QueryBuilder::new("SELECT id, created_at FROM audit_entries");
    push_where(&mut query, org_id, filter);
    if let Some(before) = filter.before {
        // The second comparison leaves out newer partitions, which Postgres does by single columns only.
        for comparison in [
            "(created_at, id) < (SELECT created_at, id",
            "created_at <= (SELECT created_at",
        ] {
            query
                .push(format!(
                    " AND {comparison} FROM audit_entries WHERE org_id = "
                ))
                .push_bind(org_id)
                .push(" AND id = ")
                .push_bind(before)
                .push(")");
        }
    }
    query
        .push(" ORDER BY created_at DESC, id DESC LIMIT ")
        .push_bind(page.limit + 1)
        .push(" OFFSET ")
        .push_bind(page.offset);
    Ok(query.build_query_as().fetch_all(conn).await?)
}

/// The number of entries that fit, but no more than `enough`.
pub(super) async fn count(
    conn: &mut PgConnection,
    org_id: OrgId,
    filter: &Filter,
    enough: i64,
) -> db::Result<i64> {
    let mut query = QueryBuilder::new("SELECT COUNT(*) FROM (SELECT FROM audit_entries");
    push_where(&mut query, org_id, filter);
    if filter.meant.is_empty() {
        // As the index has them: those that were written last are in memory.
        query.push(" ORDER BY created_at DESC, id DESC");
    }
    query.push(" LIMIT ").push_bind(enough).push(") AS counted");
    Ok(query.build_query_scalar().fetch_one(conn).await?)
}

/// Entries, newest first, with the names of whoever acted as they are now: of users who acted in the organization, whether they
/// are members or were, and of the organization's tokens and keys. Only members have an address. None is stored with an entry:
/// copies of personal data could not be corrected.
pub(super) async fn list(
    conn: &mut PgConnection,
    org_id: OrgId,
    places: &[Place],
) -> db::Result<Vec<AuditEntry>> {
    let ids: Vec<_> = places.iter().map(|place| place.id).collect();
    let (Some(newest), Some(oldest)) = (places.first(), places.last()) else {
        return Ok(Vec::new());
    };
    let mut entries = sqlx::query_as!(
        AuditEntry,
        r#"SELECT entry.id, actor_id AS "actor_id: UserId", actor_type, coalesce(u.name, t.name, k.name) AS actor_name,
                  CASE WHEN m.id IS NOT NULL THEN u.email END AS actor_email, action, resource_type, resource_id,
                  NULL::text AS resource_name, entry.created_at, project_id AS "project_id: ProjectId", before_state, after_state, metadata, ip_address
           FROM audit_entries entry
           LEFT JOIN users u ON actor_type = 'user' AND u.id = actor_id
           LEFT JOIN members m ON m.org_id = $1 AND m.user_id = u.id
           LEFT JOIN scim_tokens t ON actor_type = 'scim' AND t.org_id = $1 AND t.id = actor_id
           LEFT JOIN api_keys k ON actor_type = 'api_key' AND k.org_id = $1 AND k.id = actor_id
           WHERE entry.org_id = $1 AND entry.id = ANY($2) AND entry.created_at BETWEEN $3 AND $4
           ORDER BY entry.created_at DESC, entry.id DESC"#,
        org_id as OrgId,
        &ids as &[AuditEntryId],
        oldest.created_at,
        newest.created_at,
    )
    .fetch_all(&mut *conn)
    .await?;
    names::fill(conn, org_id, &mut entries).await?;
    Ok(entries)
}

/// The environment that an entry is about, as its index has it: where a state, a key or a request for approval is, where a state
/// was copied to, or the environment itself.
const ENVIRONMENT: &str = "coalesce(metadata ->> 'env_id', metadata ->> 'target_env_id', \
                           CASE WHEN resource_type = 'environment' THEN resource_id END)";

/// Text of its own for each set of filters, so that each is planned with its index.
fn push_where(query: &mut QueryBuilder<Postgres>, org_id: OrgId, filter: &Filter) {
    let Filter {
        project_id,
        action,
        resource_type,
        resource_id,
        actor_id,
        env_id,
        from,
        to,
        meant,
        before: _,
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
    if let Some(env_id) = env_id {
        query
            .push(" AND ")
            .push(ENVIRONMENT)
            .push(" = ")
            .push_bind(env_id.to_string());
    }
    for word in meant {
        query
            .push(" AND (action = ANY(")
            .push_bind(word.actions.clone())
            .push(") OR actor_id = ANY(")
            .push_bind(word.actors.clone())
            .push(") OR resource_id = ANY(")
            .push_bind(word.thing_ids())
            .push("))");
    }
    if let Some(from) = from {
        query.push(" AND created_at >= ").push_bind(*from);
    }
    if let Some(to) = to {
        query.push(" AND created_at < ").push_bind(*to);
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
         WHERE created_at < $1 AND id IN (
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

/// Deletes about `limit` entries of an organization that is going for good, the oldest ones; tells how many.
pub async fn delete_of_org(conn: &mut PgConnection, org_id: OrgId, limit: i64) -> db::Result<u64> {
    let deleted = sqlx::query!(
        "DELETE FROM audit_entries
         WHERE org_id = $1 AND created_at <= coalesce(
             (SELECT created_at FROM audit_entries WHERE org_id = $1 ORDER BY created_at OFFSET $2 LIMIT 1),
             'infinity')",
        org_id as OrgId,
        limit,
    )
    .execute(conn)
    .await?;
    Ok(deleted.rows_affected())
}
