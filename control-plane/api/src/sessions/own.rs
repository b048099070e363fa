//! The caller's own sessions.

use axum::{Json, extract::State, http::StatusCode};
use serving::{
    error::ApiError,
    page::{Page, Paged},
    params::Path,
};
use utoipa_axum::router::OpenApiRouter;

use crate::{
    http::{access::AnyRole, endpoints},
    state::AppState,
};
use base::ids::FamilyId;
use domain::{
    roles::keys::NoKey,
    sessions::{self, model::Session},
};

/// The endpoints that take a token.
pub fn router() -> OpenApiRouter<AppState> {
    endpoints![list, end]
}

/// Lists the caller's own sessions, in all organizations.
#[utoipa::path(
    get,
    path = "/v1/auth/sessions",
    operation_id = "listSessions",
    tag = "accounts",
    params(Page),
    responses((status = 200, description = "the one that was used last first", body = Paged<Session>))
)]
async fn list(
    State(state): State<AppState>,
    caller: AnyRole<NoKey>,
    page: Page,
) -> Result<Json<Paged<Session>>, ApiError> {
    let sessions = sessions::page(&state.db, &caller, page, state.clock.now());
    Ok(Json(sessions.await?))
}

/// Ends one of the caller's own sessions at once. It may be the one that the request is made in.
#[utoipa::path(
    delete,
    path = "/v1/auth/sessions/{sessionID}",
    operation_id = "endSession",
    tag = "accounts",
    params(("sessionID" = FamilyId, Path)),
    responses(
        (status = 204, description = "ended"),
        (status = 404, description = "unknown, or ended before"),
    )
)]
async fn end(
    State(state): State<AppState>,
    caller: AnyRole<NoKey>,
    Path(session_id): Path<FamilyId>,
) -> Result<StatusCode, ApiError> {
    let now = state.clock.now();
    state.accounts.end_session(&caller, session_id, now).await?;
    Ok(StatusCode::NO_CONTENT)
}
