//! The API document: parts common to all operations, completion, and serving.
//!
//! Each operation is described by its own text, and by its handler's signature ([`super::access::declare`]). Common parts are
//! added here: names, descriptions of parameters, examples.

mod examples;
mod parameters;
mod schemas;
mod viewer;

use std::sync::{Arc, LazyLock};

use axum::{
    Extension,
    body::Bytes,
    http::{
        HeaderValue,
        header::{ACCESS_CONTROL_ALLOW_ORIGIN, CONTENT_TYPE},
    },
    response::{IntoResponse, Response},
};
use serving::{admin, body::JSON, document, error::ErrorBody};
use utoipa::{
    Modify, OpenApi,
    openapi::{
        self,
        security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};

use super::{Routes, endpoints};
use crate::{scim::ScimErrorBody, sessions::COOKIE};
use base::warning::Warning;
use domain::dry_run::model::DryRun;

pub(super) const BEARER: &str = "bearer";
pub(super) const SCIM_TOKEN: &str = "scim_token";

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Halyard",
        description = include_str!("description.md"),
        license(name = "Apache-2.0", identifier = "Apache-2.0")
    ),
    servers((url = "/", description = "the service that this document comes from; edges answer the evaluation paths only")),
    components(schemas(ErrorBody, ScimErrorBody, DryRun, Warning)),
    tags(
        (name = "evaluation", description = "The endpoints of SDKs and applications, with an API key."),
        (name = "ofrep", description = "The same by the OpenFeature Remote Evaluation Protocol, with an API key."),
        (name = "accounts", description = "Signing up, signing in, sessions and passwords."),
        (name = "me", description = "The caller, and their permissions."),
        (name = "events", description = "A stream of the changes in the organization."),
        (name = "mfa", description = "The second factor of one's own account."),
        (name = "members", description = "The members of the organization, and their permissions."),
        (name = "roles", description = "Custom roles."),
        (name = "projects", description = "Projects."),
        (name = "environments", description = "The environments of a project."),
        (name = "flags", description = "Flags, their states in environments, and why a flag is served as it is."),
        (name = "segments", description = "Groups of users that rules refer to."),
        (name = "approvals", description = "Changes that another member must approve."),
        (name = "change sets", description = "Edits that are drafted, reviewed, applied and undone together."),
        (name = "api keys", description = "The keys that SDKs present."),
        (name = "rehearsals", description = "Rehearsals of an outage: edges fail the answers to one key on purpose."),
        (name = "what-if", description = "What a draft would change of the answers to the requests that edges get."),
        (name = "webhooks", description = "Events that are sent to other services, and their deliveries."),
        (name = "audit", description = "The log of changes and their actors."),
        (name = "metrics", description = "Evaluations and impressions."),
        (name = "edges", description = "The edges that serve the organization's environments."),
        (name = "onboarding", description = "The first steps of an organization."),
        (name = "billing", description = "Plans, payments, and callbacks of payment gateways."),
        (name = "sales", description = "Inquiries."),
        (name = "migration", description = "Importing from other platforms."),
        (name = "sign-in", description = "Sign-in by OpenID Connect providers of the organization's own."),
        (name = "scim", description = "Provisioning of users by identity providers."),
        (name = "service", description = "The service itself: probes, and this document."),
    ),
    modifiers(&Credentials)
)]
struct Base;

struct Credentials;

impl Modify for Credentials {
    fn modify(&self, document: &mut openapi::OpenApi) {
        let components = document.components.get_or_insert_default();
        let mut add = |name, scheme| components.add_security_scheme(name, scheme);
        let bearer = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some(
                "The access token of a login (a JWT), or one that was made for a program (`POST /v1/me/tokens`).",
            ))
            .build();
        add(BEARER, SecurityScheme::Http(bearer));
        let cookie = ApiKeyValue::with_description(
            COOKIE,
            "The cookie of a page of this service. No other endpoint reads it.",
        );
        add(
            "session_cookie",
            SecurityScheme::ApiKey(ApiKey::Cookie(cookie)),
        );
        let scim = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some("A SCIM token of the organization."))
            .build();
        add(SCIM_TOKEN, SecurityScheme::Http(scim));
        let key = ApiKeyValue::with_description("X-API-Key", "An API key of an environment.");
        add("api_key", SecurityScheme::ApiKey(ApiKey::Header(key)));
        let key = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some("An API key of an environment, as a bearer token."))
            .build();
        add("api_key_as_bearer", SecurityScheme::Http(key));
        let credential = ApiKeyValue::with_description(
            "credential",
            "The credential in the address of an event stream, as `eventStreams` gives it.",
        );
        add(
            "stream_credential",
            SecurityScheme::ApiKey(ApiKey::Query(credential)),
        );
    }
}

/// The document before routes are added.
pub fn base() -> openapi::OpenApi {
    Base::openapi()
}

/// The document of the whole service: routes of the control plane, and endpoints of edges.
pub fn complete(mut document: openapi::OpenApi, evaluation: openapi::OpenApi) -> openapi::OpenApi {
    document.merge(evaluation);
    document.merge(admin::document());
    let components = document.components.get_or_insert_default();
    components.headers.extend(document::headers());
    schemas::tidy(&mut document);
    parameters::describe(&mut document);
    examples::add(&mut document);
    document
}

/// The served document: made at the first request, and kept.
#[derive(Clone, Debug)]
pub struct Served(Arc<LazyLock<Bytes, Making>>);

type Making = Box<dyn FnOnce() -> Bytes + Send>;

impl Served {
    /// Made by `document` at the first request.
    pub fn new(document: impl FnOnce() -> openapi::OpenApi + Send + 'static) -> Self {
        let making = move || {
            let json = document().to_json().expect("the document has text keys");
            Bytes::from(json)
        };
        Self(Arc::new(LazyLock::new(Box::new(making))))
    }
}

/// The document, and a page to read it. Needs [`Served`] as an extension.
pub fn router() -> Routes {
    endpoints![show].merge(viewer::router())
}

/// Shows this document.
#[utoipa::path(
    get,
    path = "/openapi.json",
    operation_id = "getApiDocument",
    tag = "service",
    security(()),
    responses((status = 200, description = "the document, as OpenAPI 3.1", body = Object))
)]
async fn show(Extension(Served(document)): Extension<Served>) -> Response {
    let media_type = HeaderValue::from_static(JSON);
    let json = Bytes::clone(&document);
    // It is public, and the page that shows it is of no origin.
    let any = HeaderValue::from_static("*");
    let headers = [
        (CONTENT_TYPE, media_type),
        (ACCESS_CONTROL_ALLOW_ORIGIN, any),
    ];
    (headers, json).into_response()
}
