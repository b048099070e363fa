//! Bodies of SCIM: `application/scim+json`, which clients also call `application/json`.

use axum::{
    extract::{FromRequest, Request},
    http::{
        HeaderValue,
        header::{CONTENT_TYPE, LOCATION},
    },
    response::{IntoResponse, Response},
};
use serde_json::Value;
use serving::{
    body::{JSON, RawBody},
    document,
    error::ApiError,
};
use utoipa::openapi::path::Operation;

use crate::http::{
    ScimClient,
    access::answer::{Answer, successes_carry},
};
use domain::scim::{
    fields::Fields, model::ScimUser, projection::Projection, resource::UserResource,
};

/// The media type of all answers.
pub const MEDIA_TYPE: &str = "application/scim+json";

/// A body that was read but not parsed, because the path is looked up first.
#[derive(Debug)]
pub struct ScimBody(RawBody);

impl<S: Send + Sync> FromRequest<S> for ScimBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        RawBody::read(request, &[MEDIA_TYPE, JSON]).await.map(Self)
    }
}

impl ScimBody {
    pub(super) async fn fields(&self) -> Result<Fields, ApiError> {
        self.0.parse().await
    }
}

#[derive(Debug)]
pub(super) struct Scim(pub(super) Value);

impl IntoResponse for Scim {
    fn into_response(self) -> Response {
        let media_type = HeaderValue::from_static(MEDIA_TYPE);
        ([(CONTENT_TYPE, media_type)], self.0.to_string()).into_response()
    }
}

/// A user in an answer, and its location.
#[derive(Debug)]
pub(super) struct Shown {
    location: String,
    resource: Value,
}

impl Shown {
    pub(super) fn new(client: &ScimClient, user: &ScimUser, projection: &Projection) -> Self {
        let location = format!("{}/v1/scim/Users/{}", client.urls.api, user.id);
        let resource = UserResource::new(user, location.clone());
        let resource =
            serde_json::to_value(resource).expect("a resource has text keys and serializes");
        Self {
            location,
            resource: projection.apply(resource),
        }
    }

    /// The user, for a list.
    pub(super) fn into_resource(self) -> Value {
        self.resource
    }
}

impl Answer for Scim {}

impl Answer for Shown {
    fn describe(operation: &mut Operation) {
        successes_carry(operation, &[document::LOCATION]);
    }
}

impl IntoResponse for Shown {
    fn into_response(self) -> Response {
        let location =
            HeaderValue::try_from(self.location).expect("a configured URL and an id are printable");
        ([(LOCATION, location)], Scim(self.resource)).into_response()
    }
}
