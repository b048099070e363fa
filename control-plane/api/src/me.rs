//! The endpoint that shows the caller.

use axum::{Json, extract::State};
use serving::error::ApiError;
use utoipa_axum::router::OpenApiRouter;

use crate::{
    http::{access::AnyRole, endpoints},
    state::AppState,
};
use domain::{me::model::Me, roles::keys::NoKey};

pub fn router() -> OpenApiRouter<AppState> {
    endpoints![show]
}

/// Shows who the caller is, and what they may do in the organization that the token acts for.
///
/// It lists all organizations that a login may name by `org_id`.
#[utoipa::path(
    get,
    path = "/v1/me",
    operation_id = "getMe",
    tag = "me",
    responses((status = 200, description = "the caller", body = Me))
)]
async fn show(State(state): State<AppState>, caller: AnyRole<NoKey>) -> Result<Json<Me>, ApiError> {
    let me = domain::me::read(&state.db, &caller, state.clock.now()).await?;
    Ok(Json(me))
}
