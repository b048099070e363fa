//! Proving the address of an account.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    http::{StatusCode, header::LOCATION},
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use serving::{clock::Clock, error::ApiError, params::Query};

use super::Message;
use crate::http::{AnyRole, BySession, Routes, endpoints, rates::SignIn};
use base::input::required;
use domain::{
    accounts::{Accounts, email::Email, verification::Sent},
    roles::keys::NoKey,
};

pub(super) fn router() -> Routes {
    endpoints![send, verify]
}

/// Mails a link that verifies the caller's address, unless it is verified.
#[utoipa::path(
    post,
    path = "/v1/auth/send-verification-email",
    operation_id = "sendVerificationEmail",
    tag = "accounts",
    responses(
        (status = 200, description = "the mail is on its way, or not needed", body = Message),
        (status = 429, description = "the last mail was sent just now"),
    )
)]
async fn send(
    State(accounts): State<Arc<Accounts>>,
    _client: SignIn,
    caller: BySession<AnyRole<NoKey>>,
) -> Result<Json<Message>, ApiError> {
    let now = caller.clock.now();
    let sent = accounts.send_verification(caller.user_id, now).await?;
    Ok(Json(Message {
        message: match sent {
            Sent::Mail => "verification email sent",
            Sent::Nothing => "email already verified",
        },
    }))
}

#[derive(Deserialize)]
struct Link {
    token: Option<String>,
    email: Option<String>,
}

/// Verifies the address by a mailed link, and redirects to the dashboard.
#[utoipa::path(
    get,
    path = "/v1/auth/verify-email",
    operation_id = "verifyEmail",
    tag = "accounts",
    security(()),
    params(
        ("token" = String, Query, description = "64 hex digits"),
        ("email" = String, Query, description = "the address that the link was sent to"),
    ),
    responses(
        (status = 302, description = "verified; redirects to the dashboard's login page"),
        (status = 400, description = "wrong or expired token, or the token of another address"),
    )
)]
async fn verify(
    State(accounts): State<Arc<Accounts>>,
    State(clock): State<Clock>,
    SignIn(client): SignIn,
    Query(link): Query<Link>,
) -> Result<Response, ApiError> {
    let token = required("token", link.token)?;
    let email = Email::parse(link.email.as_deref())?;
    let next = accounts
        .verify_email(&token, &email, client.0, clock.now())
        .await?;
    Ok((StatusCode::FOUND, [(LOCATION, next)]).into_response())
}
