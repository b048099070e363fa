//! Signing in with e-mail and password.

use std::sync::Arc;

use axum::{Json, extract::State};
use serde::Deserialize;
use serving::{body::Body, clock::Clock, error::ApiError};
use utoipa::ToSchema;
use uuid::Uuid;

use super::SignedIn;
use crate::http::{FromDevice, Routes, endpoints, rates::SignIn};
use base::{
    ids::OrgId,
    input::{all_given, has_text, required},
};
use domain::accounts::{Accounts, Login, email::Email, password::to_compare};

pub(super) fn router() -> Routes {
    endpoints![login]
}

#[derive(Deserialize, ToSchema)]
struct LoginRequest {
    /// Required.
    #[schema(value_type = String)]
    email: Option<String>,
    /// Required.
    #[schema(value_type = String)]
    password: Option<String>,
    /// A code of the authenticator or a backup code; required where the user has a second factor.
    mfa_code: Option<String>,
    /// The organization to act for; the one last used when absent. `GET /v1/me` lists all of them.
    org_id: Option<String>,
}

/// Signs in with e-mail and password, and a code where the user has a second factor.
#[utoipa::path(
    post,
    path = "/v1/auth/login",
    operation_id = "logIn",
    tag = "accounts",
    security(()),
    request_body = LoginRequest,
    responses(
        (status = 200, description = "signed in", body = SignedIn),
        (status = 401, description = "unknown address, wrong password or wrong code"),
        (status = 403, description = "a code is required (`mfa_required`), or not a member of the organization asked for"),
        (status = 429, description = "too many failures of this address; also with the right password"),
    )
)]
async fn login(
    State(accounts): State<Arc<Accounts>>,
    State(clock): State<Clock>,
    _client: SignIn,
    FromDevice(device): FromDevice,
    Body(body): Body<LoginRequest>,
) -> Result<Json<SignedIn>, ApiError> {
    all_given([
        ("email", has_text(&body.email)),
        ("password", has_text(&body.password)),
    ])?;
    let email = Email::of_login(body.email.as_deref())?;
    let password = to_compare(required("password", body.password)?);
    let org_id = body
        .org_id
        .map(|id| required("org_id", Some(id)))
        .transpose()?;
    let login = Login {
        email,
        password,
        mfa_code: required("mfa_code", body.mfa_code).ok().map(to_compare),
        // Text that is not a UUID stands for an organization without members.
        org_id: org_id.map(|id| OrgId(Uuid::try_parse(&id).unwrap_or_default())),
    };
    let (user, tokens) = accounts.login(login, &device, clock.now()).await?;
    Ok(Json(SignedIn { user, tokens }))
}
