//! The endpoint of the organization's own fields.

use axum::Json;
use serde::Deserialize;
use serving::{body::Body, error::ApiError};
use utoipa::ToSchema;

use crate::http::{Owner, Routes, endpoints};
use base::input::proper_name;
use domain::{
    orgs::{change, model::Organization},
    roles::keys::BillingManage,
};

pub fn router() -> Routes {
    endpoints![rename]
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
