//! SQL of what stands in the way of deleting an organization.

use sqlx::PgConnection;
use time::OffsetDateTime;

use base::{db, ids::OrgId};

/// Charges that may follow.
#[derive(Clone, Copy, Debug)]
pub(in crate::billing) struct Charges {
    /// A subscription that a gateway renews.
    pub(in crate::billing) is_subscribed: bool,
    /// A question about a subscription that a gateway has not answered.
    pub(in crate::billing) is_uncertain: bool,
    /// A checkout through `gateway_redirect` that can still be paid.
    pub(in crate::billing) is_redirected: bool,
    /// The last unpaid checkout through `gateway_form`.
    pub(in crate::billing) form_begun_at: Option<OffsetDateTime>,
}

/// Stable while the organization is locked.
pub(in crate::billing) async fn get(conn: &mut PgConnection, org_id: OrgId) -> db::Result<Charges> {
    Ok(sqlx::query_as!(
        Charges,
        r#"SELECT
             EXISTS (
                 SELECT FROM subscriptions
                 WHERE org_id = $1 AND gateway = 'gateway_redirect' AND status <> 'canceled'
             ) AS "is_subscribed!",
             EXISTS (
                 SELECT FROM subscriptions WHERE org_id = $1 AND settle_at IS NOT NULL
             ) AS "is_uncertain!",
             EXISTS (
                 SELECT FROM checkouts
                 WHERE org_id = $1 AND session_ref IS NOT NULL AND settle_at IS NOT NULL
             ) AS "is_redirected!",
             (
                 SELECT MAX(created_at) FROM checkouts
                 WHERE org_id = $1 AND txnid IS NOT NULL AND completed_at IS NULL
             ) AS form_begun_at"#,
        org_id as OrgId,
    )
    .fetch_one(conn)
    .await?)
}
