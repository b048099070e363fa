//! SQL of sign-in by providers, one file per table, and of the organization's switch.

pub mod attempts;
pub mod domains;
pub mod identities;
pub mod providers;
pub mod removals;

use sqlx::PgConnection;
use time::OffsetDateTime;

use base::{db, ids::OrgId};

/// Whether members other than owners must sign in by a provider. `false` if the organization is gone.
pub async fn is_required(conn: &mut PgConnection, org_id: OrgId) -> db::Result<bool> {
    let found = sqlx::query_scalar!(
        "SELECT sign_in_only_by_provider FROM organizations WHERE id = $1",
        org_id as OrgId,
    )
    .fetch_optional(conn)
    .await?;
    Ok(found.unwrap_or(false))
}

pub(super) async fn update_required(
    conn: &mut PgConnection,
    org_id: OrgId,
    is_required: bool,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE organizations SET sign_in_only_by_provider = $2, updated_at = $3 WHERE id = $1",
        org_id as OrgId,
        is_required,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}
