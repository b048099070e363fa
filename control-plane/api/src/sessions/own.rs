//! The caller's own sessions.

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use serving::{
    error::ApiError,
    page::{Page, Paged},
    params::Path,
};

use crate::http::{AnyRole, BySession, Routes, endpoints};
use base::ids::FamilyId;
use domain::{
    accounts::Accounts,
    roles::keys::NoKey,
    sessions::{self, model::Session},
};

/// The endpoints that take a token.
pub fn router() -> Routes {
    endpoints![list, end]
}

/// Lists the caller's own sessions, in all organizations.
#[utoipa::path(
    get,
    path = "/v1/auth/sessions",
    operation_id = "listSessions",
    tag = "accounts",
    params(Page),
    responses((status = 200, description = "the most recently used first", body = Paged<Session>))
)]
async fn list(
    caller: BySession<AnyRole<NoKey>>,
    page: Page,
) -> Result<Json<Paged<Session>>, ApiError> {
    let sessions = sessions::page(
        &caller.db,
        &caller,
        caller.family_id,
        page,
        caller.clock.now(),
    );
    Ok(Json(sessions.await?))
}

/// Ends one of the caller's own sessions at once. It may be the session of the request.
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
    State(accounts): State<Arc<Accounts>>,
    caller: BySession<AnyRole<NoKey>>,
    Path(session_id): Path<FamilyId>,
) -> Result<StatusCode, ApiError> {
    let now = caller.clock.now();
    accounts.end_session(&caller, session_id, now).await?;
    Ok(StatusCode::NO_CONTENT)
}
