//! SQL of subscriptions.

use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::billing::{
    history::{Entitlement, State},
    model::{Gateway, Status, Subscription},
};
use base::{
    db,
    ids::{OrgId, SubscriptionId},
    jobs::sweep::BATCH,
};

struct Row {
    id: SubscriptionId,
    org_id: OrgId,
    gateway: Gateway,
    gateway_ref: Option<String>,
    customer_ref: Option<String>,
    status: Status,
    entitlement: Entitlement,
    current_period_start: Option<OffsetDateTime>,
    current_period_end: Option<OffsetDateTime>,
    cancel_at_period_end: bool,
    past_due_since: Option<OffsetDateTime>,
    started_at: OffsetDateTime,
}

impl From<Row> for Subscription {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            org_id: row.org_id,
            gateway: row.gateway,
            gateway_ref: row.gateway_ref,
            started_at: row.started_at,
            state: State {
                status: row.status,
                entitlement: row.entitlement,
                customer_ref: row.customer_ref,
                period_start: row.current_period_start,
                period_end: row.current_period_end,
                cancel_at_period_end: row.cancel_at_period_end,
                past_due_since: row.past_due_since,
            },
        }
    }
}

/// All subscriptions of the organization, the current one first: the latest that is not over, else the latest.
pub async fn list(conn: &mut PgConnection, org_id: OrgId) -> db::Result<Vec<Subscription>> {
    let rows = sqlx::query_as!(
        Row,
        "SELECT id, org_id, gateway, gateway_ref, customer_ref, status, entitlement, current_period_start,
                current_period_end, cancel_at_period_end, past_due_since, started_at
         FROM subscriptions
         WHERE org_id = $1
         ORDER BY status = 'canceled', started_at DESC, id DESC",
        org_id as OrgId,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(Into::into).collect())
}

pub async fn find_current(
    conn: &mut PgConnection,
    org_id: OrgId,
) -> db::Result<Option<Subscription>> {
    Ok(list(conn, org_id).await?.into_iter().next())
}

pub async fn find(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: SubscriptionId,
) -> db::Result<Option<Subscription>> {
    let row = sqlx::query_as!(
        Row,
        "SELECT id, org_id, gateway, gateway_ref, customer_ref, status, entitlement, current_period_start,
                current_period_end, cancel_at_period_end, past_due_since, started_at
         FROM subscriptions
         WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as SubscriptionId,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(Into::into))
}

/// The organization of the gateway's subscription. Not tenant-scoped: this is how the tenant is found.
pub async fn find_org_by_ref(
    conn: &mut PgConnection,
    gateway: Gateway,
    gateway_ref: &str,
) -> db::Result<Option<OrgId>> {
    Ok(sqlx::query_scalar!(
        "SELECT org_id FROM subscriptions WHERE gateway = $1 AND gateway_ref = $2",
        gateway as Gateway,
        gateway_ref,
    )
    .fetch_optional(conn)
    .await?)
}

/// Serializes the handling of events of one subscription of a gateway, until the end of the transaction: an event that one
/// handler could not assign is found by the other.
pub async fn lock_ref(conn: &mut PgConnection, gateway_ref: &str) -> db::Result<()> {
    sqlx::query!(
        "SELECT pg_advisory_xact_lock(hashtextextended('subscription ' || $1, 0))",
        gateway_ref
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn insert(
    conn: &mut PgConnection,
    subscription: &Subscription,
    now: OffsetDateTime,
) -> db::Result<()> {
    let Subscription { state, .. } = subscription;
    sqlx::query!(
        "INSERT INTO subscriptions (id, org_id, gateway, gateway_ref, customer_ref, status, entitlement,
             current_period_start, current_period_end, cancel_at_period_end, past_due_since, started_at, created_at,
             updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13)",
        subscription.id as SubscriptionId,
        subscription.org_id as OrgId,
        subscription.gateway as Gateway,
        subscription.gateway_ref,
        state.customer_ref,
        state.status as Status,
        state.entitlement as Entitlement,
        state.period_start,
        state.period_end,
        state.cancel_at_period_end,
        state.past_due_since,
        subscription.started_at,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Stores the computed state of an existing subscription.
pub async fn update(
    conn: &mut PgConnection,
    subscription: &Subscription,
    now: OffsetDateTime,
) -> db::Result<()> {
    let Subscription { state, .. } = subscription;
    sqlx::query!(
        "UPDATE subscriptions
         SET gateway_ref = $3,
             customer_ref = $4,
             status = $5,
             entitlement = $6,
             current_period_start = $7,
             current_period_end = $8,
             cancel_at_period_end = $9,
             past_due_since = $10,
             started_at = $11,
             updated_at = $12
         WHERE org_id = $1 AND id = $2",
        subscription.org_id as OrgId,
        subscription.id as SubscriptionId,
        subscription.gateway_ref,
        state.customer_ref,
        state.status as Status,
        state.entitlement as Entitlement,
        state.period_start,
        state.period_end,
        state.cancel_at_period_end,
        state.past_due_since,
        subscription.started_at,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Criteria for ending subscriptions by time alone.
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    pub now: OffsetDateTime,
    /// Subscriptions past due since then or longer end; `None` if none does.
    pub past_due_until: Option<OffsetDateTime>,
    /// Subscriptions that a gateway can be queried about end only after this many unanswered queries; `None` if no gateway can
    /// be queried.
    pub unanswered: Option<i32>,
}

/// Organizations with subscriptions that time alone ends, a batch beyond `after`, in id order. Not tenant-scoped: a job of the
/// service.
pub async fn list_due_orgs(
    conn: &mut PgConnection,
    ends: Ends,
    after: OrgId,
) -> db::Result<Vec<OrgId>> {
    Ok(sqlx::query_scalar!(
        r#"SELECT org_id AS "org_id!: OrgId"
           FROM (
               SELECT org_id
               FROM subscriptions
               WHERE status = 'active'
                   AND current_period_end <= $1
                   AND (gateway_ref IS NULL OR settle_attempts >= $3 OR $3 IS NULL AND cancel_at_period_end)
               UNION
               SELECT org_id
               FROM subscriptions
               WHERE status = 'past_due'
                   AND past_due_since <= $2
                   AND (gateway_ref IS NULL OR settle_attempts >= $3 OR $3 IS NULL)
           ) AS due
           WHERE org_id > $4
           ORDER BY org_id
           LIMIT $5"#,
        ends.now,
        ends.past_due_until,
        ends.unanswered,
        after as OrgId,
        BATCH,
    )
    .fetch_all(conn)
    .await?)
}
