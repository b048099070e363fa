//! The endpoints for discovery of supported features.

use axum::extract::State;
use serving::{error::ApiError, params::Path};
use utoipa_axum::router::OpenApiRouter;

use super::message::Scim;
use crate::{
    http::{access::ScimClient, endpoints},
    state::AppState,
};
use domain::scim::schemas::{self, USER};

pub(super) fn router() -> OpenApiRouter<AppState> {
    endpoints![
        service_provider_config,
        list_schemas,
        show_schema,
        list_resource_types,
        show_resource_type
    ]
}

/// Tells which parts of the protocol work.
#[utoipa::path(
    get,
    path = "/v1/scim/ServiceProviderConfig",
    operation_id = "getScimConfig",
    tag = "scim",
    responses((status = 200, description = "what works", body = Object, content_type = "application/scim+json"))
)]
async fn service_provider_config(State(state): State<AppState>, _: ScimClient) -> Scim {
    Scim(schemas::service_provider_config(&state.urls.api))
}

/// Lists the schemas of resources.
#[utoipa::path(
    get,
    path = "/v1/scim/Schemas",
    operation_id = "listScimSchemas",
    tag = "scim",
    responses((status = 200, description = "a list response", body = Object, content_type = "application/scim+json"))
)]
async fn list_schemas(State(state): State<AppState>, _: ScimClient) -> Scim {
    let all = vec![schemas::user_schema(&state.urls.api)];
    Scim(schemas::list(1, 1, all))
}

/// Shows a schema.
#[utoipa::path(
    get,
    path = "/v1/scim/Schemas/{id}",
    operation_id = "getScimSchema",
    tag = "scim",
    params(("id" = String, Path)),
    responses(
        (status = 200, description = "the schema", body = Object, content_type = "application/scim+json"),
        (status = 404, description = "unknown"),
    )
)]
async fn show_schema(
    State(state): State<AppState>,
    _: ScimClient,
    Path(id): Path<String>,
) -> Result<Scim, ApiError> {
    if id.eq_ignore_ascii_case(USER) {
        Ok(Scim(schemas::user_schema(&state.urls.api)))
    } else {
        Err(ApiError::not_found("schema not found"))
    }
}

/// Lists the types of resources.
#[utoipa::path(
    get,
    path = "/v1/scim/ResourceTypes",
    operation_id = "listScimResourceTypes",
    tag = "scim",
    responses((status = 200, description = "a list response", body = Object, content_type = "application/scim+json"))
)]
async fn list_resource_types(State(state): State<AppState>, _: ScimClient) -> Scim {
    let all = vec![schemas::user_type(&state.urls.api)];
    Scim(schemas::list(1, 1, all))
}

/// Shows a type of resources.
#[utoipa::path(
    get,
    path = "/v1/scim/ResourceTypes/{id}",
    operation_id = "getScimResourceType",
    tag = "scim",
    params(("id" = String, Path)),
    responses(
        (status = 200, description = "the type", body = Object, content_type = "application/scim+json"),
        (status = 404, description = "unknown"),
    )
)]
async fn show_resource_type(
    State(state): State<AppState>,
    _: ScimClient,
    Path(id): Path<String>,
) -> Result<Scim, ApiError> {
    if id == "User" {
        Ok(Scim(schemas::user_type(&state.urls.api)))
    } else {
        Err(ApiError::not_found("resource type not found"))
    }
}
