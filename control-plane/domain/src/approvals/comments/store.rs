//! SQL of comments on requests.

use serving::page::Page;
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::Comment;
use base::{
    db,
    ids::{ApprovalCommentId, ApprovalId, OrgId, UserId},
};

pub(super) async fn insert(
    conn: &mut PgConnection,
    org_id: OrgId,
    comment: &Comment,
) -> db::Result<()> {
    sqlx::query!(
        "INSERT INTO approval_comments (id, org_id, approval_id, author_id, text, created_at)
         VALUES ($1, $2, $3, $4, $5, $6)",
        comment.id as ApprovalCommentId,
        org_id as OrgId,
        comment.approval_id as ApprovalId,
        comment.author_id as UserId,
        comment.text,
        comment.created_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The number of comments on a request.
pub async fn count(conn: &mut PgConnection, org_id: OrgId, id: ApprovalId) -> db::Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "count!" FROM approval_comments WHERE org_id = $1 AND approval_id = $2"#,
        org_id as OrgId,
        id as ApprovalId,
    )
    .fetch_one(conn)
    .await?)
}

/// Bytes of the organization's comments since then, with a fixed overhead each.
pub(super) async fn bytes_since(
    conn: &mut PgConnection,
    org_id: OrgId,
    since: OffsetDateTime,
) -> db::Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"SELECT coalesce(sum(octet_length(text) + 256), 0)::bigint AS "bytes!"
           FROM approval_comments
           WHERE org_id = $1 AND created_at > $2"#,
        org_id as OrgId,
        since,
    )
    .fetch_one(conn)
    .await?)
}

/// A page of the comments on a request, the oldest first, with the names of their authors as they are now.
pub async fn list(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: ApprovalId,
    page: Page,
) -> db::Result<Vec<Comment>> {
    Ok(sqlx::query_as!(
        Comment,
        r#"SELECT c.id, c.approval_id, c.author_id, u.name AS "author_name?", c.text, c.created_at
           FROM approval_comments c
           LEFT JOIN users u ON u.id = c.author_id
           WHERE c.org_id = $1 AND c.approval_id = $2
           ORDER BY c.created_at, c.id
           LIMIT $3 OFFSET $4"#,
        org_id as OrgId,
        id as ApprovalId,
        page.limit,
        page.offset,
    )
    .fetch_all(conn)
    .await?)
}

/// A comment that was written in the same transaction.
pub(super) async fn get(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: ApprovalCommentId,
) -> db::Result<Comment> {
    Ok(sqlx::query_as!(
        Comment,
        r#"SELECT c.id, c.approval_id, c.author_id, u.name AS "author_name?", c.text, c.created_at
           FROM approval_comments c
           LEFT JOIN users u ON u.id = c.author_id
           WHERE c.org_id = $1 AND c.id = $2"#,
        org_id as OrgId,
        id as ApprovalCommentId,
    )
    .fetch_one(conn)
    .await?)
}
