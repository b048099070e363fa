//! SQL that finds users: members, those with a record, or both. Like `members` it reads address and name of accounts, which
//! belong to `accounts`.
//!
//! A list first finds the ids of its page and then loads those users. Lookups by name or address use an index under any query
//! plan: a name must not cost a scan of all users.

use serving::page::Page;
use sqlx::{PgConnection, types::Json};

use crate::scim::{
    filter::Filter,
    model::{Attributes, Emails, PersonName, ScimUser},
};
use base::{
    db,
    ids::{OrgId, UserId},
};

/// A page of the matching users, in creation order, and their total.
pub async fn list(
    conn: &mut PgConnection,
    org_id: OrgId,
    filter: &Filter,
    page: Page,
) -> db::Result<(Vec<ScimUser>, i64)> {
    let found = if filter.names_somebody() {
        find_ids(conn, org_id, filter, page).await?
    } else {
        page_of_ids(conn, org_id, filter.active, page).await?
    };
    let total = found.first().map_or(0, |row| row.total);
    let ids: Vec<_> = found.into_iter().filter_map(|row| row.user_id).collect();
    Ok((load(conn, org_id, &ids).await?, total))
}

pub async fn find(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: UserId,
) -> db::Result<Option<ScimUser>> {
    Ok(load(conn, org_id, &[id]).await?.into_iter().next())
}

/// The oldest matching user.
pub async fn find_first(
    conn: &mut PgConnection,
    org_id: OrgId,
    filter: &Filter,
) -> db::Result<Option<ScimUser>> {
    let first = Page {
        limit: 1,
        offset: 0,
    };
    let (users, _) = list(conn, org_id, filter, first).await?;
    Ok(users.into_iter().next())
}

/// A user of the page, and the total. An empty page has one row with the total.
struct Found {
    total: i64,
    user_id: Option<UserId>,
}

/// Selective filters: the candidates of each condition are found by an index, and then checked against all conditions.
async fn find_ids(
    conn: &mut PgConnection,
    org_id: OrgId,
    filter: &Filter,
    page: Page,
) -> db::Result<Vec<Found>> {
    Ok(sqlx::query_as!(
        Found,
        r#"WITH candidates AS (
             SELECT $2::uuid AS user_id
             UNION
             SELECT user_id FROM scim_users WHERE org_id = $1 AND folded_user_name = $3 AND removed_at IS NULL
             UNION
             SELECT user_id FROM scim_users WHERE org_id = $1 AND folded_external_id = $4
             UNION
             SELECT user_id FROM scim_users WHERE org_id = $1 AND folded_emails @> ARRAY[$5::text]
             UNION
             SELECT id FROM users WHERE email IN ($3, $5)
         ),
         found AS (
             SELECT record.user_id, record.created_at
             FROM candidates
             JOIN scim_users AS record ON record.org_id = $1 AND record.user_id = candidates.user_id
             LEFT JOIN members ON members.org_id = $1 AND members.user_id = record.user_id
             WHERE record.removed_at IS NULL
                 AND ($2::uuid IS NULL OR record.user_id = $2)
                 AND ($3::text IS NULL OR record.folded_user_name = $3)
                 AND ($4::text IS NULL OR record.folded_external_id = $4)
                 AND record.folded_emails @> $6::text[]
                 AND ($7::boolean IS NULL OR (members.id IS NOT NULL AND NOT members.awaits_proof) = $7)
             UNION ALL
             SELECT members.user_id, members.created_at
             FROM candidates
             JOIN members ON members.org_id = $1 AND members.user_id = candidates.user_id AND NOT members.is_service
             JOIN users ON users.id = members.user_id
             WHERE NOT EXISTS (
                     SELECT FROM scim_users AS record
                     WHERE record.org_id = $1 AND record.user_id = members.user_id AND record.removed_at IS NULL
                 )
                 AND ($2::uuid IS NULL OR members.user_id = $2)
                 AND ($3::text IS NULL OR users.email = $3)
                 AND $4::text IS NULL
                 AND (cardinality($6::text[]) = 0 OR ARRAY[users.email] @> $6)
                 AND ($7::boolean IS NULL OR NOT members.awaits_proof = $7)
         )
         SELECT counted.total AS "total!", page.user_id AS "user_id?: UserId"
         FROM (SELECT COUNT(*) AS total FROM found) AS counted
         LEFT JOIN (SELECT * FROM found ORDER BY created_at, user_id LIMIT $8 OFFSET $9) AS page ON true"#,
        org_id as OrgId,
        filter.id as Option<UserId>,
        filter.user_name,
        filter.external_id,
        filter.emails.first().map(String::as_str),
        &filter.emails,
        filter.active,
        page.limit,
        page.offset,
    )
    .fetch_all(conn)
    .await?)
}

/// A page of all users, or of those with one active state.
async fn page_of_ids(
    conn: &mut PgConnection,
    org_id: OrgId,
    active: Option<bool>,
    page: Page,
) -> db::Result<Vec<Found>> {
    Ok(sqlx::query_as!(
        Found,
        r#"WITH found AS (
             SELECT record.user_id, record.created_at
             FROM scim_users AS record
             LEFT JOIN members ON members.org_id = $1 AND members.user_id = record.user_id
             WHERE record.org_id = $1
                 AND record.removed_at IS NULL
                 AND ($2::boolean IS NULL OR (members.id IS NOT NULL AND NOT members.awaits_proof) = $2)
             UNION ALL
             SELECT members.user_id, members.created_at
             FROM members
             WHERE members.org_id = $1
                 AND NOT members.is_service
                 AND NOT EXISTS (
                     SELECT FROM scim_users AS record
                     WHERE record.org_id = $1 AND record.user_id = members.user_id AND record.removed_at IS NULL
                 )
                 AND ($2::boolean IS NULL OR NOT members.awaits_proof = $2)
         )
         SELECT counted.total AS "total!", page.user_id AS "user_id?: UserId"
         FROM (SELECT COUNT(*) AS total FROM found) AS counted
         LEFT JOIN (SELECT * FROM found ORDER BY created_at, user_id LIMIT $3 OFFSET $4) AS page ON true"#,
        org_id as OrgId,
        active,
        page.limit,
        page.offset,
    )
    .fetch_all(conn)
    .await?)
}

/// Those of the accounts that are users of the organization, in creation order.
async fn load(conn: &mut PgConnection, org_id: OrgId, ids: &[UserId]) -> db::Result<Vec<ScimUser>> {
    let rows = sqlx::query!(
        r#"SELECT users.id AS "id!: UserId",
                COALESCE(record.user_name, users.email, users.id::text) AS "user_name!",
                record.external_id AS "external_id?",
                CASE WHEN record.user_id IS NULL THEN COALESCE(members.known_as, users.name) ELSE record.formatted_name END AS "formatted_name?",
                record.given_name AS "given_name?",
                record.family_name AS "family_name?",
                record.emails AS "emails?: Json<Emails>",
                users.email,
                members.id IS NOT NULL AS "is_member!",
                (members.id IS NOT NULL AND NOT members.awaits_proof) AS "active!",
                COALESCE(record.created_at, members.created_at) AS "created_at!",
                COALESCE(record.updated_at, members.created_at) AS "updated_at!"
         FROM users
         LEFT JOIN members ON members.org_id = $1 AND members.user_id = users.id AND NOT members.is_service
         LEFT JOIN scim_users AS record
             ON record.org_id = $1 AND record.user_id = users.id AND record.removed_at IS NULL
         WHERE users.id = ANY($2) AND (members.id IS NOT NULL OR record.user_id IS NOT NULL)
         ORDER BY COALESCE(record.created_at, members.created_at), users.id"#,
        org_id as OrgId,
        ids as &[UserId],
    )
    .fetch_all(conn)
    .await?;
    let users = rows.into_iter().map(|row| ScimUser {
        id: row.id,
        attributes: Attributes {
            user_name: row.user_name,
            external_id: row.external_id,
            name: PersonName {
                formatted: row.formatted_name,
                given: row.given_name,
                family: row.family_name,
            },
            emails: match row.emails {
                Some(Json(emails)) => emails,
                // Without a record the attributes are those of the account.
                None => row.email.map(Emails::primary).unwrap_or_default(),
            },
        },
        is_member: row.is_member,
        active: row.active,
        created_at: row.created_at,
        updated_at: row.updated_at,
    });
    Ok(users.collect())
}
