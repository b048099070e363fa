//! Headers of the files: content security policy, and caching.

use axum::{
    body::Body,
    http::{
        HeaderName, HeaderValue, StatusCode,
        header::{
            CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, VARY,
        },
    },
    response::Response,
};
use serving::layers::NO_STORE;
use url::Url;

use super::assets::Encoded;
use domain::billing::settings::BillingSettings;

/// Hash of the one style that the library of widgets adds by itself: `touch-action` of pressable elements.
const STYLE: &str = "'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o='";

const OPENER: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const RESOURCE: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const PERMISSIONS: HeaderName = HeaderName::from_static("permissions-policy");

/// A year: the path changes with the file.
const KEPT: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const ASKED_EACH_TIME: HeaderValue = HeaderValue::from_static("no-cache");

#[derive(Clone)]
pub(super) struct Headers {
    policy: HeaderValue,
}

impl Headers {
    pub(super) fn new(billing: &BillingSettings) -> Self {
        let payment = billing
            .form
            .as_ref()
            .and_then(|form| Url::parse(&form.url).ok());
        Self {
            policy: policy(payment.as_ref()),
        }
    }

    /// The page.
    pub(super) fn page(&self, page: Encoded, etag: HeaderValue) -> Response {
        let mut response = self.with_body(page);
        tag(&mut response, etag);
        response
    }

    /// The answer to a client that has the page already.
    pub(super) fn unchanged(&self, etag: HeaderValue) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        self.write(&mut response);
        tag(&mut response, etag);
        response
    }

    /// The page in place of one that is not there.
    pub(super) fn missing(&self, page: Encoded) -> Response {
        let mut response = self.with_body(page);
        *response.status_mut() = StatusCode::NOT_FOUND;
        response.headers_mut().insert(CACHE_CONTROL, NO_STORE);
        response
    }

    /// An immutable file.
    pub(super) fn file(&self, file: Encoded) -> Response {
        let mut response = self.with_body(file);
        response.headers_mut().insert(CACHE_CONTROL, KEPT);
        response
    }

    fn with_body(&self, file: Encoded) -> Response {
        let mut response = Response::new(Body::from(file.bytes));
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(file.media_type));
        if let Some(encoding) = file.encoding.name() {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        self.write(&mut response);
        response
    }

    fn write(&self, response: &mut Response) {
        let headers = response.headers_mut();
        headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
        headers.insert(CONTENT_SECURITY_POLICY, self.policy.clone());
        let fixed = [
            (OPENER, "same-origin"),
            (RESOURCE, "same-origin"),
            (
                PERMISSIONS,
                "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
            ),
        ];
        for (name, value) in fixed {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
}

fn tag(response: &mut Response, etag: HeaderValue) {
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, ASKED_EACH_TIME);
    headers.insert(ETAG, etag);
}

/// Allows scripts and styles of this origin only; forms are sent here, and to the gateway that takes payments by form.
fn policy(payment: Option<&Url>) -> HeaderValue {
    let forms = payment.map_or(String::new(), |url| {
        format!(" {}", url.origin().ascii_serialization())
    });
    let parts = [
        "default-src 'none'",
        "script-src 'self'",
        &format!("style-src 'self' {STYLE}"),
        "img-src 'self'",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        &format!("form-action 'self'{forms}"),
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ];
    HeaderValue::try_from(parts.join("; ")).expect("an origin is ASCII")
}
