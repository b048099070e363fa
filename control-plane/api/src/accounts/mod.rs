//! The endpoints of accounts, one file for each way to sign in or to prove an address.

mod login;
mod one_time_token;
mod password;
mod provider;
mod register;
mod sessions;
mod signup;
mod verification;

use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;

use crate::http::Routes;
use domain::accounts::{model::User, tokens::TokenPair};

pub fn router() -> Routes {
    OpenApiRouter::new()
        .merge(signup::router())
        .merge(register::router())
        .merge(login::router())
        .merge(provider::router())
        .merge(sessions::router())
        .merge(verification::router())
        .merge(one_time_token::router())
        .merge(password::router())
}

#[derive(Debug, Serialize, ToSchema)]
struct SignedIn {
    user: User,
    tokens: TokenPair,
}

#[derive(Debug, Serialize, ToSchema)]
struct Message {
    message: &'static str,
}
