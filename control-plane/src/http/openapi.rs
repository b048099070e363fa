//! The API document: what all operations have in common, and where it is served.

use axum::{Json, Router, routing::get};
use serving::error::ErrorBody;
use utoipa::{
    Modify, OpenApi,
    openapi::{
        self,
        security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};

use crate::scim::routes::ScimErrorBody;

/// The name of the security scheme of identity providers.
pub(super) const SCIM_TOKEN: &str = "scim_token";

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Halyard",
        description = "Feature flags: management with a bearer token, evaluation with an API key.",
        license(name = "Apache-2.0")
    ),
    components(schemas(ErrorBody, ScimErrorBody)),
    modifiers(&Credentials)
)]
struct Base;

struct Credentials;

impl Modify for Credentials {
    fn modify(&self, document: &mut openapi::OpenApi) {
        let components = document.components.get_or_insert_default();
        let bearer = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .bearer_format("JWT")
            .build();
        components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
        let scim = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
        components.add_security_scheme(SCIM_TOKEN, SecurityScheme::Http(scim));
        let key = ApiKey::Header(ApiKeyValue::new("X-API-Key"));
        components.add_security_scheme("api_key", SecurityScheme::ApiKey(key));
    }
}

/// The document before routes are added.
pub fn base() -> openapi::OpenApi {
    Base::openapi()
}

/// Serves the document at `/openapi.json`.
pub fn router<S: Clone + Send + Sync + 'static>(document: openapi::OpenApi) -> Router<S> {
    Router::new().route("/openapi.json", get(move || async move { Json(document) }))
}
