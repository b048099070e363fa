//! The endpoints of the organization itself.

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use serde::{Deserialize, Serialize};
use serving::{body::Body, error::ApiError};
use utoipa::ToSchema;

use crate::http::{BySession, Owner, Routes, endpoints, rates::SignIn};
use base::input::{all_given, has_text, proper_name, required};
use domain::{
    accounts::{Accounts, password::to_compare},
    billing::Billing,
    lifecycle::Lifecycle,
    orgs::{change, model::Organization},
    roles::keys::BillingManage,
};

pub fn router() -> Routes {
    endpoints![rename, delete]
}

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = OrganizationPatch)]
struct Renaming {
    /// Required.
    #[schema(value_type = String)]
    name: Option<String>,
}

/// Renames the organization. Its slug stays.
#[utoipa::path(
    patch,
    path = "/v1/organization",
    operation_id = "updateOrganization",
    tag = "me",
    request_body = Renaming,
    responses((status = 200, description = "renamed", body = Organization))
)]
async fn rename(
    caller: Owner<BillingManage>,
    Body(body): Body<Renaming>,
) -> Result<Json<Organization>, ApiError> {
    let name = proper_name("name", body.name)?;
    let renamed = caller
        .write_org(async |org| change::rename(org, name).await)
        .await?;
    Ok(Json(renamed))
}

#[derive(Deserialize, ToSchema)]
#[schema(as = OrganizationDeletion)]
struct RawDeletion {
    /// The name of the organization, as a confirmation. Required.
    #[schema(value_type = String)]
    name: Option<String>,
    /// The caller's own password. Required.
    #[schema(value_type = String)]
    password: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OrganizationDeleted)]
struct Deleted {
    /// When the rest is gone.
    message: &'static str,
}

/// Deletes the organization, which nothing undoes. All sessions in it end, API keys, SCIM tokens and webhooks stop, and imports are
/// given up. Everything in it is then removed in the background, with the accounts that belong to no other organization. Only
/// owners without a custom role may. Owners and admins get a mail that names the owner.
#[utoipa::path(
    delete,
    path = "/v1/organization",
    operation_id = "deleteOrganization",
    tag = "me",
    request_body = RawDeletion,
    responses(
        (status = 202, description = "deleted; the rest is removed in the background", body = Deleted),
        (status = 400, description = "another name"),
        (status = 401, description = "wrong password"),
        (status = 409, description = "a subscription is running or not known to have ended, or a checkout can still be paid"),
        (status = 429, description = "too many failures; also with the right password"),
        (status = 502, description = "the payment gateway did not say whether a checkout can still be paid"),
    )
)]
async fn delete(
    State(accounts): State<Arc<Accounts>>,
    State(billing): State<Arc<Billing>>,
    State(lifecycle): State<Lifecycle>,
    _client: SignIn,
    caller: BySession<Owner<BillingManage>>,
    Body(body): Body<RawDeletion>,
) -> Result<(StatusCode, Json<Deleted>), ApiError> {
    all_given([
        ("name", has_text(&body.name)),
        ("password", has_text(&body.password)),
    ])?;
    let name = required("name", body.name)?;
    let password = to_compare(required("password", body.password)?);
    lifecycle.check_deletion(&caller, &name).await?;
    let now = caller.clock.now();
    accounts.confirm_password(&caller, &password, now).await?;
    billing.end_for_deletion(caller.org_id).await?;
    lifecycle
        .delete_for(&caller, caller.family_id, &name)
        .await?;
    let deleted = Deleted {
        message: "the organization is deleted: API keys stop within seconds, and all its data is removed within minutes, \
                  of a large organization within hours",
    };
    Ok((StatusCode::ACCEPTED, Json(deleted)))
}
