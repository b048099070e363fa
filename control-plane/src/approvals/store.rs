//! SQL of approval requests.

use serving::page::{MAX_BYTES, Page, Paged};
use sqlx::PgConnection;

use super::model::{Approval, Payload, Status};
use crate::{
    db,
    ids::{ApprovalId, EnvId, FlagId, OrgId, ProjectId, UserId},
};

/// Stores a new request.
pub async fn insert(conn: &mut PgConnection, org_id: OrgId, approval: &Approval) -> db::Result<()> {
    sqlx::query!(
        "INSERT INTO approvals
             (id, org_id, project_id, flag_id, env_id, change_type, payload, status, requestor_id, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
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
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The number of requests, of one status or all.
async fn count(conn: &mut PgConnection, org_id: OrgId, status: Option<Status>) -> db::Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "count!"
         FROM approvals
         WHERE org_id = $1 AND ($2::text IS NULL OR status = $2)"#,
        org_id as OrgId,
        status as Option<Status>,
    )
    .fetch_one(conn)
    .await?)
}

/// A page of the requests, of one status or all, the newest first. It ends early where payloads are large.
pub async fn page(
    conn: &mut PgConnection,
    org_id: OrgId,
    status: Option<Status>,
    page: Page,
) -> db::Result<Paged<Approval>> {
    let items = sqlx::query_as!(
        Approval,
        "WITH listed AS MATERIALIZED (
             SELECT id
             FROM approvals
             WHERE org_id = $1 AND ($2::text IS NULL OR status = $2)
             ORDER BY created_at DESC, id DESC
             LIMIT $3 OFFSET $4
         ), measured AS MATERIALIZED (
             SELECT id, created_at, octet_length(payload::text) AS bytes FROM approvals JOIN listed USING (id)
         ), placed AS (
             SELECT id, sum(bytes) OVER (ORDER BY created_at DESC, id DESC) - bytes AS bytes_before FROM measured
         )
         SELECT a.id, project_id, flag_id, env_id, change_type, status, payload, requestor_id, reviewer_id, review_note,
                reviewed_at, created_at, updated_at
         FROM approvals a
         JOIN placed ON placed.id = a.id
         WHERE org_id = $1 AND bytes_before < $5::bigint
         ORDER BY created_at DESC, a.id DESC",
        org_id as OrgId,
        status as Option<Status>,
        page.limit,
        page.offset,
        MAX_BYTES,
    )
    .fetch_all(&mut *conn)
    .await?;
    Ok(Paged::new(items, count(conn, org_id, status).await?, page))
}

/// The request, if the organization has it.
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

/// The same, and its lock until the end of the transaction.
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

/// Stores what a review changes. Call it with the request locked.
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
