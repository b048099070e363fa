//! The endpoint that shows the caller.

use axum::Json;
use serving::error::ApiError;

use crate::http::{AnyRole, Routes, endpoints};
use domain::{me::model::Me, roles::keys::NoKey};

pub fn router() -> Routes {
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
async fn show(caller: AnyRole<NoKey>) -> Result<Json<Me>, ApiError> {
    let me = domain::me::read(&caller.db, &caller, caller.clock.now()).await?;
    Ok(Json(me))
}
