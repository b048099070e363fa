//! The endpoints of the rules by which members sign in.

use std::sync::Arc;

use axum::{Json, extract::State};
use serde::Serialize;
use serving::{body::Body, error::ApiError};
use utoipa::ToSchema;

use crate::http::{BySession, Manager, Owner, Routes, SignInProviders, endpoints};
use base::config::UrlSettings;
use domain::{
    roles::keys::MembersManage,
    sign_in::{change, input::SignInRulesPatch, model::Rules, redirect_url, store::is_required},
};

pub(super) fn router() -> Routes {
    endpoints![show, update]
}

/// How members sign in, and what providers must know of this service.
#[derive(Serialize, ToSchema)]
struct SignInSettings {
    /// Whether members other than owners sign in by a provider alone.
    only_by_provider: bool,
    /// The address that providers send people back to. Enter it there.
    redirect_url: String,
}

/// Shows how members of the organization sign in.
#[utoipa::path(
    get,
    path = "/v1/organization/sign-in",
    operation_id = "getSignInSettings",
    tag = "sign-in",
    responses((status = 200, description = "the rules", body = SignInSettings))
)]
async fn show(
    State(urls): State<Arc<UrlSettings>>,
    caller: Manager<MembersManage>,
) -> Result<Json<SignInSettings>, ApiError> {
    let mut conn = caller.db.acquire().await?;
    Ok(Json(SignInSettings {
        only_by_provider: is_required(&mut conn, caller.org_id).await?,
        redirect_url: redirect_url(&urls),
    }))
}

/// Requires a provider for signing in, or allows passwords again.
///
/// Once required, sessions of members that a password opened end at once. Owners keep their passwords. Access tokens go on.
#[utoipa::path(
    patch,
    path = "/v1/organization/sign-in",
    operation_id = "updateSignInRules",
    tag = "sign-in",
    request_body = SignInRulesPatch,
    responses(
        (status = 200, description = "changed", body = Rules),
        (status = 409, description = "nobody has signed in by a provider yet"),
    )
)]
async fn update(
    caller: BySession<Owner<MembersManage, SignInProviders>>,
    Body(body): Body<SignInRulesPatch>,
) -> Result<Json<Rules>, ApiError> {
    let is_required = body.check()?;
    let rules = caller
        .write_org(async |org| change::require(org, is_required).await)
        .await?;
    Ok(Json(rules))
}
