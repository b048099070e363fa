//! Requests of our own pages. A browser sends the cookie with requests of any page, so the endpoints that read it check the
//! page's origin by headers that scripts cannot set.

use axum::{
    extract::{FromRequest, FromRequestParts, Request},
    http::{
        HeaderMap,
        header::{CONTENT_TYPE, ORIGIN},
        request::Parts,
    },
};
use serde::de::DeserializeOwned;
use serving::{
    body::{Body, JSON},
    document::refuses,
    error::ApiError,
};
use utoipa::openapi::path::Operation;

use super::cookie;
use crate::{http::access::declare::Argument, state::AppState};

const SITE: &str = "sec-fetch-site";
const FOREIGN: &str =
    "only pages of this service may ask for this: the request must be of the same origin";
const NO_JSON: &str =
    "only pages of this service may ask for this: the content type must be application/json";

/// A request of one of our own pages; 403 otherwise. Checked before everything else.
#[derive(Debug)]
pub(super) struct OwnPage {
    /// The refresh token in the cookie.
    pub(super) cookie: Option<String>,
}

impl FromRequestParts<AppState> for OwnPage {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let headers = &parts.headers;
        if !is_of(headers, &state.urls.own_origin()) {
            return Err(ApiError::forbidden(FOREIGN));
        }
        // A form of another page cannot send this type.
        if !is_json(headers) {
            return Err(ApiError::forbidden(NO_JSON));
        }
        Ok(Self {
            cookie: cookie::read(headers),
        })
    }
}

/// Whether the page that sent the request is of this origin. Browsers that do not know `Sec-Fetch-Site`, and those that are not
/// on TLS, send `Origin`.
fn is_of(headers: &HeaderMap, own_origin: &str) -> bool {
    let is_only = |name: &str, expected: &str| {
        let mut values = headers.get_all(name).iter();
        values.next().is_some_and(|value| value == expected) && values.next().is_none()
    };
    if headers.contains_key(SITE) {
        is_only(SITE, "same-origin")
    } else {
        is_only(ORIGIN.as_str(), own_origin)
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let value = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let kind = value.and_then(|text| text.split(';').next());
    kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case(JSON))
}

impl Argument for OwnPage {
    fn describe(operation: &mut Operation) {
        let refusal = "the request does not come from a page of this service, or is not JSON";
        refuses(operation, 403, refusal);
    }
}

/// The body of such a request, whose content type was checked before.
#[derive(Debug)]
pub(super) struct OwnBody<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<AppState> for OwnBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, ApiError> {
        let Body(body) = Body::from_request(request, state).await?;
        Ok(Self(body))
    }
}

impl<T> Argument for OwnBody<T> {
    fn describe(operation: &mut Operation) {
        Body::<T>::describe(operation);
        operation.responses.responses.remove("415");
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    fn headers(lines: &[(&'static str, &'static str)]) -> HeaderMap {
        let lines = lines.iter().map(|(name, value)| {
            (
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            )
        });
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(name, value);
        }
        headers
    }

    #[test]
    fn the_site_decides_and_without_it_the_origin() {
        let own = "https://halyard.acme.test";
        let cases: [(&[(&str, &str)], bool); 10] = [
            (&[], false),
            (&[("sec-fetch-site", "same-origin")], true),
            (&[("sec-fetch-site", "same-site")], false),
            (&[("sec-fetch-site", "cross-site")], false),
            (&[("sec-fetch-site", "none")], false),
            (&[("sec-fetch-site", "cross-site"), ("origin", own)], false),
            (
                &[
                    ("sec-fetch-site", "same-origin"),
                    ("sec-fetch-site", "cross-site"),
                ],
                false,
            ),
            (&[("origin", own)], true),
            (&[("origin", "https://halyard.acme.test.evil.test")], false),
            (&[("origin", "null")], false),
        ];
        for (lines, expected) in cases {
            assert_eq!(is_of(&headers(lines), own), expected, "{lines:?}");
        }
    }
}
