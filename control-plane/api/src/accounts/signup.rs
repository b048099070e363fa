//! Signing up in two steps, with a code sent by mail.

use std::sync::Arc;

use std::time::Duration;

use axum::{Json, extract::State, http::StatusCode};
use serde::{Deserialize, Serialize};
use serving::{body::Body, clock::Clock, error::ApiError};
use utoipa::ToSchema;

use crate::http::{FromDevice, Routes, endpoints, rates::SignIn};
use base::input::{all_given, has_text, required};
use domain::{
    accounts::{
        Accounts, RawRegistration, Registration, email::Email, model::User, password::to_compare,
        tokens::TokenPair,
    },
    orgs::model::Organization,
};

pub(super) fn router() -> Routes {
    endpoints![initiate, resend, complete]
}

#[derive(Debug, Serialize, ToSchema)]
struct CodeSent {
    message: &'static str,
    /// Seconds.
    expires_in: u64,
}

impl CodeSent {
    const fn new(ttl: Duration) -> Json<Self> {
        Json(Self {
            message: "verification code sent",
            expires_in: ttl.as_secs(),
        })
    }
}

/// Begins a sign-up: mails a code to the address. Repeated, it replaces the pending one.
///
/// An invited person leaves out `org_name` to join the organization that invited them last, without creating one.
#[utoipa::path(
    post,
    path = "/v1/auth/initiate-signup",
    operation_id = "startSignup",
    tag = "accounts",
    security(()),
    request_body = RawRegistration,
    responses(
        (status = 200, description = "the code is on its way", body = CodeSent),
        (status = 403, description = "sign-up is closed, or by invitation, on this installation"),
        (status = 409, description = "the address has an account"),
        (status = 429, description = "too many codes to this address within an hour"),
    )
)]
async fn initiate(
    State(accounts): State<Arc<Accounts>>,
    State(clock): State<Clock>,
    SignIn(client): SignIn,
    Body(body): Body<RawRegistration>,
) -> Result<Json<CodeSent>, ApiError> {
    accounts.allow_signups()?;
    let settings = accounts.settings();
    let registration = Registration::check(body, settings)?;
    let now = clock.now();
    accounts
        .initiate_signup(registration, client.0, now)
        .await?;
    Ok(CodeSent::new(settings.proofs.signup_ttl))
}

#[derive(Deserialize, ToSchema)]
struct ResendRequest {
    /// Required.
    #[schema(value_type = String)]
    email: Option<String>,
}

/// Mails another code for the pending sign-up of the address.
#[utoipa::path(
    post,
    path = "/v1/auth/resend-signup-otp",
    operation_id = "resendSignupCode",
    tag = "accounts",
    security(()),
    request_body = ResendRequest,
    responses(
        (status = 200, description = "the code is on its way", body = CodeSent),
        (status = 400, description = "no pending sign-up of the address"),
        (status = 403, description = "sign-up is closed on this installation"),
        (status = 429, description = "the last code was sent just now, or too many were within an hour"),
    )
)]
async fn resend(
    State(accounts): State<Arc<Accounts>>,
    State(clock): State<Clock>,
    _client: SignIn,
    Body(body): Body<ResendRequest>,
) -> Result<Json<CodeSent>, ApiError> {
    accounts.allow_signups()?;
    let email = Email::parse(body.email.as_deref())?;
    let now = clock.now();
    accounts.resend_signup_code(&email, now).await?;
    Ok(CodeSent::new(accounts.settings().proofs.signup_ttl))
}

#[derive(Deserialize, ToSchema)]
#[schema(as = SignupCompletion)]
struct CompleteRequest {
    /// Required.
    #[schema(value_type = String)]
    email: Option<String>,
    /// The six digits that were mailed. Required.
    #[schema(value_type = String)]
    otp: Option<String>,
    /// The password with which the sign-up began. If it is given and the pending sign-up began with another one, no account is created.
    password: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CompletedSignup)]
struct Completed {
    user: User,
    organization: Organization,
    tokens: TokenPair,
    onboarding_completed: bool,
}

/// Creates the account of the pending sign-up, and signs in.
///
/// The session acts for its new organization, or without one for the organization that invited the address last.
#[utoipa::path(
    post,
    path = "/v1/auth/complete-signup",
    operation_id = "completeSignup",
    tag = "accounts",
    security(()),
    request_body = CompleteRequest,
    responses(
        (status = 201, description = "signed up and signed in", body = Completed),
        (status = 400, description = "wrong or expired code, no pending sign-up, it began with another password, the address has an account by now, or its invitation is gone"),
        (status = 403, description = "sign-up is closed, or by invitation, on this installation"),
        (status = 429, description = "too many wrong codes"),
    )
)]
async fn complete(
    State(accounts): State<Arc<Accounts>>,
    State(clock): State<Clock>,
    _client: SignIn,
    FromDevice(device): FromDevice,
    Body(body): Body<CompleteRequest>,
) -> Result<(StatusCode, Json<Completed>), ApiError> {
    accounts.allow_signups()?;
    all_given([
        ("email", has_text(&body.email)),
        ("otp", has_text(&body.otp)),
    ])?;
    let email = Email::parse(body.email.as_deref())?;
    let otp = required("otp", body.otp)?;
    let password = body.password.map(to_compare);
    let founded = accounts
        .complete_signup(&email, otp.trim(), password, &device, clock.now())
        .await?;
    let completed = Completed {
        user: founded.user,
        organization: founded.organization,
        tokens: founded.tokens,
        onboarding_completed: false,
    };
    Ok((StatusCode::CREATED, Json(completed)))
}
