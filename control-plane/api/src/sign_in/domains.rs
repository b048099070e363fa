//! The endpoints of domains.

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use serving::{
    body::Body,
    error::ApiError,
    page::{Page, Paged},
    params::Path,
};

use crate::http::{BySession, Manager, Owner, Routes, SignInProviders, endpoints};
use base::ids::SignInDomainId;
use domain::{
    roles::keys::MembersManage,
    sign_in::{Providers, domains, input::NewSignInDomain, model::Domain, store},
};

pub(super) fn router() -> Routes {
    endpoints![add, list, check, remove]
}

/// Adds a domain that a TXT record is to prove.
#[utoipa::path(
    post,
    path = "/v1/organization/sign-in/domains",
    operation_id = "addSignInDomain",
    tag = "sign-in",
    request_body = NewSignInDomain,
    responses(
        (status = 201, description = "added; the record is in the answer", body = Domain),
        (status = 400, description = "the organization has 50 already"),
        (status = 409, description = "the organization has it already"),
    )
)]
async fn add(
    caller: BySession<Owner<MembersManage, SignInProviders>>,
    Body(body): Body<NewSignInDomain>,
) -> Result<(StatusCode, Json<Domain>), ApiError> {
    let name = body.check()?;
    let domain = caller
        .write_org(async |org| domains::add(org, name).await)
        .await?;
    Ok((StatusCode::CREATED, Json(domain)))
}

/// Lists the domains of the organization.
#[utoipa::path(
    get,
    path = "/v1/organization/sign-in/domains",
    operation_id = "listSignInDomains",
    tag = "sign-in",
    params(Page),
    responses((status = 200, description = "in the order of their addition", body = Paged<Domain>))
)]
async fn list(caller: Manager<MembersManage>, page: Page) -> Result<Json<Paged<Domain>>, ApiError> {
    let mut conn = caller.db.acquire().await?;
    let domains = store::domains::page(&mut conn, caller.org_id, page).await?;
    Ok(Json(domains))
}

/// Looks the TXT record of a domain up, and marks the domain as proven if it is there.
#[utoipa::path(
    post,
    path = "/v1/organization/sign-in/domains/{domainID}/check",
    operation_id = "checkSignInDomain",
    tag = "sign-in",
    params(("domainID" = SignInDomainId, Path)),
    responses(
        (status = 200, description = "proven", body = Domain),
        (status = 404, description = "unknown"),
        (status = 409, description = "the record is not there, or the domain is proven for another organization"),
        (status = 502, description = "the name servers do not answer"),
    )
)]
async fn check(
    State(providers): State<Arc<Providers>>,
    caller: BySession<Owner<MembersManage, SignInProviders>>,
    Path(id): Path<SignInDomainId>,
) -> Result<Json<Domain>, ApiError> {
    let domain = caller.sign_in_domain(id).await?;
    // A domain that is proven stays so.
    if domain.proven_at.is_none() {
        providers.check_record(caller.org_id, &domain).await?;
    }
    let domain = caller
        .write_org(async |org| domains::prove(org, id).await)
        .await?;
    Ok(Json(domain))
}

/// Removes a domain: providers vouch no longer for its addresses. People whom they have signed in before stay recognised.
#[utoipa::path(
    delete,
    path = "/v1/organization/sign-in/domains/{domainID}",
    operation_id = "removeSignInDomain",
    tag = "sign-in",
    params(("domainID" = SignInDomainId, Path)),
    responses(
        (status = 204, description = "removed"),
        (status = 404, description = "unknown"),
    )
)]
async fn remove(
    caller: BySession<Owner<MembersManage>>,
    Path(id): Path<SignInDomainId>,
) -> Result<StatusCode, ApiError> {
    caller.sign_in_domain(id).await?;
    caller
        .write_org(async |org| domains::remove(org, id).await)
        .await?;
    Ok(StatusCode::NO_CONTENT)
}
