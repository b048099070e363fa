//! Entity tags of answers (RFC 9110, 8.8.3), `If-Match`, by which a change states the version it is based on (13.1.1), and
//! `If-None-Match`, by which a client states the answers that it has, or that a PUT is to create (13.1.2).

use std::convert::Infallible;

use axum::{
    Json,
    extract::FromRequestParts,
    http::{
        HeaderMap, HeaderValue,
        header::{ETAG, IF_MATCH, IF_NONE_MATCH},
        request::Parts,
    },
    response::{IntoResponse, Response},
};
use serde::Serialize;

use super::fields::Checked;
use base::{input::Invalid, refusal::http::tag};
use domain::{
    change_sets::model::ChangeSet,
    content::model::{Applied, ContentPage},
    environments::model::Environment,
    flags::{model::Flag, states::model::FlagState},
    grants::model::ShownGrant,
    roles::model::CustomRole,
    segments::model::Segment,
    unit::Expected,
    webhooks::model::Webhook,
};

/// A thing with a version that every change of it increments.
pub trait Versioned {
    /// The version; 0 where nothing is stored.
    fn version(&self) -> i64;
}

macro_rules! versioned {
    ($($shown:ty),+) => {$(
        impl Versioned for $shown {
            fn version(&self) -> i64 {
                self.version
            }
        }
    )+};
}
versioned!(
    Flag,
    FlagState,
    Segment,
    Environment,
    Webhook,
    CustomRole,
    ContentPage,
    Applied,
    ChangeSet
);

impl Versioned for ShownGrant {
    fn version(&self) -> i64 {
        self.grant.version
    }
}

/// An answer with the tag of its contents.
#[derive(Debug)]
pub struct Tagged<T>(pub T);

impl<T: Versioned + Serialize> IntoResponse for Tagged<T> {
    fn into_response(self) -> Response {
        let tag = tag(self.0.version());
        ([(ETAG, tag)], Json(self.0)).into_response()
    }
}

/// The `If-Match` of a request, parsed only after the path is looked up.
pub struct IfMatch(Vec<HeaderValue>, Checked);

impl<S: Send + Sync> FromRequestParts<S> for IfMatch {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let lines = parts.headers.get_all(IF_MATCH);
        let lines = lines.into_iter().cloned().collect();
        Ok(Self(lines, Checked::of(&parts.extensions)))
    }
}

impl IfMatch {
    /// The version that the request expects. Several headers are one list. Refuses an unknown parameter of the query too, since
    /// a deletion has no body that is read now.
    pub fn read(&self) -> Result<Expected, Invalid> {
        self.1.check_query()?;
        if self.0.is_empty() {
            return Ok(Expected::Any);
        }
        let lines: Vec<_> = self.0.iter().map(HeaderValue::as_bytes).collect();
        let line = lines.join(&b',');
        if line.trim_ascii() == b"*" {
            return Ok(Expected::Any);
        }
        versions(&line)
            .map(Expected::OneOf)
            .ok_or_else(|| Invalid::new("If-Match must be * or a list of entity tags"))
    }
}

/// The `If-None-Match` of a PUT: with `*` it creates a thing, and changes none.
#[derive(Clone, Debug)]
pub struct IfNoneMatch(Vec<HeaderValue>);

impl<S: Send + Sync> FromRequestParts<S> for IfNoneMatch {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let lines = parts.headers.get_all(IF_NONE_MATCH);
        Ok(Self(lines.into_iter().cloned().collect()))
    }
}

impl IfNoneMatch {
    /// Whether the request is to create the thing that its path names.
    pub fn creates(&self, if_match: &IfMatch) -> Result<bool, Invalid> {
        match &self.0[..] {
            [] => Ok(false),
            [line] if line.as_bytes().trim_ascii() == b"*" && if_match.0.is_empty() => Ok(true),
            [line] if line.as_bytes().trim_ascii() == b"*" => Err(Invalid::new(
                "If-Match and If-None-Match cannot be given together",
            )),
            _ => Err(Invalid::new("If-None-Match of a PUT must be *")),
        }
    }
}

/// The versions in a list of tags. `None` if it is malformed or empty.
fn versions(line: &[u8]) -> Option<Vec<i64>> {
    let mut versions = Vec::new();
    let mut is_empty = true;
    // Tags are separated by commas; empty elements are allowed.
    let mut may_begin = true;
    let mut rest = line;
    while let [first, after @ ..] = rest {
        match first {
            b' ' | b'\t' => rest = after,
            b',' => {
                may_begin = true;
                rest = after;
            }
            _ if may_begin => {
                let (version, after) = first_tag(rest)?;
                versions.extend(version);
                (is_empty, may_begin, rest) = (false, false, after);
            }
            _ => return None,
        }
    }
    (!is_empty).then_some(versions)
}

/// Splits off the first tag. Its version is `None` if it is weak, since only strong tags match, or not in our format.
fn first_tag(text: &[u8]) -> Option<(Option<i64>, &[u8])> {
    let (is_weak, text) = match text.strip_prefix(b"W/") {
        Some(text) => (true, text),
        None => (false, text),
    };
    let text = text.strip_prefix(b"\"")?;
    let end = text.iter().position(|byte| *byte == b'"')?;
    let (opaque, rest) = (&text[..end], &text[end + 1..]);
    if opaque.iter().any(|byte| matches!(byte, 0..=b' ' | 0x7f)) {
        return None;
    }
    let number = std::str::from_utf8(opaque).ok();
    let number = number.and_then(|text| text.parse::<i64>().ok().filter(|n| n.to_string() == text));
    Some((number.filter(|_| !is_weak), rest))
}

/// Whether `If-None-Match` contains this tag. Weak and strong tags compare by their text alone.
pub fn client_has(sent: &HeaderMap, etag: &HeaderValue) -> bool {
    let lists = sent.get_all(IF_NONE_MATCH).iter();
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let Ok(etag) = etag.to_str().map(opaque) else {
        return false;
    };
    lists
        .filter_map(|list| list.to_str().ok())
        .flat_map(|list| list.split(','))
        .any(|tag| tag.trim() == "*" || opaque(tag) == etag)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&[u8]]) -> Result<Expected, String> {
        let lines = lines
            .iter()
            .map(|line| HeaderValue::from_bytes(line).unwrap());
        let read = IfMatch(lines.collect(), Checked::default()).read();
        read.map_err(|invalid| invalid.into_message().into_owned())
    }

    #[test]
    fn without_the_header_and_with_a_star_anything_is_expected() {
        assert_eq!(read(&[]), Ok(Expected::Any));
        assert_eq!(read(&[b"*"]), Ok(Expected::Any));
        assert_eq!(read(&[b" * "]), Ok(Expected::Any));
    }

    #[test]
    fn strong_tags_name_versions_in_one_line_or_many() {
        let expects = |lines: &[&[u8]], versions: &[i64]| {
            assert_eq!(read(lines), Ok(Expected::OneOf(versions.to_vec())));
        };
        expects(&[b"\"7\""], &[7]);
        expects(&[b"\"0\" ,\t\"12\",,"], &[0, 12]);
        expects(&[b", \"1\"", b"\"2\""], &[1, 2]);
    }

    #[test]
    fn weak_and_foreign_tags_name_none() {
        for line in [
            &b"W/\"7\""[..],
            b"\"07\"",
            b"\"+7\"",
            b"\"\"",
            b"\"a,b*\"",
            b"\"99999999999999999999\"",
            b"\"\xff\"",
        ] {
            assert_eq!(read(&[line]), Ok(Expected::OneOf(Vec::new())));
        }
    }

    #[test]
    fn what_is_no_list_of_tags_is_refused() {
        for line in [
            &b""[..],
            b",",
            b"7",
            b"\"7",
            b"7\"",
            b"\"7\" \"8\"",
            b"\"7\"\"8\"",
            b"w/\"7\"",
            b"W/ \"7\"",
            b"\"7 8\"",
            b"*, \"7\"",
            b"\"7\", *",
            b"\"7\";q=1",
        ] {
            assert_eq!(
                read(&[line]),
                Err("If-Match must be * or a list of entity tags".to_owned())
            );
        }
    }

    #[test]
    fn a_tag_is_found_in_a_list() {
        for (list, is_named) in [
            (r#""a""#, true),
            (r#"W/"a""#, true),
            (r#""b", "a""#, true),
            ("*", true),
            (r#""b""#, false),
            ("a", false),
        ] {
            let sent = [(IF_NONE_MATCH, HeaderValue::from_static(list))];
            let sent: HeaderMap = sent.into_iter().collect();
            for etag in ["\"a\"", "W/\"a\""] {
                let etag = HeaderValue::from_static(etag);
                assert_eq!(client_has(&sent, &etag), is_named, "{list}");
            }
        }
        assert!(!client_has(
            &HeaderMap::new(),
            &HeaderValue::from_static("\"a\"")
        ));
    }
}
