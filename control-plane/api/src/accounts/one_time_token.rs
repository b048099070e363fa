//! Handing a session from one origin to another.

use axum::{Json, extract::State, http::StatusCode};
use serde::{Deserialize, Serialize};
use serving::{body::Body, error::ApiError};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;

use super::SignedIn;
use crate::{
    http::device::FromDevice,
    http::{access::AnyRole, endpoints, rates::SignIn},
    state::AppState,
};
use base::input::required;
use domain::roles::keys::NoKey;

pub(super) fn router() -> OpenApiRouter<AppState> {
    endpoints![issue, exchange]
}

#[derive(Serialize, ToSchema)]
struct OneTimeToken {
    /// 64 hex digits, shown this once.
    token: String,
    /// Seconds.
    expires_in: u64,
}

/// Makes a token that signs in once as the caller.
#[utoipa::path(
    post,
    path = "/v1/auth/one-time-token",
    operation_id = "createOneTimeToken",
    tag = "accounts",
    responses((status = 201, description = "the token", body = OneTimeToken))
)]
async fn issue(
    State(state): State<AppState>,
    _client: SignIn,
    caller: AnyRole<NoKey>,
) -> Result<(StatusCode, Json<OneTimeToken>), ApiError> {
    let accounts = &state.accounts;
    let now = state.clock.now();
    let token = accounts.issue_one_time_token(&caller, now).await?;
    let issued = OneTimeToken {
        token,
        expires_in: accounts.settings().proofs.one_time_token_ttl.as_secs(),
    };
    Ok((StatusCode::CREATED, Json(issued)))
}

#[derive(Deserialize, ToSchema)]
struct ExchangeRequest {
    /// Required.
    #[schema(value_type = String)]
    token: Option<String>,
}

/// Signs in with a one-time token.
#[utoipa::path(
    post,
    path = "/v1/auth/token-exchange",
    operation_id = "exchangeOneTimeToken",
    tag = "accounts",
    security(()),
    request_body = ExchangeRequest,
    responses(
        (status = 200, description = "signed in", body = SignedIn),
        (status = 401, description = "unknown, used or expired token, or no longer a member"),
    )
)]
async fn exchange(
    State(state): State<AppState>,
    _client: SignIn,
    FromDevice(device): FromDevice,
    Body(body): Body<ExchangeRequest>,
) -> Result<Json<SignedIn>, ApiError> {
    let token = required("token", body.token)?;
    let (user, tokens) = state
        .accounts
        .exchange_one_time_token(&token, &device, state.clock.now())
        .await?;
    Ok(Json(SignedIn { user, tokens }))
}
