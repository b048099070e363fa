//! The endpoints of providers. Only owners write them: whoever sets one up may sign in as any member.

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use serving::{
    body::{Body, RawBody},
    error::ApiError,
    page::{Page, Paged},
    params::Path,
};

use crate::http::{BySession, Manager, Owner, Routes, SignInProviders, endpoints};
use base::ids::SignInProviderId;
use domain::{
    roles::keys::MembersManage,
    sign_in::{
        Providers, change,
        input::{NewSignInProvider, SignInProviderPatch},
        model::Provider,
        store,
    },
};

pub(super) fn router() -> Routes {
    endpoints![create, list, show, update, delete]
}

/// Sets up an OpenID Connect provider by which members sign in.
///
/// It vouches for addresses of the organization's proven domains alone.
#[utoipa::path(
    post,
    path = "/v1/organization/sign-in/providers",
    operation_id = "createSignInProvider",
    tag = "sign-in",
    request_body = NewSignInProvider,
    responses(
        (status = 201, description = "set up", body = Provider),
        (status = 400, description = "the organization has 10 already, or the issuer's address is refused"),
        (status = 409, description = "there is one with this issuer and client id"),
    )
)]
async fn create(
    State(providers): State<Arc<Providers>>,
    caller: BySession<Owner<MembersManage, SignInProviders>>,
    Body(body): Body<NewSignInProvider>,
) -> Result<(StatusCode, Json<Provider>), ApiError> {
    let wish = body.check(&providers)?;
    let admitted = providers.guard.admit("issuer", &wish.issuer, caller.org_id);
    admitted.await?;
    let provider = caller
        .write_org(async |org| providers.create(org, wish).await)
        .await?;
    Ok((StatusCode::CREATED, Json(provider)))
}

/// Lists the providers by which members sign in.
#[utoipa::path(
    get,
    path = "/v1/organization/sign-in/providers",
    operation_id = "listSignInProviders",
    tag = "sign-in",
    params(Page),
    responses((status = 200, description = "in creation order", body = Paged<Provider>))
)]
async fn list(
    caller: Manager<MembersManage>,
    page: Page,
) -> Result<Json<Paged<Provider>>, ApiError> {
    let mut conn = caller.db.acquire().await?;
    let providers = store::providers::page(&mut conn, caller.org_id, page).await?;
    Ok(Json(providers))
}

/// Shows a provider, without its secret.
#[utoipa::path(
    get,
    path = "/v1/organization/sign-in/providers/{providerID}",
    operation_id = "getSignInProvider",
    tag = "sign-in",
    params(("providerID" = SignInProviderId, Path)),
    responses(
        (status = 200, description = "the provider", body = Provider),
        (status = 404, description = "unknown"),
    )
)]
async fn show(
    caller: Manager<MembersManage>,
    Path(id): Path<SignInProviderId>,
) -> Result<Json<Provider>, ApiError> {
    Ok(Json(caller.sign_in_provider(id).await?))
}

/// Changes a provider.
///
/// With another issuer people are recognised anew by their addresses, and the sessions that it opened end.
#[utoipa::path(
    patch,
    path = "/v1/organization/sign-in/providers/{providerID}",
    operation_id = "updateSignInProvider",
    tag = "sign-in",
    params(("providerID" = SignInProviderId, Path)),
    request_body = SignInProviderPatch,
    responses(
        (status = 200, description = "changed", body = Provider),
        (status = 404, description = "unknown"),
        (status = 409, description = "there is another one with this issuer and client id"),
    )
)]
async fn update(
    State(providers): State<Arc<Providers>>,
    caller: BySession<Owner<MembersManage, SignInProviders>>,
    Path(id): Path<SignInProviderId>,
    body: RawBody,
) -> Result<Json<Provider>, ApiError> {
    caller.sign_in_provider(id).await?;
    let wish = body
        .parse::<SignInProviderPatch>()
        .await?
        .check(&providers)?;
    if let Some(issuer) = &wish.issuer {
        let admitted = providers.guard.admit("issuer", issuer, caller.org_id);
        admitted.await?;
    }
    let provider = caller
        .write_org(async |org| providers.update(org, id, wish).await)
        .await?;
    Ok(Json(provider))
}

/// Deletes a provider; the sessions that it opened end at once.
#[utoipa::path(
    delete,
    path = "/v1/organization/sign-in/providers/{providerID}",
    operation_id = "deleteSignInProvider",
    tag = "sign-in",
    params(("providerID" = SignInProviderId, Path)),
    responses(
        (status = 204, description = "deleted"),
        (status = 404, description = "unknown"),
        (status = 409, description = "it is the last one, and members must sign in by one"),
    )
)]
async fn delete(
    caller: BySession<Owner<MembersManage>>,
    Path(id): Path<SignInProviderId>,
) -> Result<StatusCode, ApiError> {
    caller.sign_in_provider(id).await?;
    caller
        .write_org(async |org| change::delete(org, id).await)
        .await?;
    Ok(StatusCode::NO_CONTENT)
}
