//! SQL of sales inquiries.

use sqlx::PgConnection;
use time::OffsetDateTime;

use super::model::Inquiry;
use base::{db, ids::InquiryId};

/// Not tenant-scoped: the sender may have no organization.
pub(super) async fn insert(
    conn: &mut PgConnection,
    inquiry: &Inquiry,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "INSERT INTO sales_inquiries (id, contact_name, email, company, team_size, message, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        InquiryId::new(now) as InquiryId,
        inquiry.contact_name,
        inquiry.email.as_str(),
        inquiry.company,
        inquiry.team_size,
        inquiry.message,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}
