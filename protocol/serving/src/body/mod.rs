//! JSON request bodies: what counts as JSON, how large and how slow a body may be, what its text may contain.
//!
//! [`Body`] reads into an owned type; [`RawBody`] hands out the checked bytes, so that a hot path can borrow from them.
//! Both refuse with the same statuses and messages.

mod late;
mod reading;

use std::sync::LazyLock;

use axum::{
    extract::{FromRequest, Request},
    http::{Extensions, HeaderMap, header},
};
use bytes::Bytes;
use memchr::memmem::Finder;
use serde::{Deserialize, de::DeserializeOwned};

use self::reading::read_in_time;
pub use self::{late::LateBody, reading::BytesRead};
use crate::{apart::apart_in_turn, error::ApiError, json, numbers, unread::Unread};

/// The largest body that is read: 1 MiB.
pub const MAX_BODY: usize = 1024 * 1024;

/// The media type of bodies, unless an endpoint knows others too.
pub const JSON: &str = "application/json";

/// A JSON object, read into `T`. An empty body counts as `{}`; unknown fields are ignored, or told to an [`Unread`].
///
/// Malformed JSON, wrong types, a missing field, a NUL character or a number that cannot be stored are answered with 400; a missing content
/// type or one other than JSON with 415, unless the body is empty; too many bytes with 413; and a body that does not
/// arrive in time with 408.
#[derive(Debug)]
pub struct Body<T>(pub T);

impl<S, T> FromRequest<S> for Body<T>
where
    S: Send + Sync,
    T: DeserializeOwned,
{
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        RawBody::from_request(request, state)
            .await?
            .parse()
            .await
            .map(Self)
    }
}

/// Reading a longer text takes a millisecond or more.
const LONG: usize = 64 * 1024;

/// The bytes of a body that passed every check that does not depend on its type.
#[derive(Debug)]
pub struct RawBody {
    bytes: Bytes,
    /// Those of the request, where an [`Unread`] may be.
    extensions: Extensions,
}

impl RawBody {
    /// The number of bytes.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.bytes.len()
    }

    /// The bytes as a text, if they are one: for who can read most bodies faster than a parser that knows them all.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        str::from_utf8(&self.bytes).ok()
    }

    /// Reads the object, borrowing from the bytes where `T` can. Numbers that cannot be stored are refused with 400.
    pub async fn parse<'a, T: Deserialize<'a>>(&'a self) -> Result<T, ApiError> {
        self.in_turn(|| self.parse_here()).await
    }

    /// The same on a thread that may be busy for long.
    pub fn parse_here<'a, T: Deserialize<'a>>(&'a self) -> Result<T, ApiError> {
        if let Some(place) = numbers::first_unstorable(&self.bytes) {
            let place = if place.is_empty() { "body" } else { &place };
            return Err(ApiError::bad_request(format!(
                "{place} has a number that cannot be stored: at most {} characters when written out, 64 bits if whole",
                numbers::MAX_LENGTH
            )));
        }
        json::read(self.object()?, self.extensions.get::<Unread>())
    }

    /// The same for what is tried out and not stored: its numbers may be of any size.
    pub async fn parse_draft<'a, T: Deserialize<'a>>(&'a self) -> Result<T, ApiError> {
        let read = || json::read(self.object()?, self.extensions.get::<Unread>());
        self.in_turn(read).await
    }

    /// Reads once more what was read before as another type: nobody hears of unknown fields again.
    pub async fn parse_again<'a, T: Deserialize<'a>>(&'a self) -> Result<T, ApiError> {
        self.in_turn(|| self.parse_unstored()).await
    }

    /// The same for what is answered as fast as can be: unknown fields are ignored, whoever would like to hear of them.
    pub fn parse_unstored<'a, T: Deserialize<'a>>(&'a self) -> Result<T, ApiError> {
        let bytes = self.object()?;
        // Its encoding is checked at once, and not for each of its texts.
        let text = str::from_utf8(bytes).ok();
        let read = text.and_then(|text| serde_json::from_str(text).ok());
        // Read again where that fails, by the slower way that knows the place of what is wrong.
        read.map_or_else(|| json::read(bytes, None), Ok)
    }

    /// Nobody else waits for the thread while a long text is read.
    async fn in_turn<T>(&self, read: impl FnOnce() -> T) -> T {
        if self.bytes.len() > LONG {
            apart_in_turn(read).await
        } else {
            read()
        }
    }

    /// The text of the object.
    fn object(&self) -> Result<&[u8], ApiError> {
        let text: &[u8] = if self.bytes.is_empty() {
            b"{}"
        } else {
            &self.bytes
        };
        // Derived structs also accept an array of their fields, which no client means. What is no JSON is left to the parser.
        match text.trim_ascii_start().first() {
            Some(b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => {
                Err(ApiError::bad_request("body must be a JSON object"))
            }
            _ => Ok(text),
        }
    }
}

/// What has come already, in whatever way.
impl From<Bytes> for RawBody {
    fn from(bytes: Bytes) -> Self {
        Self {
            bytes,
            extensions: Extensions::new(),
        }
    }
}

impl<S: Send + Sync> FromRequest<S> for RawBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        Self::read(request, &[JSON]).await
    }
}

impl RawBody {
    /// Reads JSON that goes by one of these media types.
    pub async fn read(request: Request, media_types: &[&str]) -> Result<Self, ApiError> {
        Self::read_up_to(MAX_BODY, request, media_types).await
    }

    /// The same of at most `limit` bytes.
    async fn read_up_to(
        limit: usize,
        request: Request,
        media_types: &[&str],
    ) -> Result<Self, ApiError> {
        let (head, body) = request.into_parts();
        let bytes = read_in_time(&head, body, limit).await?;
        let given = media_type(&head.headers);
        let is_json = media_types
            .iter()
            .any(|known| given.eq_ignore_ascii_case(known));
        if !bytes.is_empty() && !is_json {
            let wanted = media_types.join(" or ");
            return Err(ApiError::unsupported_media_type(format!(
                "content type must be {wanted}"
            )));
        }
        if contains_nul(&bytes) {
            return Err(ApiError::bad_request(
                "text must not contain NUL characters",
            ));
        }
        Ok(Self {
            bytes,
            extensions: head.extensions,
        })
    }
}

/// A body of at most `LIMIT` bytes, whatever it is made of; 413 and 408 as for JSON.
#[derive(Debug)]
pub struct AnyBody<const LIMIT: usize> {
    /// The body.
    pub bytes: Bytes,
    /// What it says that it is, in lower case and without parameters; empty when it does not say.
    pub media_type: String,
}

impl<S: Send + Sync, const LIMIT: usize> FromRequest<S> for AnyBody<LIMIT> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let (head, body) = request.into_parts();
        Ok(Self {
            bytes: read_in_time(&head, body, LIMIT).await?,
            media_type: media_type(&head.headers).to_ascii_lowercase(),
        })
    }
}

/// The content type without parameters; empty when there is none.
fn media_type(headers: &HeaderMap) -> &str {
    let value = headers.get(header::CONTENT_TYPE);
    let text = value.and_then(|value| value.to_str().ok());
    text.and_then(|text| text.split(';').next())
        .map_or("", str::trim)
}

/// Whether the text contains the escape `\u0000` of a NUL, which Postgres cannot store. A bare NUL byte is not valid
/// inside JSON text, so the parser refuses it.
fn contains_nul(json: &[u8]) -> bool {
    static NUL: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(br"\u0000"));
    NUL.find_iter(json).any(|at| {
        // The backslash may itself be what the one before it escapes.
        let before = json[..at].iter().rev();
        before.take_while(|byte| **byte == b'\\').count() % 2 == 0
    })
}

#[cfg(test)]
mod tests {
    use std::{
        io,
        sync::{
            Arc, Mutex,
            atomic::{AtomicUsize, Ordering},
            mpsc,
        },
        time::Duration,
    };

    use axum::http::StatusCode;
    use futures_util::stream;
    use serde::{Deserializer, de::IgnoredAny};

    use super::*;

    #[derive(Debug, Deserialize, PartialEq)]
    struct Named {
        name: String,
        #[serde(default)]
        tags: Vec<String>,
    }

    #[derive(Debug, Deserialize)]
    struct Optional {
        note: Option<String>,
    }

    fn request(content_type: Option<&str>, body: impl Into<axum::body::Body>) -> Request {
        let mut request = Request::post("/");
        if let Some(content_type) = content_type {
            request = request.header(header::CONTENT_TYPE, content_type);
        }
        request.body(body.into()).unwrap()
    }

    async fn named(content_type: Option<&str>, body: &str) -> Result<Named, (u16, String)> {
        Body::<Named>::from_request(request(content_type, body.to_owned()), &())
            .await
            .map(|Body(named)| named)
            .map_err(|error| (error.status().as_u16(), error.message().to_owned()))
    }

    #[tokio::test]
    async fn json_is_read_and_unknown_fields_are_ignored() {
        let body = r#"{"name": "a\\u0000", "colour": 1}"#;
        for content_type in ["application/json", "Application/JSON; charset=utf-8"] {
            let read = named(Some(content_type), body).await.unwrap();
            assert_eq!(read.name, r"a\u0000");
        }
    }

    #[tokio::test]
    async fn other_content_types_answer_415() {
        for content_type in [
            None,
            Some("text/plain"),
            Some("application/jsonp"),
            Some(""),
        ] {
            let (status, _) = named(content_type, r#"{"name": "a"}"#).await.unwrap_err();
            assert_eq!(status, 415, "{content_type:?}");
        }
    }

    #[tokio::test]
    async fn an_empty_body_is_an_empty_object() {
        let read = Body::<Optional>::from_request(request(None, ""), &()).await;
        assert!(read.unwrap().0.note.is_none());

        let (status, message) = named(None, "").await.unwrap_err();
        assert_eq!(status, 400);
        assert_eq!(message, "name is required");
    }

    #[tokio::test]
    async fn wrong_json_answers_400() {
        for body in [
            "{",
            "nul",
            "[]",
            " [\"a\", []]",
            "\"a\"",
            "{\"name\": 5}",
            "{\"name\": \"a\"} x",
            "{\"name\": \"\u{0}\"}",
            r#"{"name": "a\u0000"}"#,
            r#"{"name": "a", "x\u0000": 1}"#,
            r#"{"name": "a", "deep": [{"b": "\\\u0000"}]}"#,
        ] {
            let (status, message) = named(Some("application/json"), body).await.unwrap_err();
            assert_eq!(status, 400, "{body} {message}");
        }
    }

    #[tokio::test]
    async fn others_have_their_turn_while_a_large_body_arrives() {
        let taken = Arc::new(AtomicUsize::new(0));
        let pieces = stream::iter((0..16).map({
            let taken = taken.clone();
            move |_| {
                taken.fetch_add(1, Ordering::Relaxed);
                Ok::<_, io::Error>(Bytes::from_static(&[b' '; 64 * 1024]))
            }
        }));
        let other = tokio::spawn(async move { taken.load(Ordering::Relaxed) });
        let body = axum::body::Body::from_stream(pieces);
        let read = RawBody::from_request(request(Some(JSON), body), &()).await;
        assert_eq!(read.unwrap().bytes.len(), MAX_BODY);
        let taken = other.await.unwrap();
        assert!(taken < 16, "{taken} pieces before its turn");
    }

    /// What takes as long to read as somebody else takes to have a turn.
    struct Slow;

    static TURN: Mutex<Option<mpsc::Receiver<()>>> = Mutex::new(None);

    impl<'de> Deserialize<'de> for Slow {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let turn = TURN.lock().unwrap().take().unwrap();
            turn.recv_timeout(Duration::from_secs(10))
                .expect("a turn of somebody else");
            IgnoredAny::deserialize(deserializer).map(|_| Self)
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn while_a_long_body_is_read_others_have_their_turn() {
        let (had, turn) = mpsc::channel();
        *TURN.lock().unwrap() = Some(turn);
        // On the only thread, where the other request waits behind it.
        let reading = tokio::spawn(async move {
            tokio::spawn(async move { had.send(()) });
            let text = format!("{{\"note\": \"{}\"}}", "a".repeat(LONG));
            let body = RawBody::from_request(request(Some("application/json"), text), &()).await;
            body.unwrap().parse::<Slow>().await.map(|_| ())
        });
        reading.await.unwrap().unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_does_not_end_answers_408() {
        let stalled = axum::body::Body::from_stream(stream::pending::<Result<Bytes, io::Error>>());
        let refused = RawBody::from_request(request(Some("application/json"), stalled), &()).await;
        assert_eq!(refused.unwrap_err().status(), StatusCode::REQUEST_TIMEOUT);
    }

    #[tokio::test]
    async fn a_body_over_the_limit_answers_413() {
        let fits = format!("{{\"note\": \"{}\"}}", "a".repeat(MAX_BODY - 12));
        assert_eq!(fits.len(), MAX_BODY);
        let request_of = |body: String| request(Some("application/json"), body);
        let read = Body::<Optional>::from_request(request_of(fits.clone()), &()).await;
        assert!(read.is_ok());

        let refused = Body::<Optional>::from_request(request_of(fits + " "), &()).await;
        assert_eq!(refused.unwrap_err().status(), StatusCode::PAYLOAD_TOO_LARGE);
    }
}
