//! The endpoints of accounts, a file a way to sign in or to prove an address.

mod login;
mod register;
mod sessions;

use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;

use super::{model::User, tokens::TokenPair};
use crate::app::AppState;

/// All of them.
pub fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .merge(login::router())
        .merge(register::router())
        .merge(sessions::router())
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
