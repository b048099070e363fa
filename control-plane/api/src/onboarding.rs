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

/// Shows which first steps the organization has done. All but the tour are marked automatically.
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

/// Marks steps as done or not done. A step marked as not done is no longer marked automatically. An update without steps changes
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
