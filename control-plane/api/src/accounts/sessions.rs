//! Staying signed in, and signing out.

use std::sync::Arc;

use axum::{Json, extract::State};
use serde::Deserialize;
use serving::{body::Body, clock::Clock, error::ApiError};
use utoipa::ToSchema;

use super::Message;
use crate::http::{AnyRole, BySession, FromDevice, Routes, endpoints, rates::SignIn};
use base::input::required;
use domain::{
    accounts::{Accounts, tokens::TokenPair},
    roles::keys::NoKey,
};

pub(super) fn router() -> Routes {
    endpoints![refresh, logout]
}

#[derive(Deserialize, ToSchema)]
struct RefreshRequest {
    /// Required.
    #[schema(value_type = String)]
    refresh_token: Option<String>,
}

/// Exchanges a refresh token for the next pair of tokens.
#[utoipa::path(
    post,
    path = "/v1/auth/refresh",
    operation_id = "refreshTokens",
    tag = "accounts",
    security(()),
    request_body = RefreshRequest,
    responses(
        (status = 200, description = "the next pair; the old refresh token is replaced", body = TokenPair),
        (status = 401, description = "invalid, expired, revoked, or no refresh token"),
    )
)]
async fn refresh(
    State(accounts): State<Arc<Accounts>>,
    State(clock): State<Clock>,
    _client: SignIn,
    FromDevice(device): FromDevice,
    Body(body): Body<RefreshRequest>,
) -> Result<Json<TokenPair>, ApiError> {
    let token = required("refresh_token", body.refresh_token)?;
    let now = clock.now();
    Ok(Json(accounts.refresh(&token, &device, now).await?))
}

/// Ends the session of the presented token at once.
#[utoipa::path(
    post,
    path = "/v1/auth/logout",
    operation_id = "logOut",
    tag = "accounts",
    responses((status = 200, description = "signed out", body = Message))
)]
async fn logout(
    State(accounts): State<Arc<Accounts>>,
    caller: BySession<AnyRole<NoKey>>,
) -> Result<Json<Message>, ApiError> {
    accounts
        .logout(&caller, caller.family_id, caller.clock.now())
        .await?;
    Ok(Json(Message {
        message: "logged out",
    }))
}
