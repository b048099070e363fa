//! Resetting a forgotten password, and replacing a known one.

use std::sync::Arc;

use axum::{Json, extract::State};
use serde::Deserialize;
use serving::{body::Body, clock::Clock, error::ApiError};
use utoipa::ToSchema;

use super::Message;
use crate::http::{AnyRole, BySession, Routes, endpoints, rates::SignIn};
use base::input::{all_given, has_text, required};
use domain::{
    accounts::{
        Accounts, PasswordChange,
        email::Email,
        password::{NewPassword, to_compare},
        password_reset::ResetRequest,
    },
    roles::keys::NoKey,
};

pub(super) fn router() -> Routes {
    endpoints![forgot, reset, change]
}

#[derive(Deserialize, ToSchema)]
struct ForgotRequest {
    /// Required.
    #[schema(value_type = String)]
    email: Option<String>,
}

/// Mails a code that resets the password of the address's account. The answer does not reveal whether there is one.
#[utoipa::path(
    post,
    path = "/v1/auth/forgot-password",
    operation_id = "requestPasswordReset",
    tag = "accounts",
    security(()),
    request_body = ForgotRequest,
    responses((status = 200, description = "a code is on its way if the address has an account", body = Message))
)]
async fn forgot(
    State(accounts): State<Arc<Accounts>>,
    State(clock): State<Clock>,
    SignIn(client): SignIn,
    Body(body): Body<ForgotRequest>,
) -> Result<Json<Message>, ApiError> {
    let email = Email::parse(body.email.as_deref())?;
    accounts
        .forgot_password(email, client.0, clock.now())
        .await?;
    Ok(Json(Message {
        message: "if the address has an account, a code was sent to it",
    }))
}

#[derive(Deserialize, ToSchema)]
#[schema(as = PasswordReset)]
struct RawReset {
    /// Required.
    #[schema(value_type = String)]
    email: Option<String>,
    /// The six digits that were mailed. Required.
    #[schema(value_type = String)]
    otp: Option<String>,
    /// Required.
    #[schema(value_type = String)]
    new_password: Option<String>,
}

/// Sets a new password, and ends every session of the account.
#[utoipa::path(
    post,
    path = "/v1/auth/reset-password",
    operation_id = "resetPassword",
    tag = "accounts",
    security(()),
    request_body = RawReset,
    responses(
        (status = 200, description = "the password is set", body = Message),
        (status = 400, description = "wrong or expired code, or a weak password"),
        (status = 429, description = "too many wrong codes"),
    )
)]
async fn reset(
    State(accounts): State<Arc<Accounts>>,
    State(clock): State<Clock>,
    SignIn(client): SignIn,
    Body(body): Body<RawReset>,
) -> Result<Json<Message>, ApiError> {
    all_given([
        ("email", has_text(&body.email)),
        ("otp", has_text(&body.otp)),
        ("new_password", has_text(&body.new_password)),
    ])?;
    let request = ResetRequest {
        email: Email::parse(body.email.as_deref())?,
        code: required("otp", body.otp)?.trim().to_owned(),
        password: NewPassword::parse("new_password", body.new_password)?,
    };
    let now = clock.now();
    accounts.reset_password(request, client.0, now).await?;
    Ok(Json(Message {
        message: "password reset",
    }))
}

#[derive(Deserialize, ToSchema)]
#[schema(as = PasswordChange)]
struct RawChange {
    /// Required.
    #[schema(value_type = String)]
    current_password: Option<String>,
    /// Required.
    #[schema(value_type = String)]
    new_password: Option<String>,
}

/// Replaces the caller's password, and ends all their other sessions.
#[utoipa::path(
    post,
    path = "/v1/auth/change-password",
    operation_id = "changePassword",
    tag = "accounts",
    request_body = RawChange,
    responses(
        (status = 200, description = "the password is set", body = Message),
        (status = 400, description = "a weak password"),
        (status = 401, description = "wrong current password"),
        (status = 429, description = "too many failures; also with the right password"),
    )
)]
async fn change(
    State(accounts): State<Arc<Accounts>>,
    _client: SignIn,
    caller: BySession<AnyRole<NoKey>>,
    Body(body): Body<RawChange>,
) -> Result<Json<Message>, ApiError> {
    all_given([
        ("current_password", has_text(&body.current_password)),
        ("new_password", has_text(&body.new_password)),
    ])?;
    let change = PasswordChange {
        current: to_compare(required("current_password", body.current_password)?),
        new: NewPassword::parse("new_password", body.new_password)?,
    };
    let now = caller.clock.now();
    accounts
        .change_password(&caller, caller.family_id, change, now)
        .await?;
    Ok(Json(Message {
        message: "password changed",
    }))
}
