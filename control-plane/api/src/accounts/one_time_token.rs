//! Handing a session from one origin to another.

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use serde::{Deserialize, Serialize};
use serving::{body::Body, clock::Clock, error::ApiError};
use utoipa::ToSchema;

use super::SignedIn;
use crate::http::{AnyRole, BySession, FromDevice, Routes, endpoints, rates::SignIn};
use base::input::required;
use domain::{accounts::Accounts, roles::keys::NoKey};

pub(super) fn router() -> Routes {
    endpoints![issue, exchange]
}

#[derive(Serialize, ToSchema)]
struct OneTimeToken {
    /// 64 hex digits, shown this once.
    token: String,
    /// Seconds.
    expires_in: u64,
}

/// Creates a token that signs in once as the caller.
#[utoipa::path(
    post,
    path = "/v1/auth/one-time-token",
    operation_id = "createOneTimeToken",
    tag = "accounts",
    responses((status = 201, description = "the token", body = OneTimeToken))
)]
async fn issue(
    State(accounts): State<Arc<Accounts>>,
    _client: SignIn,
    caller: BySession<AnyRole<NoKey>>,
) -> Result<(StatusCode, Json<OneTimeToken>), ApiError> {
    let now = caller.clock.now();
    let token = accounts
        .issue_one_time_token(&caller, caller.family_id, now)
        .await?;
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
    State(accounts): State<Arc<Accounts>>,
    State(clock): State<Clock>,
    _client: SignIn,
    FromDevice(device): FromDevice,
    Body(body): Body<ExchangeRequest>,
) -> Result<Json<SignedIn>, ApiError> {
    let token = required("token", body.token)?;
    let (user, tokens) = accounts
        .exchange_one_time_token(&token, &device, clock.now())
        .await?;
    Ok(Json(SignedIn { user, tokens }))
}
