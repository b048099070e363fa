//! The endpoints of the caller.

use std::sync::Arc;

use axum::{Json, extract::State};
use serde::Deserialize;
use serving::{body::Body, error::ApiError};
use utoipa::ToSchema;

use crate::http::{AnyRole, BySession, Routes, endpoints};
use base::{config::UrlSettings, input::proper_name};
use domain::{
    accounts::{Accounts, model::User},
    me::model::Me,
    roles::keys::NoKey,
};

pub fn router() -> Routes {
    endpoints![show, rename]
}

/// Shows who the caller is, and what they may do in the organization that the token acts for.
///
/// It lists all organizations that a login may name by `org_id`.
#[utoipa::path(
    get,
    path = "/v1/me",
    operation_id = "getMe",
    tag = "me",
    responses((status = 200, description = "the caller", body = Me))
)]
async fn show(
    State(urls): State<Arc<UrlSettings>>,
    caller: AnyRole<NoKey>,
) -> Result<Json<Me>, ApiError> {
    let me = domain::me::read(&caller.db, &caller, &urls, caller.clock.now()).await?;
    Ok(Json(me))
}

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = MePatch)]
struct Renaming {
    /// Required.
    #[schema(value_type = String)]
    name: Option<String>,
}

/// Changes the caller's own name, in all their organizations.
#[utoipa::path(
    patch,
    path = "/v1/me",
    operation_id = "updateMe",
    tag = "me",
    request_body = Renaming,
    responses((status = 200, description = "the account", body = User))
)]
async fn rename(
    State(accounts): State<Arc<Accounts>>,
    caller: BySession<AnyRole<NoKey>>,
    Body(body): Body<Renaming>,
) -> Result<Json<User>, ApiError> {
    let name = proper_name("name", body.name)?;
    let now = caller.clock.now();
    Ok(Json(accounts.rename(&caller, name, now).await?))
}
