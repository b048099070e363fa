//! What only those may do who have signed in.

use std::ops::Deref;

use axum::{extract::FromRequestParts, http::request::Parts};
use serving::{document::refuses, error::ApiError};
use utoipa::openapi::path::Operation;

use super::{Access, declare::Argument};
use crate::state::AppState;
use base::{ids::FamilyId, refusal::Refusal};
use domain::members::caller::Credential;

const SIGN_IN: Refusal = Refusal::Forbidden("an access token may not do this: sign in");

/// A caller with a session. An access token may not do what would give it, or somebody else, more than it has.
pub struct BySession<A> {
    caller: A,
    pub family_id: FamilyId,
}

impl<A> Deref for BySession<A> {
    type Target = A;

    fn deref(&self) -> &A {
        &self.caller
    }
}

impl<A> FromRequestParts<AppState> for BySession<A>
where
    A: FromRequestParts<AppState, Rejection = ApiError> + Deref<Target = Access>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let caller = A::from_request_parts(parts, state).await?;
        match caller.credential {
            Credential::Session(family_id) => Ok(Self { caller, family_id }),
            Credential::AccessToken(_) => Err(SIGN_IN.into()),
        }
    }
}

impl<A: Argument> Argument for BySession<A> {
    fn describe(operation: &mut Operation) {
        A::describe(operation);
        let extensions = operation.extensions.get_or_insert_default();
        if let Some(access) = extensions.get_mut("x-access") {
            access["session"] = true.into();
        }
        refuses(
            operation,
            403,
            "an access token is used in place of a session",
        );
    }
}
