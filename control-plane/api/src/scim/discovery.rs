//! The endpoints for discovery of supported features.

use serving::{error::ApiError, params::Path};

use super::message::Scim;
use crate::http::{Routes, ScimClient, endpoints};
use domain::scim::schemas::{self, USER};

pub(super) fn router() -> Routes {
    endpoints![
        service_provider_config,
        list_schemas,
        show_schema,
        list_resource_types,
        show_resource_type
    ]
}

/// Shows the supported parts of the protocol.
#[utoipa::path(
    get,
    path = "/v1/scim/ServiceProviderConfig",
    operation_id = "getScimConfig",
    tag = "scim",
    responses((status = 200, description = "the supported parts", body = Object, content_type = "application/scim+json"))
)]
async fn service_provider_config(client: ScimClient) -> Scim {
    Scim(schemas::service_provider_config(&client.urls.api))
}

/// Lists the schemas of resources.
#[utoipa::path(
    get,
    path = "/v1/scim/Schemas",
    operation_id = "listScimSchemas",
    tag = "scim",
    responses((status = 200, description = "a list response", body = Object, content_type = "application/scim+json"))
)]
async fn list_schemas(client: ScimClient) -> Scim {
    let all = vec![schemas::user_schema(&client.urls.api)];
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
async fn show_schema(client: ScimClient, Path(id): Path<String>) -> Result<Scim, ApiError> {
    if id.eq_ignore_ascii_case(USER) {
        Ok(Scim(schemas::user_schema(&client.urls.api)))
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
async fn list_resource_types(client: ScimClient) -> Scim {
    let all = vec![schemas::user_type(&client.urls.api)];
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
async fn show_resource_type(client: ScimClient, Path(id): Path<String>) -> Result<Scim, ApiError> {
    if id == "User" {
        Ok(Scim(schemas::user_type(&client.urls.api)))
    } else {
        Err(ApiError::not_found("resource type not found"))
    }
}
