//! The endpoints of second factors.

use std::sync::Arc;

use axum::{Json, extract::State};
use serde::{Deserialize, Serialize};
use serving::{body::Body, error::ApiError};
use utoipa::ToSchema;

use crate::http::{AnyRole, BySession, Mfa as MfaPlan, Routes, endpoints, rates::SignIn};
use base::input::required;
use domain::{
    accounts::{Accounts, DisableMfa, password::to_compare, store::users},
    mfa::{Mfa, model::MfaStatus},
    roles::keys::NoKey,
};

pub fn router() -> Routes {
    endpoints![enable, verify, disable, status]
}

#[derive(Serialize, ToSchema)]
struct MfaEnrolment {
    /// Base32, shown once.
    secret: String,
    /// The same as `provisioning_uri`.
    qr_uri: String,
    /// The text of the QR code that authenticators read.
    provisioning_uri: String,
    /// Replace a lost authenticator; each works once. Shown once.
    backup_codes: Vec<String>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = MfaMessage)]
struct Message {
    message: &'static str,
}

/// Creates a secret for the caller's authenticator, and backup codes. They take effect once a code is verified.
#[utoipa::path(
    post,
    path = "/v1/auth/mfa/enable",
    operation_id = "enableMfa",
    tag = "mfa",
    responses(
        (status = 200, description = "the secret, to be verified", body = MfaEnrolment),
        (status = 402, description = "the plan has no second factor"),
        (status = 403, description = "the password was not set with a mailed code"),
        (status = 409, description = "already active"),
    )
)]
async fn enable(
    State(mfa): State<Arc<Mfa>>,
    _client: SignIn,
    caller: BySession<AnyRole<NoKey, MfaPlan>>,
) -> Result<Json<MfaEnrolment>, ApiError> {
    let account = users::get_email(&mut *caller.db.acquire().await?, caller.user_id).await?;
    let made = mfa.enable(&caller, &account, caller.clock.now()).await?;
    Ok(Json(MfaEnrolment {
        secret: made.secret,
        qr_uri: made.uri.clone(),
        provisioning_uri: made.uri,
        backup_codes: made.backup_codes,
    }))
}

#[derive(Deserialize, ToSchema)]
struct MfaCode {
    /// Six digits of the authenticator. Required.
    #[schema(value_type = String)]
    code: Option<String>,
}

/// Activates the enrolled authenticator, with one of its codes.
#[utoipa::path(
    post,
    path = "/v1/auth/mfa/verify",
    operation_id = "verifyMfa",
    tag = "mfa",
    request_body = MfaCode,
    responses(
        (status = 200, description = "active from now on", body = Message),
        (status = 402, description = "the plan has no second factor"),
        (status = 403, description = "the password was not set with a mailed code"),
        (status = 409, description = "already active"),
        (status = 422, description = "wrong or expired code"),
    )
)]
async fn verify(
    State(mfa): State<Arc<Mfa>>,
    _client: SignIn,
    caller: BySession<AnyRole<NoKey, MfaPlan>>,
    Body(body): Body<MfaCode>,
) -> Result<Json<Message>, ApiError> {
    let code = required("code", body.code)?;
    mfa.verify(&caller, code.trim(), caller.clock.now()).await?;
    Ok(Json(Message {
        message: "mfa enabled",
    }))
}

#[derive(Deserialize, ToSchema)]
struct MfaProof {
    /// The current password. Either this or `code` is required.
    password: Option<String>,
    /// A code of the authenticator or a backup code.
    code: Option<String>,
}

/// Switches the caller's second factor off, on any plan.
#[utoipa::path(
    post,
    path = "/v1/auth/mfa/disable",
    operation_id = "disableMfa",
    tag = "mfa",
    request_body = MfaProof,
    responses(
        (status = 200, description = "off from now on", body = Message),
        (status = 401, description = "wrong password"),
        (status = 422, description = "wrong or expired code"),
        (status = 429, description = "too many failures"),
    )
)]
async fn disable(
    State(accounts): State<Arc<Accounts>>,
    _client: SignIn,
    caller: BySession<AnyRole<NoKey>>,
    Body(body): Body<MfaProof>,
) -> Result<Json<Message>, ApiError> {
    let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let proof = DisableMfa {
        password: given(body.password).map(to_compare),
        code: given(body.code).map(to_compare),
    };
    let now = caller.clock.now();
    accounts.disable_mfa(&caller, proof, now).await?;
    Ok(Json(Message {
        message: "mfa disabled",
    }))
}

/// Whether the caller has a second factor.
#[utoipa::path(
    get,
    path = "/v1/auth/mfa/status",
    operation_id = "getMfaStatus",
    tag = "mfa",
    responses((status = 200, description = "the second factor", body = MfaStatus))
)]
async fn status(
    State(mfa): State<Arc<Mfa>>,
    _client: SignIn,
    caller: BySession<AnyRole<NoKey>>,
) -> Result<Json<MfaStatus>, ApiError> {
    let enrolled_at = mfa.enrolled_at(caller.user_id).await?;
    Ok(Json(MfaStatus::since(enrolled_at)))
}
