//! SQL of the webhooks themselves.

use serving::page::{Page, Paged};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::webhooks::model::{Format, Webhook};
use base::{
    db,
    ids::{OrgId, WebhookId},
    input::Patch,
};

pub async fn find(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: WebhookId,
) -> db::Result<Option<Webhook>> {
    Ok(sqlx::query_as!(
        Webhook,
        r#"SELECT id, name, url, sealed_secret IS NOT NULL AS "has_secret!", events, format AS "format: Format", enabled, created_at, updated_at,
                revision AS version
         FROM webhooks
         WHERE org_id = $1 AND id = $2"#,
        org_id as OrgId,
        id as WebhookId,
    )
    .fetch_optional(conn)
    .await?)
}

/// A page of the webhooks, in creation order.
pub async fn page(
    conn: &mut PgConnection,
    org_id: OrgId,
    page: Page,
) -> db::Result<Paged<Webhook>> {
    let items = sqlx::query_as!(
        Webhook,
        r#"SELECT id, name, url, sealed_secret IS NOT NULL AS "has_secret!", events, format AS "format: Format", enabled, created_at, updated_at,
                revision AS version
         FROM webhooks
         WHERE org_id = $1
         ORDER BY created_at, id
         LIMIT $2 OFFSET $3"#,
        org_id as OrgId,
        page.limit,
        page.offset,
    )
    .fetch_all(&mut *conn)
    .await?;
    Ok(Paged::new(items, count(conn, org_id).await?, page))
}

/// The number of webhooks. Exact if the caller holds the organization's lock.
pub async fn count(conn: &mut PgConnection, org_id: OrgId) -> db::Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "count!" FROM webhooks WHERE org_id = $1"#,
        org_id as OrgId,
    )
    .fetch_one(conn)
    .await?)
}

/// Whether an owner who has joined has a proven address. One who was only invited proves nothing.
pub async fn has_proven_owner(conn: &mut PgConnection, org_id: OrgId) -> db::Result<bool> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (
               SELECT
               FROM members
               JOIN users ON users.id = members.user_id
               WHERE members.org_id = $1 AND members.role = 'owner' AND users.email_verified
                   AND NOT members.awaits_proof AND members.known_as IS NULL AND members.last_login_at IS NOT NULL
           ) AS "proven!""#,
        org_id as OrgId,
    )
    .fetch_one(conn)
    .await?)
}

/// Stores a new webhook and its lane. It receives events committed from now on.
pub async fn insert(
    conn: &mut PgConnection,
    org_id: OrgId,
    webhook: &Webhook,
    sealed_secret: Option<Vec<u8>>,
) -> db::Result<()> {
    let listens_after = lock_head(conn, org_id).await?;
    sqlx::query!(
        "INSERT INTO webhooks
             (id, org_id, name, url, sealed_secret, events, enabled, listens_after, created_at, updated_at, revision, format)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        webhook.id as WebhookId,
        org_id as OrgId,
        webhook.name,
        webhook.url,
        sealed_secret,
        &webhook.events,
        webhook.enabled,
        listens_after,
        webhook.created_at,
        webhook.updated_at,
        webhook.version,
        webhook.format as Format,
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "INSERT INTO webhook_lanes (webhook_id, org_id) VALUES ($1, $2)",
        webhook.id as WebhookId,
        org_id as OrgId,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Stores the changed fields. A re-enabled webhook receives events committed from now on.
pub async fn update(
    conn: &mut PgConnection,
    org_id: OrgId,
    webhook: &Webhook,
    secret: Patch<Vec<u8>>,
    was_enabled: bool,
) -> db::Result<()> {
    let listens_after = if webhook.enabled && !was_enabled {
        Some(lock_head(conn, org_id).await?)
    } else {
        None
    };
    let (keep, sealed_secret) = match secret {
        Patch::Keep => (true, None),
        Patch::Clear => (false, None),
        Patch::Set(sealed) => (false, Some(sealed)),
    };
    sqlx::query!(
        "UPDATE webhooks
         SET name = $3,
             url = $4,
             sealed_secret = CASE WHEN $5 THEN sealed_secret ELSE $6 END,
             events = $7,
             enabled = $8,
             listens_after = COALESCE($9, listens_after),
             updated_at = $10,
             revision = $11,
             format = $12
         WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        webhook.id as WebhookId,
        webhook.name,
        webhook.url,
        keep,
        sealed_secret,
        &webhook.events,
        webhook.enabled,
        listens_after,
        webhook.updated_at,
        webhook.version,
        webhook.format as Format,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Stops the deliveries of an organization that is being deleted.
pub async fn disable_all(conn: &mut PgConnection, org_id: OrgId) -> db::Result<()> {
    sqlx::query!(
        "UPDATE webhooks SET enabled = false WHERE org_id = $1 AND enabled",
        org_id as OrgId,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Deletes a webhook with its queue.
pub async fn delete(conn: &mut PgConnection, org_id: OrgId, id: WebhookId) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM webhooks WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as WebhookId,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Locks the organization's last event position until the end of the transaction.
async fn lock_head(conn: &mut PgConnection, org_id: OrgId) -> db::Result<i64> {
    Ok(sqlx::query_scalar!(
        "INSERT INTO webhook_heads (org_id, last_position)
         VALUES ($1, 0)
         ON CONFLICT ON CONSTRAINT webhook_heads_pkey DO UPDATE
         SET last_position = webhook_heads.last_position
         RETURNING last_position",
        org_id as OrgId,
    )
    .fetch_one(conn)
    .await?)
}

// Sealed secrets beyond `after`, locked. Not tenant-scoped: an operator replaces the sealing secret.
base::sealed_column! {
    list: r#"SELECT id AS "id: Uuid", sealed_secret AS "sealed!"
         FROM webhooks
         WHERE id > $1 AND sealed_secret IS NOT NULL
         ORDER BY id
         LIMIT $2
         FOR NO KEY UPDATE"#,
    update: "UPDATE webhooks
         SET sealed_secret = anew.sealed
         FROM unnest($1::uuid[], $2::bytea[]) AS anew (id, sealed)
         WHERE webhooks.id = anew.id",
}
