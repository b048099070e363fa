//! SQL of checkouts.

use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::billing::model::Gateway;
use base::{
    db,
    ids::{CheckoutId, OrgId, UserId},
};

#[derive(Clone, Debug)]
pub struct Checkout {
    pub id: CheckoutId,
    pub org_id: OrgId,
    pub user_id: UserId,
    pub gateway: Gateway,
    /// The id in callbacks (`gateway_form`).
    pub txnid: Option<String>,
    /// The gateway's id (`gateway_redirect`).
    pub session_ref: Option<String>,
    pub amount_minor: i64,
    pub email: String,
    pub return_path: String,
    pub created_at: OffsetDateTime,
    pub completed_at: Option<OffsetDateTime>,
}

/// Stores a checkout and the time of the first query. `false` if its `txnid` is taken.
pub async fn insert(
    conn: &mut PgConnection,
    checkout: &Checkout,
    settle_at: Option<OffsetDateTime>,
) -> db::Result<bool> {
    let inserted = sqlx::query!(
        "INSERT INTO checkouts (id, org_id, user_id, gateway, txnid, session_ref, amount_minor, email, return_path,
             created_at, settle_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
         ON CONFLICT ON CONSTRAINT checkouts_txnid_key DO NOTHING",
        checkout.id as CheckoutId,
        checkout.org_id as OrgId,
        checkout.user_id as UserId,
        checkout.gateway as Gateway,
        checkout.txnid,
        checkout.session_ref,
        checkout.amount_minor,
        checkout.email,
        checkout.return_path,
        checkout.created_at,
        settle_at,
    )
    .execute(conn)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

/// Checkouts that the organization has begun since `since`, counted up to `limit`.
pub async fn count_since(
    conn: &mut PgConnection,
    org_id: OrgId,
    since: OffsetDateTime,
    limit: i64,
) -> db::Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "count!"
           FROM (SELECT FROM checkouts WHERE org_id = $1 AND created_at > $2 LIMIT $3) AS recent"#,
        org_id as OrgId,
        since,
        limit,
    )
    .fetch_one(conn)
    .await?)
}

/// The checkout with a `txnid`. Not tenant-scoped: this is how the tenant is found.
pub async fn find_by_txnid(conn: &mut PgConnection, txnid: &str) -> db::Result<Option<Checkout>> {
    Ok(sqlx::query_as!(
        Checkout,
        "SELECT id, org_id, user_id, gateway, txnid, session_ref, amount_minor, email, return_path, created_at,
                completed_at
         FROM checkouts
         WHERE txnid = $1",
        txnid,
    )
    .fetch_optional(conn)
    .await?)
}

/// The organization that began the checkout of a session. Not tenant-scoped: this is how the tenant is found.
pub async fn find_org_by_session(
    conn: &mut PgConnection,
    session_ref: &str,
) -> db::Result<Option<OrgId>> {
    Ok(sqlx::query_scalar!(
        r#"SELECT org_id AS "org_id: OrgId" FROM checkouts WHERE session_ref = $1"#,
        session_ref,
    )
    .fetch_optional(conn)
    .await?)
}

/// Marks a checkout as paid. `false` if it already was.
pub async fn complete(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: CheckoutId,
    now: OffsetDateTime,
) -> db::Result<bool> {
    let completed = sqlx::query!(
        "UPDATE checkouts
         SET completed_at = $3, settle_at = NULL
         WHERE org_id = $1 AND id = $2 AND completed_at IS NULL",
        org_id as OrgId,
        id as CheckoutId,
        now,
    )
    .execute(conn)
    .await?;
    Ok(completed.rows_affected() == 1)
}

pub async fn complete_session(
    conn: &mut PgConnection,
    org_id: OrgId,
    session_ref: &str,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE checkouts
         SET completed_at = $3, settle_at = NULL
         WHERE org_id = $1 AND session_ref = $2 AND completed_at IS NULL",
        org_id as OrgId,
        session_ref,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A checkout to query at its gateway.
#[derive(Clone, Debug)]
pub struct Unsettled {
    pub id: CheckoutId,
    pub org_id: OrgId,
    pub gateway: Gateway,
    pub reference: String,
    pub created_at: OffsetDateTime,
    pub settle_attempts: i32,
}

/// Checkouts through `gateways` to settle at `now`, the longest waiting first. Not tenant-scoped: a job of the service.
pub async fn list_unsettled(
    conn: &mut PgConnection,
    gateways: &[Gateway],
    now: OffsetDateTime,
    limit: i64,
) -> db::Result<Vec<Unsettled>> {
    let gateways: Vec<_> = gateways.iter().map(|it| it.as_str().to_owned()).collect();
    Ok(sqlx::query_as!(
        Unsettled,
        r#"SELECT id, org_id, gateway, COALESCE(session_ref, txnid) AS "reference!", created_at, settle_attempts
           FROM checkouts
           WHERE settle_at <= $1 AND gateway = ANY($2)
           ORDER BY settle_at, id
           LIMIT $3"#,
        now,
        &gateways,
        limit,
    )
    .fetch_all(conn)
    .await?)
}

/// Checkouts of the organization through `gateway_redirect` that can still be paid.
pub async fn list_open(conn: &mut PgConnection, org_id: OrgId) -> db::Result<Vec<Unsettled>> {
    Ok(sqlx::query_as!(
        Unsettled,
        r#"SELECT id, org_id, gateway, session_ref AS "reference!", created_at, settle_attempts
           FROM checkouts
           WHERE org_id = $1 AND session_ref IS NOT NULL AND settle_at IS NOT NULL
           ORDER BY created_at, id"#,
        org_id as OrgId,
    )
    .fetch_all(conn)
    .await?)
}

/// Sets the time of the next query; `None` if none is needed.
pub async fn update_settle_at(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: CheckoutId,
    settle_at: Option<OffsetDateTime>,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE checkouts
         SET settle_at = $3, settle_attempts = settle_attempts + 1
         WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as CheckoutId,
        settle_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Deletes unpaid checkouts begun before `until`. Those that are still queried stay, if begun after `asked_until`.
pub async fn delete_unpaid(
    conn: &mut PgConnection,
    until: OffsetDateTime,
    asked_until: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM checkouts
         WHERE completed_at IS NULL AND created_at < $1 AND (settle_at IS NULL OR created_at < $2)",
        until,
        asked_until,
    )
    .execute(conn)
    .await?;
    Ok(())
}
