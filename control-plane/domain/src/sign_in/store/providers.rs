//! SQL of providers.

use serving::page::{Page, Paged};
use sqlx::{PgConnection, types::Json};
use time::OffsetDateTime;

use crate::{
    members::model::Role,
    sign_in::model::{Provider, RoleMappings},
};
use base::{
    db,
    ids::{OrgId, SignInProviderId},
    input::Patch,
    refusal::Refusal,
};

const TAKEN: &str = "the organization has a provider with this issuer and client id";

struct Row {
    id: SignInProviderId,
    name: String,
    issuer: String,
    client_id: String,
    has_secret: bool,
    provisions: bool,
    default_role: Role,
    role_claim: Option<String>,
    role_mappings: Json<RoleMappings>,
    created_at: OffsetDateTime,
    updated_at: OffsetDateTime,
}

impl From<Row> for Provider {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            name: row.name,
            issuer: row.issuer,
            client_id: row.client_id,
            has_secret: row.has_secret,
            provisions_members: row.provisions,
            default_role: row.default_role,
            role_claim: row.role_claim,
            role_mappings: row.role_mappings.0,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

pub(in crate::sign_in) async fn insert(
    conn: &mut PgConnection,
    org_id: OrgId,
    provider: &Provider,
    sealed_secret: Option<Vec<u8>>,
) -> Result<(), Refusal> {
    sqlx::query!(
        "INSERT INTO sign_in_providers
             (id, org_id, name, issuer, client_id, sealed_secret, provisions, default_role, role_claim, role_mappings,
              created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        provider.id as SignInProviderId,
        org_id as OrgId,
        provider.name,
        provider.issuer,
        provider.client_id,
        sealed_secret,
        provider.provisions_members,
        provider.default_role as Role,
        provider.role_claim,
        Json(&provider.role_mappings) as _,
        provider.created_at,
        provider.updated_at,
    )
    .execute(conn)
    .await
    .map_err(Refusal::violated(
        "sign_in_providers_org_id_issuer_client_id_key",
        TAKEN,
    ))?;
    Ok(())
}

pub(in crate::sign_in) async fn update(
    conn: &mut PgConnection,
    org_id: OrgId,
    provider: &Provider,
    sealed_secret: Patch<Vec<u8>>,
) -> Result<(), Refusal> {
    let keeps_secret = sealed_secret.is_keep();
    let sealed_secret = match sealed_secret {
        Patch::Keep | Patch::Clear => None,
        Patch::Set(sealed) => Some(sealed),
    };
    sqlx::query!(
        "UPDATE sign_in_providers
         SET name = $3,
             issuer = $4,
             client_id = $5,
             sealed_secret = CASE WHEN $6 THEN sealed_secret ELSE $7 END,
             provisions = $8,
             default_role = $9,
             role_claim = $10,
             role_mappings = $11,
             updated_at = $12
         WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        provider.id as SignInProviderId,
        provider.name,
        provider.issuer,
        provider.client_id,
        keeps_secret,
        sealed_secret,
        provider.provisions_members,
        provider.default_role as Role,
        provider.role_claim,
        Json(&provider.role_mappings) as _,
        provider.updated_at,
    )
    .execute(conn)
    .await
    .map_err(Refusal::violated(
        "sign_in_providers_org_id_issuer_client_id_key",
        TAKEN,
    ))?;
    Ok(())
}

pub async fn find(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: SignInProviderId,
) -> db::Result<Option<Provider>> {
    let row = sqlx::query_as!(
        Row,
        r#"SELECT id, name, issuer, client_id, sealed_secret IS NOT NULL AS "has_secret!", provisions, default_role,
                role_claim, role_mappings, created_at, updated_at
         FROM sign_in_providers
         WHERE org_id = $1 AND id = $2"#,
        org_id as OrgId,
        id as SignInProviderId,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(Into::into))
}

/// A provider with its sealed secret.
pub(in crate::sign_in) async fn find_with_secret(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: SignInProviderId,
) -> db::Result<Option<(Provider, Option<Vec<u8>>)>> {
    let sealed = sqlx::query_scalar!(
        "SELECT sealed_secret FROM sign_in_providers WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as SignInProviderId,
    )
    .fetch_optional(&mut *conn)
    .await?;
    let provider = find(conn, org_id, id).await?;
    Ok(provider.map(|provider| (provider, sealed.flatten())))
}

/// All providers of an organization, in creation order: there are few.
pub(in crate::sign_in) async fn list(
    conn: &mut PgConnection,
    org_id: OrgId,
) -> db::Result<Vec<Provider>> {
    let rows = sqlx::query_as!(
        Row,
        r#"SELECT id, name, issuer, client_id, sealed_secret IS NOT NULL AS "has_secret!", provisions, default_role,
                role_claim, role_mappings, created_at, updated_at
         FROM sign_in_providers
         WHERE org_id = $1
         ORDER BY created_at, id"#,
        org_id as OrgId,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(Into::into).collect())
}

/// The number of the organization's providers. Exact if the caller holds the organization's lock.
pub async fn count(conn: &mut PgConnection, org_id: OrgId) -> db::Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "count!" FROM sign_in_providers WHERE org_id = $1"#,
        org_id as OrgId,
    )
    .fetch_one(conn)
    .await?)
}

/// A page of the organization's providers, in creation order.
pub async fn page(
    conn: &mut PgConnection,
    org_id: OrgId,
    page: Page,
) -> db::Result<Paged<Provider>> {
    let rows = sqlx::query_as!(
        Row,
        r#"SELECT id, name, issuer, client_id, sealed_secret IS NOT NULL AS "has_secret!", provisions, default_role,
                role_claim, role_mappings, created_at, updated_at
         FROM sign_in_providers
         WHERE org_id = $1
         ORDER BY created_at, id
         LIMIT $2 OFFSET $3"#,
        org_id as OrgId,
        page.limit,
        page.offset,
    )
    .fetch_all(&mut *conn)
    .await?;
    let items = rows.into_iter().map(Into::into).collect();
    Ok(Paged::new(items, count(conn, org_id).await?, page))
}

/// Deletes a provider, with its identities, its sign-ins under way, and the sessions that it opened.
pub(in crate::sign_in) async fn delete(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: SignInProviderId,
) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM sign_in_providers WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as SignInProviderId,
    )
    .execute(conn)
    .await?;
    Ok(())
}

base::sealed_column! {
    list: r#"SELECT id AS "id: uuid::Uuid", sealed_secret AS "sealed!"
         FROM sign_in_providers
         WHERE id > $1 AND sealed_secret IS NOT NULL
         ORDER BY id
         LIMIT $2
         FOR NO KEY UPDATE"#,
    update: "UPDATE sign_in_providers
         SET sealed_secret = anew.sealed
         FROM unnest($1::uuid[], $2::bytea[]) AS anew (id, sealed)
         WHERE sign_in_providers.id = anew.id",
}
