//! The endpoints of onboarding.

use axum::{Json, extract::State};
use serving::{body::Body, error::ApiError};
use utoipa_axum::router::OpenApiRouter;

use crate::{
    http::{access::AnyRole, endpoints},
    state::AppState,
};
use domain::{
    onboarding::{
        model::{Onboarding, OnboardingPatch},
        store,
    },
    roles::keys::NoKey,
};

pub fn router() -> OpenApiRouter<AppState> {
    endpoints![show, update]
}

/// Shows how far the organization got with its first steps. All but the tour tick themselves when they come true.
#[utoipa::path(
    get,
    path = "/v1/onboarding",
    operation_id = "getOnboarding",
    tag = "onboarding",
    responses((status = 200, description = "the steps", body = Onboarding))
)]
async fn show(
    State(state): State<AppState>,
    caller: AnyRole<NoKey>,
) -> Result<Json<Onboarding>, ApiError> {
    let mut conn = state.db.acquire().await?;
    Ok(Json(store::get(&mut conn, caller.org_id).await?))
}

/// Marks steps as done, or takes them back. What is taken back does not tick itself any more. An update that names none changes
/// nothing.
#[utoipa::path(
    patch,
    path = "/v1/onboarding",
    operation_id = "updateOnboarding",
    tag = "onboarding",
    request_body = OnboardingPatch,
    responses((status = 200, description = "the steps now", body = Onboarding))
)]
async fn update(
    State(state): State<AppState>,
    caller: AnyRole<NoKey>,
    Body(body): Body<OnboardingPatch>,
) -> Result<Json<Onboarding>, ApiError> {
    let steps = body.check()?;
    let now = state.clock.now();
    let onboarding = domain::onboarding::update(&state.db, caller.org_id, steps, now).await?;
    Ok(Json(onboarding))
}
