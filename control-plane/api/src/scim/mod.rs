//! The endpoints of SCIM. Identity providers call them with a SCIM token.

mod discovery;
mod document;
mod errors;
mod message;
mod query;
pub mod tokens;
mod users;

use axum::routing::{any, post};
use serving::error::ApiError;
use utoipa_axum::router::OpenApiRouter;

use self::errors::ScimError;
pub use self::{
    errors::{ScimErrorBody, in_scim_form},
    message::{MEDIA_TYPE, ScimBody},
};
use crate::http::{Routes, ScimClient};

pub fn router() -> Routes {
    OpenApiRouter::new()
        .merge(users::router())
        .merge(discovery::router())
        // Not in the API document: they only answer, in the form of SCIM, that they are not supported.
        .route("/v1/scim/.search", post(search))
        .route("/v1/scim/Users/.search", post(search))
        .route("/v1/scim/{*rest}", any(nothing))
}

async fn search(_: ScimClient) -> ApiError {
    ApiError::not_implemented("searching by POST is not supported")
}

async fn nothing() -> ApiError {
    ApiError::not_found("not found")
}
