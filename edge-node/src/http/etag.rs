//! Entity tags: whether a client already has an answer.

use std::convert::Infallible;

use axum::{
    body::Body,
    extract::FromRequestParts,
    http::{HeaderMap, HeaderValue, Response, StatusCode, header, request::Parts},
};
use bytes::Bytes;
use protocol::eval::Context;

use super::HEADERS;
use crate::current::Served;

/// The tags of answers that a client has.
pub(super) struct Known(Vec<HeaderValue>);

impl<S: Sync> FromRequestParts<S> for Known {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(&parts.headers))
    }
}

impl Known {
    /// Those that are sent with these headers.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let lines = headers.get_all(header::IF_NONE_MATCH);
        Self(lines.into_iter().cloned().collect())
    }

    /// Whether this tag is among them, which is given without quotes. Tags are compared weakly, so `W/` makes no difference.
    pub(super) fn has(&self, tag: &str) -> bool {
        let lines = self.0.iter().filter_map(|line| line.to_str().ok());
        lines
            .flat_map(|line| line.split(','))
            .map(str::trim)
            .any(|known| known == "*" || opaque(known) == Some(tag))
    }
}

/// How tags begin.
const WEAK: &str = "W/\"";

/// A tag of what is served and for whom, but for the last quote. A client that presents it again gets 304 instead of the same
/// answer.
#[derive(Debug)]
pub(super) struct EntityTag(String);

impl EntityTag {
    /// A tag of everything that an evaluation depends on.
    pub(super) fn new(environment: &Served, context: &Context<'_>) -> Self {
        // Room for a tag: the version, eight digits of the contents, sixteen of the context, and of a stream's credential.
        let mut tag = String::with_capacity(60);
        tag.push_str(WEAK);
        tag.push_str(&environment.tag);
        tag.push('-');
        let bytes = &context.fingerprint()[..8];
        let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        tag.extend(digits.filter_map(|digit| char::from_digit(digit.into(), 16)));
        Self(tag)
    }

    /// Makes the tag depend on one more part of the answer, given as hexadecimal text.
    pub(super) fn and(mut self, part: &str) -> Self {
        self.0.push('-');
        self.0.push_str(part);
        self
    }

    /// Whether the client presents this tag.
    pub(super) fn is_known(&self, known: &Known) -> bool {
        known.has(&self.0[WEAK.len()..])
    }

    /// The answer to a client that already has it.
    pub(super) fn not_modified(self) -> Response<Body> {
        let mut response = Response::default();
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response.headers_mut().reserve(HEADERS);
        self.write(&mut response);
        response
    }

    /// Adds the tag to an answer.
    pub(super) fn write(mut self, response: &mut Response<Body>) {
        self.0.push('"');
        let tag = HeaderValue::from_maybe_shared(Bytes::from(self.0))
            .expect("hexadecimal digits between quotes");
        response.headers_mut().insert(header::ETAG, tag);
    }
}

fn opaque(tag: &str) -> Option<&str> {
    tag.trim_start_matches("W/")
        .strip_prefix('"')?
        .strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_found_in_lists_and_compared_weakly() {
        let tag = EntityTag("W/\"1-a".to_owned());
        for (line, known) in [
            ("W/\"1-a\"", true),
            ("\"1-a\"", true),
            ("\"x\", W/\"1-a\"", true),
            ("*", true),
            ("W/\"1-b\"", false),
            ("1-a", false),
            ("", false),
        ] {
            let headers =
                HeaderMap::from_iter([(header::IF_NONE_MATCH, HeaderValue::from_static(line))]);
            assert_eq!(tag.is_known(&Known::of(&headers)), known, "{line}");
        }
        assert!(!tag.is_known(&Known::of(&HeaderMap::new())));
    }
}
