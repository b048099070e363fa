//! SQL of approval requests.

use serving::page::Page;
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::model::{Approval, Payload, Status};
use base::{
    db,
    ids::{ApprovalId, EnvId, FlagId, OrgId, ProjectId, UserId},
};

pub async fn insert(conn: &mut PgConnection, org_id: OrgId, approval: &Approval) -> db::Result<()> {
    sqlx::query!(
        "INSERT INTO approvals
             (id, org_id, project_id, flag_id, env_id, change_type, payload, status, requestor_id, created_at, updated_at,
              payload_bytes)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
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
    )
    .execute(conn)
    .await?;
    Ok(())
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
                  (SELECT coalesce(sum(payload_bytes + $4::bigint), 0)
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

/// The number of requests, of one status or all, counted up to `enough`.
pub async fn count(
    conn: &mut PgConnection,
    org_id: OrgId,
    status: Option<Status>,
    enough: i64,
) -> db::Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "count!"
           FROM (
               SELECT FROM approvals WHERE org_id = $1 AND ($2::text IS NULL OR status = $2) LIMIT $3
           ) AS counted"#,
        org_id as OrgId,
        status as Option<Status>,
        enough,
    )
    .fetch_one(conn)
    .await?)
}

#[derive(Clone, Copy, Debug)]
pub struct Measured {
    pub id: ApprovalId,
    pub bytes: i32,
}

/// The requests of a page plus one, of one status or all, newest first. Payloads are not read.
pub async fn ids(
    conn: &mut PgConnection,
    org_id: OrgId,
    status: Option<Status>,
    page: Page,
) -> db::Result<Vec<Measured>> {
    Ok(sqlx::query_as!(
        Measured,
        r#"SELECT id, payload_bytes AS bytes
           FROM approvals
           WHERE org_id = $1 AND ($2::text IS NULL OR status = $2)
           ORDER BY created_at DESC, id DESC
           LIMIT $3 OFFSET $4"#,
        org_id as OrgId,
        status as Option<Status>,
        page.limit + 1,
        page.offset,
    )
    .fetch_all(conn)
    .await?)
}

/// These requests, newest first.
pub async fn list(
    conn: &mut PgConnection,
    org_id: OrgId,
    ids: &[ApprovalId],
) -> db::Result<Vec<Approval>> {
    Ok(sqlx::query_as!(
        Approval,
        "SELECT id, project_id, flag_id, env_id, change_type, status, payload, requestor_id, reviewer_id, review_note,
                reviewed_at, created_at, updated_at
         FROM approvals
         WHERE org_id = $1 AND id = ANY($2)
         ORDER BY created_at DESC, id DESC",
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
    Ok(sqlx::query_as!(
        Approval,
        "SELECT id, project_id, flag_id, env_id, change_type, status, payload, requestor_id, reviewer_id, review_note,
                reviewed_at, created_at, updated_at
         FROM approvals
         WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as ApprovalId,
    )
    .fetch_optional(conn)
    .await?)
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
         SET status = $3, reviewer_id = $4, review_note = $5, reviewed_at = $6, updated_at = $7
         WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        approval.id as ApprovalId,
        approval.status as Status,
        approval.reviewer_id as Option<UserId>,
        approval.review_note,
        approval.reviewed_at,
        approval.updated_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}
