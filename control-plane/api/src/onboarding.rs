//! The endpoints of onboarding.

use axum::Json;
use serving::{body::Body, error::ApiError};

use crate::http::{AnyRole, Routes, endpoints};
use domain::{
    onboarding::{
        model::{Onboarding, OnboardingPatch},
        store,
    },
    roles::keys::NoKey,
};

pub fn router() -> Routes {
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
async fn show(caller: AnyRole<NoKey>) -> Result<Json<Onboarding>, ApiError> {
    let mut conn = caller.db.acquire().await?;
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
    caller: AnyRole<NoKey>,
    Body(body): Body<OnboardingPatch>,
) -> Result<Json<Onboarding>, ApiError> {
    let steps = body.check()?;
    let now = caller.clock.now();
    let onboarding = domain::onboarding::update(&caller.db, caller.org_id, steps, now).await?;
    Ok(Json(onboarding))
}
