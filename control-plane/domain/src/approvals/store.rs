//! SQL of approval requests.

use serde_json::{Map, Value};
use serving::page::Page;
use sqlx::{FromRow, PgConnection, Postgres, QueryBuilder, types::Json};
use time::OffsetDateTime;

use super::{
    basis::Basis,
    model::{Approval, Filter, GivenApproval, Payload, Status},
};
use base::{
    db,
    ids::{ApprovalId, EnvId, FlagId, OrgId, ProjectId, UserId},
};

pub async fn insert(
    conn: &mut PgConnection,
    org_id: OrgId,
    approval: &Approval,
    basis: &Basis,
) -> db::Result<()> {
    sqlx::query!(
        "INSERT INTO approvals
             (id, org_id, project_id, flag_id, env_id, change_type, payload, status, requestor_id, created_at, updated_at,
              payload_bytes, note, base_version, base, proposed, base_bytes)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)",
        approval.id as ApprovalId,
        org_id as OrgId,
        approval.project_id as ProjectId,
        approval.flag_id as FlagId,
        approval.env_id as EnvId,
        approval.change_type,
        &approval.payload as &Payload,
        approval.status as Status,
        approval.requestor_id as UserId,
        approval.created_at,
        approval.updated_at,
        i32::try_from(approval.payload.bytes()).unwrap_or(i32::MAX),
        approval.note,
        basis.version,
        Json(&basis.base) as _,
        Json(&basis.proposed) as _,
        i32::try_from(basis.bytes()).unwrap_or(i32::MAX),
    )
    .execute(conn)
    .await?;
    Ok(())
}

type Fields = Json<Map<String, Value>>;

struct BasisRow {
    version: i64,
    base: Fields,
    proposed: Fields,
}

impl From<BasisRow> for Basis {
    fn from(row: BasisRow) -> Self {
        Self {
            version: row.version,
            base: row.base.0,
            proposed: row.proposed.0,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Standing {
    /// Pending requests, counted up to the limit.
    pub pending: i64,
    /// Bytes of recent requests, with a fixed overhead each.
    pub bytes: i64,
}

/// Counts the pending requests up to `enough`, and the bytes of those created after `since`, adding `each` per request.
pub async fn standing(
    conn: &mut PgConnection,
    org_id: OrgId,
    enough: i64,
    since: OffsetDateTime,
    each: i64,
) -> db::Result<Standing> {
    Ok(sqlx::query_as!(
        Standing,
        r#"SELECT (SELECT COUNT(*)
                   FROM (SELECT FROM approvals WHERE org_id = $1 AND status = 'pending' LIMIT $2) AS pending) AS "pending!",
                  (SELECT coalesce(sum(payload_bytes + base_bytes + octet_length(note) + $4::bigint), 0)
                   FROM approvals
                   WHERE org_id = $1 AND created_at > $3)::bigint AS "bytes!""#,
        org_id as OrgId,
        enough,
        since,
        each,
    )
    .fetch_one(conn)
    .await?)
}

/// The number of requests, counted up to `enough`.
pub async fn count(
    conn: &mut PgConnection,
    org_id: OrgId,
    filter: Filter,
    enough: i64,
) -> db::Result<i64> {
    let mut query = QueryBuilder::new("SELECT COUNT(*) FROM (SELECT FROM approvals");
    push_where(&mut query, org_id, filter);
    query.push(" LIMIT ").push_bind(enough).push(") AS counted");
    Ok(query.build_query_scalar().fetch_one(conn).await?)
}

#[derive(Clone, Copy, Debug, FromRow)]
pub struct Measured {
    pub id: ApprovalId,
    /// Of payload and note.
    pub bytes: i32,
}

/// The requests of a page plus one, newest first. Payloads are not read.
pub async fn ids(
    conn: &mut PgConnection,
    org_id: OrgId,
    filter: Filter,
    page: Page,
) -> db::Result<Vec<Measured>> {
    let mut query =
        QueryBuilder::new("SELECT id, payload_bytes + octet_length(note) AS bytes FROM approvals");
    push_where(&mut query, org_id, filter);
    query
        .push(" ORDER BY created_at DESC, id DESC LIMIT ")
        .push_bind(page.limit + 1)
        .push(" OFFSET ")
        .push_bind(page.offset);
    Ok(query.build_query_as().fetch_all(conn).await?)
}

/// Text of its own for each set of filters, so that each is planned with its index.
fn push_where(query: &mut QueryBuilder<Postgres>, org_id: OrgId, filter: Filter) {
    let Filter {
        status,
        project_id,
        flag_id,
        requestor_id,
    } = filter;
    query.push(" WHERE org_id = ").push_bind(org_id);
    if let Some(status) = status {
        query.push(" AND status = ").push_bind(status);
    }
    if let Some(project_id) = project_id {
        query.push(" AND project_id = ").push_bind(project_id);
    }
    if let Some(flag_id) = flag_id {
        query.push(" AND flag_id = ").push_bind(flag_id);
    }
    if let Some(requestor_id) = requestor_id {
        query.push(" AND requestor_id = ").push_bind(requestor_id);
    }
}

/// These requests, newest first, with the keys of what is there and the names of whoever acted as they are now.
pub async fn list(
    conn: &mut PgConnection,
    org_id: OrgId,
    ids: &[ApprovalId],
) -> db::Result<Vec<Approval>> {
    Ok(sqlx::query_as!(
        Approval,
        r#"SELECT a.id, a.project_id, p.slug AS "project_slug?", a.flag_id, f.key AS "flag_key?", a.env_id,
                  e.slug AS "env_slug?", a.change_type, a.status, a.payload, a.note, a.requestor_id,
                  requestor.name AS "requestor_name?", a.reviewer_id, reviewer.name AS "reviewer_name?", a.review_note,
                  a.reviewed_at, COALESCE(a.required_approvals, e.required_approvals, 1) AS "required_approvals!",
                  a.approvals AS "approvals: Json<Vec<GivenApproval>>", a.created_at, a.updated_at
           FROM approvals a
           LEFT JOIN projects p ON p.org_id = $1 AND p.id = a.project_id
           LEFT JOIN flags f ON f.org_id = $1 AND f.id = a.flag_id
           LEFT JOIN environments e ON e.org_id = $1 AND e.id = a.env_id
           LEFT JOIN users requestor ON requestor.id = a.requestor_id
           LEFT JOIN users reviewer ON reviewer.id = a.reviewer_id
           WHERE a.org_id = $1 AND a.id = ANY($2)
           ORDER BY a.created_at DESC, a.id DESC"#,
        org_id as OrgId,
        ids as &[ApprovalId],
    )
    .fetch_all(conn)
    .await?)
}

pub async fn find(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: ApprovalId,
) -> db::Result<Option<Approval>> {
    Ok(list(conn, org_id, &[id]).await?.pop())
}

/// A request that was written in the same transaction.
pub async fn get(conn: &mut PgConnection, org_id: OrgId, id: ApprovalId) -> db::Result<Approval> {
    let found = find(conn, org_id, id).await?;
    found.ok_or_else(|| sqlx::Error::RowNotFound.into())
}

/// What the request was compared with; `None` if it was made before that was stored.
pub async fn find_basis(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: ApprovalId,
) -> db::Result<Option<Basis>> {
    Ok(sqlx::query_as!(
        BasisRow,
        r#"SELECT base_version AS "version!", base AS "base!: Fields", proposed AS "proposed!: Fields"
           FROM approvals
           WHERE org_id = $1 AND id = $2 AND base_version IS NOT NULL"#,
        org_id as OrgId,
        id as ApprovalId,
    )
    .fetch_optional(conn)
    .await?
    .map(Basis::from))
}

/// The request, locked until the end of the transaction.
pub async fn find_for_update(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: ApprovalId,
) -> db::Result<Option<Approval>> {
    sqlx::query!(
        "SELECT FROM approvals WHERE org_id = $1 AND id = $2 FOR UPDATE",
        org_id as OrgId,
        id as ApprovalId,
    )
    .execute(&mut *conn)
    .await?;
    find(conn, org_id, id).await
}

/// Stores a review. The caller must have locked the request.
pub async fn update(conn: &mut PgConnection, org_id: OrgId, approval: &Approval) -> db::Result<()> {
    sqlx::query!(
        "UPDATE approvals
         SET status = $3, reviewer_id = $4, review_note = $5, reviewed_at = $6, updated_at = $7, approvals = $8,
             required_approvals = CASE WHEN $3 <> 'pending' THEN $9::integer END
         WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        approval.id as ApprovalId,
        approval.status as Status,
        approval.reviewer_id as Option<UserId>,
        approval.review_note,
        approval.reviewed_at,
        approval.updated_at,
        &approval.approvals as _,
        approval.required_approvals,
    )
    .execute(conn)
    .await?;
    Ok(())
}
