//! SQL of SCIM records, which are written under the organization's lock. [`list`] finds users, who may have none.

mod list;

pub use list::{find, find_first, list};

use sqlx::{PgConnection, types::Json};
use time::OffsetDateTime;

use super::model::{Attributes, Emails, PersonName, folded};
use base::{
    db,
    ids::{OrgId, UserId},
};

#[derive(Clone, Debug)]
pub struct Record {
    pub user_id: UserId,
    pub attributes: Attributes,
    /// Whether the account was created for it.
    pub made_here: bool,
    /// When it was deleted. Such a record no longer counts as a user.
    pub removed_at: Option<OffsetDateTime>,
    pub created_at: OffsetDateTime,
    pub updated_at: OffsetDateTime,
}

struct Row {
    user_id: UserId,
    user_name: String,
    external_id: Option<String>,
    formatted_name: Option<String>,
    given_name: Option<String>,
    family_name: Option<String>,
    emails: Json<Emails>,
    made_here: bool,
    removed_at: Option<OffsetDateTime>,
    created_at: OffsetDateTime,
    updated_at: OffsetDateTime,
}

impl From<Row> for Record {
    fn from(row: Row) -> Self {
        Self {
            user_id: row.user_id,
            attributes: Attributes {
                user_name: row.user_name,
                external_id: row.external_id,
                name: PersonName {
                    formatted: row.formatted_name,
                    given: row.given_name,
                    family: row.family_name,
                },
                emails: row.emails.0,
            },
            made_here: row.made_here,
            removed_at: row.removed_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

/// The record of a user, even if removed.
pub async fn find_record(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: UserId,
) -> db::Result<Option<Record>> {
    let row = sqlx::query_as!(
        Row,
        "SELECT user_id, user_name, external_id, formatted_name, given_name, family_name, emails, made_here, removed_at,
                created_at, updated_at
         FROM scim_users
         WHERE org_id = $1 AND user_id = $2",
        org_id as OrgId,
        id as UserId,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(Into::into))
}

/// The most recently removed record of this name.
pub async fn find_removed(
    conn: &mut PgConnection,
    org_id: OrgId,
    user_name: &str,
) -> db::Result<Option<Record>> {
    let row = sqlx::query_as!(
        Row,
        "SELECT user_id, user_name, external_id, formatted_name, given_name, family_name, emails, made_here, removed_at,
                created_at, updated_at
         FROM scim_users
         WHERE org_id = $1 AND folded_user_name = $2 AND removed_at IS NOT NULL
         ORDER BY removed_at DESC, user_id DESC
         LIMIT 1",
        org_id as OrgId,
        folded(user_name),
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(Into::into))
}

/// The number of the organization's records, removed ones included. Exact if the caller holds the organization's lock.
pub async fn count_records(conn: &mut PgConnection, org_id: OrgId) -> db::Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "count!" FROM scim_users WHERE org_id = $1"#,
        org_id as OrgId,
    )
    .fetch_one(conn)
    .await?)
}

pub async fn upsert(conn: &mut PgConnection, org_id: OrgId, record: &Record) -> db::Result<()> {
    let attributes = &record.attributes;
    sqlx::query!(
        "INSERT INTO scim_users
             (org_id, user_id, user_name, external_id, formatted_name, given_name, family_name, emails,
              folded_user_name, folded_external_id, folded_emails, made_here, removed_at, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
         ON CONFLICT ON CONSTRAINT scim_users_pkey DO UPDATE
         SET user_name = EXCLUDED.user_name,
             external_id = EXCLUDED.external_id,
             formatted_name = EXCLUDED.formatted_name,
             given_name = EXCLUDED.given_name,
             family_name = EXCLUDED.family_name,
             emails = EXCLUDED.emails,
             folded_user_name = EXCLUDED.folded_user_name,
             folded_external_id = EXCLUDED.folded_external_id,
             folded_emails = EXCLUDED.folded_emails,
             made_here = EXCLUDED.made_here,
             removed_at = EXCLUDED.removed_at,
             created_at = EXCLUDED.created_at,
             updated_at = EXCLUDED.updated_at",
        org_id as OrgId,
        record.user_id as UserId,
        attributes.user_name,
        attributes.external_id,
        attributes.name.formatted,
        attributes.name.given,
        attributes.name.family,
        Json(&attributes.emails) as _,
        folded(&attributes.user_name),
        attributes.external_id.as_deref().map(folded),
        &attributes.emails.folded(),
        record.made_here,
        record.removed_at,
        record.created_at,
        record.updated_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Whether another organization has a record of the user, even a removed one, which it may restore.
pub async fn is_known_elsewhere(
    conn: &mut PgConnection,
    user_id: UserId,
    org_id: OrgId,
) -> db::Result<bool> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM scim_users WHERE user_id = $1 AND org_id <> $2) AS "is_known!""#,
        user_id as UserId,
        org_id as OrgId,
    )
    .fetch_one(conn)
    .await?)
}

/// At most `limit` users whose accounts were created for the organization.
pub async fn list_made_here(
    conn: &mut PgConnection,
    org_id: OrgId,
    limit: i64,
) -> db::Result<Vec<UserId>> {
    Ok(sqlx::query_scalar!(
        "SELECT user_id FROM scim_users WHERE org_id = $1 AND made_here ORDER BY user_id LIMIT $2",
        org_id as OrgId,
        limit,
    )
    .fetch_all(conn)
    .await?)
}

pub async fn delete(conn: &mut PgConnection, org_id: OrgId, id: UserId) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM scim_users WHERE org_id = $1 AND user_id = $2",
        org_id as OrgId,
        id as UserId,
    )
    .execute(conn)
    .await?;
    Ok(())
}
