//! Registering in one step.

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use serde::Serialize;
use serving::{body::Body, clock::Clock, error::ApiError};
use utoipa::ToSchema;

use crate::http::{FromDevice, Routes, endpoints, rates::SignIn};
use domain::{
    accounts::{Accounts, RawRegistration, Registration, model::User, tokens::TokenPair},
    orgs::model::Organization,
};

pub(super) fn router() -> Routes {
    endpoints![register]
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RegisteredAccount)]
struct Welcome {
    user: User,
    organization: Organization,
    tokens: TokenPair,
}

/// Creates a user, an organization of theirs, and its default project with three environments.
///
/// Invited people begin at initiate-signup.
#[utoipa::path(
    post,
    path = "/v1/auth/register",
    operation_id = "registerAccount",
    tag = "accounts",
    security(()),
    request_body = RawRegistration,
    responses(
        (status = 201, description = "registered and signed in", body = Welcome),
        (status = 403, description = "sign-up is closed, or by invitation, on this installation"),
        (status = 409, description = "the address has an account"),
    )
)]
async fn register(
    State(accounts): State<Arc<Accounts>>,
    State(clock): State<Clock>,
    _client: SignIn,
    FromDevice(device): FromDevice,
    Body(body): Body<RawRegistration>,
) -> Result<(StatusCode, Json<Welcome>), ApiError> {
    accounts.allow_uninvited()?;
    let registration = Registration::check(body, accounts.settings())?;
    let made = accounts
        .register(registration, &device, clock.now())
        .await?;
    let welcome = Welcome {
        user: made.user,
        organization: made.organization,
        tokens: made.tokens,
    };
    Ok((StatusCode::CREATED, Json(welcome)))
}
