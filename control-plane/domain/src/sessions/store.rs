//! SQL of the list of sessions. Not tenant-scoped: sessions belong to the user.

use serving::page::{Page, Paged};
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::model::Session;
use base::{
    db,
    ids::{FamilyId, UserId},
};

/// Live sessions of a user, most recently used first.
pub(super) async fn page(
    conn: &mut PgConnection,
    user_id: UserId,
    current: FamilyId,
    page: Page,
    now: OffsetDateTime,
) -> db::Result<Paged<Session>> {
    let total = sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!"
         FROM token_families
         WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > $2"#,
        user_id as UserId,
        now,
    )
    .fetch_one(&mut *conn)
    .await?;
    let sessions = sqlx::query_as!(
        Session,
        r#"SELECT id, created_at, last_used_at, ip_address,
                user_agent AS browser, id = $3 AS "current!"
         FROM token_families
         WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > $2
         ORDER BY last_used_at DESC, id DESC
         LIMIT $4 OFFSET $5"#,
        user_id as UserId,
        now,
        current as FamilyId,
        page.limit,
        page.offset,
    )
    .fetch_all(conn)
    .await?;
    Ok(Paged::new(sessions, total, page))
}
