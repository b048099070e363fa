//! SQL of domains.

use serving::page::{Page, Paged};
use sqlx::{Connection, PgConnection};
use time::OffsetDateTime;

use crate::sign_in::model::Domain;
use base::{
    db,
    ids::{OrgId, SignInDomainId},
    refusal::Refusal,
};

struct Row {
    id: SignInDomainId,
    domain: String,
    token: String,
    proven_at: Option<OffsetDateTime>,
    created_at: OffsetDateTime,
}

impl From<Row> for Domain {
    fn from(row: Row) -> Self {
        Self::new(
            row.id,
            row.domain,
            &row.token,
            row.proven_at,
            row.created_at,
        )
    }
}

pub(in crate::sign_in) async fn insert(
    conn: &mut PgConnection,
    org_id: OrgId,
    domain: &Domain,
    token: &str,
) -> Result<(), Refusal> {
    sqlx::query!(
        "INSERT INTO sign_in_domains (id, org_id, domain, token, created_at) VALUES ($1, $2, $3, $4, $5)",
        domain.id as SignInDomainId,
        org_id as OrgId,
        domain.domain,
        token,
        domain.created_at,
    )
    .execute(conn)
    .await
    .map_err(Refusal::violated(
        "sign_in_domains_org_id_domain_key",
        "the organization has this domain already",
    ))?;
    Ok(())
}

/// Marks a domain as proven by its record, which is looked for again at `due`; `false` if it is proven for another organization.
pub(in crate::sign_in) async fn update_proven(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: SignInDomainId,
    (now, due): (OffsetDateTime, OffsetDateTime),
) -> db::Result<bool> {
    // A concurrent proof is seen only by the constraint; a savepoint confines its violation.
    let mut attempt = conn.begin().await?;
    let updated = sqlx::query!(
        "UPDATE sign_in_domains
         SET proven_at = $3, record_due_at = $4, record_missing_since = NULL, record_misses = 0
         WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as SignInDomainId,
        now,
        due,
    )
    .execute(&mut *attempt)
    .await;
    match updated {
        Ok(_) => {
            attempt.commit().await?;
            Ok(true)
        }
        Err(sqlx::Error::Database(refusal))
            if refusal.constraint() == Some("sign_in_domains_domain_key") =>
        {
            attempt.rollback().await?;
            Ok(false)
        }
        Err(fault) => Err(fault.into()),
    }
}

pub async fn find(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: SignInDomainId,
) -> db::Result<Option<Domain>> {
    let row = sqlx::query_as!(
        Row,
        "SELECT id, domain, token, proven_at, created_at FROM sign_in_domains WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as SignInDomainId,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(Into::into))
}

pub(in crate::sign_in) async fn find_by_name(
    conn: &mut PgConnection,
    org_id: OrgId,
    domain: &str,
) -> db::Result<Option<Domain>> {
    let row = sqlx::query_as!(
        Row,
        "SELECT id, domain, token, proven_at, created_at FROM sign_in_domains WHERE org_id = $1 AND domain = $2",
        org_id as OrgId,
        domain,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(Into::into))
}

/// The organization that a domain is proven for, unless it is being deleted permanently. Not tenant-scoped: the tenant is found
/// here.
pub(in crate::sign_in) async fn find_org(
    conn: &mut PgConnection,
    domain: &str,
) -> db::Result<Option<OrgId>> {
    Ok(sqlx::query_scalar!(
        r#"SELECT sign_in_domains.org_id AS "org_id: OrgId"
         FROM sign_in_domains
         JOIN organizations ON organizations.id = sign_in_domains.org_id
         WHERE sign_in_domains.domain = $1
             AND sign_in_domains.proven_at IS NOT NULL
             AND organizations.purge_started_at IS NULL"#,
        domain,
    )
    .fetch_optional(conn)
    .await?)
}

/// The number of the organization's domains. Exact if the caller holds the organization's lock.
pub async fn count(conn: &mut PgConnection, org_id: OrgId) -> db::Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "count!" FROM sign_in_domains WHERE org_id = $1"#,
        org_id as OrgId,
    )
    .fetch_one(conn)
    .await?)
}

/// A page of the organization's domains, in the order of their addition.
pub async fn page(conn: &mut PgConnection, org_id: OrgId, page: Page) -> db::Result<Paged<Domain>> {
    let rows = sqlx::query_as!(
        Row,
        "SELECT id, domain, token, proven_at, created_at
         FROM sign_in_domains
         WHERE org_id = $1
         ORDER BY created_at, id
         LIMIT $2 OFFSET $3",
        org_id as OrgId,
        page.limit,
        page.offset,
    )
    .fetch_all(&mut *conn)
    .await?;
    let items = rows.into_iter().map(Into::into).collect();
    Ok(Paged::new(items, count(conn, org_id).await?, page))
}

/// Notes that an operator vouches for a domain: its record is not looked for again.
pub(in crate::sign_in) async fn update_vouched(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: SignInDomainId,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE sign_in_domains
         SET record_due_at = NULL, record_missing_since = NULL, record_misses = 0
         WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as SignInDomainId,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Domains whose records are to be looked for, those that wait longest first. Not tenant-scoped: the job serves all.
pub(in crate::sign_in) async fn list_due(
    conn: &mut PgConnection,
    now: OffsetDateTime,
    limit: i64,
) -> db::Result<Vec<(OrgId, Domain)>> {
    let rows = sqlx::query!(
        r#"SELECT org_id AS "org_id: OrgId", id AS "id: SignInDomainId", domain, token, proven_at, created_at
         FROM sign_in_domains
         WHERE record_due_at <= $1
         ORDER BY record_due_at
         LIMIT $2"#,
        now,
        limit,
    )
    .fetch_all(conn)
    .await?;
    let domains = rows.into_iter().map(|row| {
        let domain = Domain::new(
            row.id,
            row.domain,
            &row.token,
            row.proven_at,
            row.created_at,
        );
        (row.org_id, domain)
    });
    Ok(domains.collect())
}

/// Notes when a record is looked for again, and with `found` that it is there.
pub(in crate::sign_in) async fn update_due(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: SignInDomainId,
    due: OffsetDateTime,
    found: bool,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE sign_in_domains
         SET record_due_at = $3,
             record_missing_since = CASE WHEN $4 THEN NULL ELSE record_missing_since END,
             record_misses = CASE WHEN $4 THEN 0 ELSE record_misses END
         WHERE org_id = $1 AND id = $2 AND record_due_at IS NOT NULL",
        org_id as OrgId,
        id as SignInDomainId,
        due,
        found,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Notes that a record is missing: since when, and how often in a row. `None` if it is not looked for any more.
pub(in crate::sign_in) async fn update_missing(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: SignInDomainId,
    now: OffsetDateTime,
    due: OffsetDateTime,
) -> db::Result<Option<(OffsetDateTime, i16)>> {
    let noted = sqlx::query!(
        r#"UPDATE sign_in_domains
         SET record_due_at = $4,
             record_missing_since = COALESCE(record_missing_since, $3),
             record_misses = LEAST(record_misses + 1, 1000)
         WHERE org_id = $1 AND id = $2 AND record_due_at IS NOT NULL
         RETURNING record_missing_since AS "since!", record_misses AS misses"#,
        org_id as OrgId,
        id as SignInDomainId,
        now,
        due,
    )
    .fetch_optional(conn)
    .await?;
    Ok(noted.map(|noted| (noted.since, noted.misses)))
}

/// Marks a domain as proven no longer.
pub(in crate::sign_in) async fn update_unproven(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: SignInDomainId,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE sign_in_domains
         SET proven_at = NULL, record_due_at = NULL, record_missing_since = NULL, record_misses = 0
         WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as SignInDomainId,
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub(in crate::sign_in) async fn delete(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: SignInDomainId,
) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM sign_in_domains WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as SignInDomainId,
    )
    .execute(conn)
    .await?;
    Ok(())
}
