//! Errors in the form of SCIM (RFC 7644, 3.12), from any source: handlers, extractors, the router, or a panic.

use axum::{
    Json,
    extract::Request,
    http::{HeaderValue, StatusCode, header::CONTENT_LENGTH, header::CONTENT_TYPE},
    middleware::Next,
    response::{IntoResponse, Response},
};
use serde::Serialize;
use serving::error::{ApiError, Told};
use utoipa::ToSchema;

use super::MEDIA_TYPE;
use base::{db, refusal::Refusal};
use domain::scim::refused::{ErrorType, Refused};

const ERROR: &str = "urn:ietf:params:scim:api:messages:2.0:Error";
const PATHS: &str = "/v1/scim/";
const TOKENS: &str = "/v1/scim/tokens";

/// The body of every answer of SCIM that is not a success.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScimErrorBody {
    schemas: [&'static str; 1],
    /// The status, as a text.
    status: String,
    /// The type of the error, where the standard defines one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    scim_type: Option<&'static str>,
    /// The error in words.
    detail: String,
}

#[derive(Debug)]
pub(super) struct ScimError {
    error: ApiError,
    named: Named,
}

/// The error type of a handler's answer, if any.
#[derive(Clone, Copy, Debug)]
struct Named(Option<ErrorType>);

impl Named {
    /// A 400 from outside a handler means an unreadable message.
    fn of(status: StatusCode) -> Self {
        Self((status == StatusCode::BAD_REQUEST).then_some(ErrorType::InvalidSyntax))
    }
}

impl IntoResponse for ScimError {
    fn into_response(self) -> Response {
        let mut response = self.error.into_response();
        response.extensions_mut().insert(self.named);
        response
    }
}

/// Gives errors of SCIM their form, except for the endpoints of tokens, which members use.
pub async fn in_scim_form(request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let is_scim = path.starts_with(PATHS) && !path.starts_with(TOKENS);
    let response = next.run(request).await;
    match response.extensions().get::<Told>().cloned() {
        Some(Told(words)) if is_scim => rewritten(response, &words),
        Some(_) | None => response,
    }
}

/// The same answer, with its headers and log fields, and another body.
fn rewritten(response: Response, words: &str) -> Response {
    let (mut head, _) = response.into_parts();
    let named = head.extensions.get().copied();
    let Named(error_type) = named.unwrap_or_else(|| Named::of(head.status));
    let body = ScimErrorBody {
        schemas: [ERROR],
        status: head.status.as_u16().to_string(),
        scim_type: error_type.map(ErrorType::as_str),
        detail: words.to_owned(),
    };
    let body = Json(body).into_response().into_body();
    head.headers.remove(CONTENT_LENGTH);
    let media_type = HeaderValue::from_static(MEDIA_TYPE);
    head.headers.insert(CONTENT_TYPE, media_type);
    Response::from_parts(head, body)
}

impl From<Refused> for ScimError {
    fn from(refused: Refused) -> Self {
        Self {
            error: refused.refusal.into(),
            named: Named(refused.error_type),
        }
    }
}

impl From<ApiError> for ScimError {
    fn from(error: ApiError) -> Self {
        let named = Named::of(error.status());
        Self { error, named }
    }
}

impl From<Refusal> for ScimError {
    fn from(refusal: Refusal) -> Self {
        Refused::from(refusal).into()
    }
}

impl From<db::Error> for ScimError {
    fn from(error: db::Error) -> Self {
        ApiError::from(error).into()
    }
}
