//! What a source answers, and what becomes of it where that cannot be used.

use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;
use time::OffsetDateTime;
use tokio::sync::MutexGuard;

use super::{is_transient, metered};
use base::{
    jobs::SECOND,
    outbound::{
        HeaderMap, HeaderName, StatusCode,
        guard::{Response, SendError},
        header,
    },
    refusal::Refusal,
};

/// When the rate of LaunchDarkly's API is restored, in milliseconds since 1970.
const RATE_RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// An answer with any status.
pub(super) struct Answer<'a> {
    pub(super) status: StatusCode,
    pub(super) body: Bytes,
    /// Held by a long one until it is parsed.
    pub(super) alone: Option<MutexGuard<'a, usize>>,
    /// Whether it is from a private address.
    is_private: bool,
    pub(super) location: Option<String>,
    /// How long the source asks to be left alone.
    pub(super) wait: Option<Duration>,
}

/// Why a source could not be read. No words of it hold the credential.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// It refuses: the credential, the project, or the request.
    #[error("the source answered {status}{}", words.as_ref().map(|words| format!(": {words}")).unwrap_or_default())]
    Refused {
        /// 400 to 499, without 429.
        status: u16,
        words: Option<String>,
    },
    /// It is not what the request needs, in words for people.
    #[error("{0}")]
    Unfit(String),
    /// It has more than an import takes.
    #[error("the source has more than {limit} {things}")]
    TooMany { things: &'static str, limit: usize },
    /// Its address must not be called.
    #[error("base_url must not lead to a private, local or reserved address")]
    Forbidden,
    #[error("the source cannot be reached")]
    Unreachable(#[source] SendError),
    /// The same of a private address, whatever happened to the connection.
    #[error("the source cannot be reached")]
    Silent {
        /// Whether there was an answer of the network.
        is_transient: bool,
    },
    #[error("the source did not answer in time")]
    TimedOut,
    /// It fails, or is busy, also after some retries.
    #[error("the source answered {0}")]
    Failing(u16),
    /// It sends a link or redirect to another host, which would get the credential, or to an address that must not be called.
    #[error("the source leads to another host")]
    Elsewhere,
    /// Its answer has another form than is known.
    #[error("the answer of the source cannot be read")]
    Malformed,
    /// Others are reading as much.
    #[error("too many sources are being read")]
    Busy,
    /// Its answer is too large, or all of them together.
    #[error("the source sends too much at once")]
    TooLarge,
}

impl<'a> Answer<'a> {
    pub(super) fn new(
        response: &Response,
        body: Bytes,
        alone: Option<MutexGuard<'a, usize>>,
        now: OffsetDateTime,
    ) -> Self {
        Self {
            status: response.status,
            body,
            alone,
            is_private: response.is_private,
            location: text(&response.headers, header::LOCATION),
            wait: wait(&response.headers, now),
        }
    }

    pub(super) fn is_transient(&self) -> bool {
        is_transient(self.status)
    }

    pub(super) fn failure(&self) -> SourceError {
        SourceError::Failing(self.status.as_u16())
    }

    /// What the source says about a refusal, in the fields that the known platforms use, without the credential: 200 characters of
    /// a body that takes at most 64 KiB in memory. What hosts of private networks say is for those who may reach them.
    pub(super) fn words(&self, credential: &str) -> Option<String> {
        if self.is_private {
            return None;
        }
        let (body, _): (Value, usize) = metered::read(&self.body, 64 * 1024).ok()?;
        let words = ["message", "detail", "error"]
            .iter()
            .find_map(|field| body.get(field)?.as_str())?;
        let words = words.replace(credential, "[credential]");
        let printable = words.chars().filter(|character| !character.is_control());
        Some(printable.take(200).collect())
    }
}

impl SourceError {
    pub const fn too_many(things: &'static str, limit: usize) -> Self {
        Self::TooMany { things, limit }
    }

    pub(super) const fn is_transient(&self) -> bool {
        matches!(
            self,
            Self::Unreachable(SendError::NoAnswer(_) | SendError::Busy)
                | Self::Silent { is_transient: true }
        )
    }

    /// What is told where a private address did not answer: neither in words nor by further attempts whether anybody listens there.
    pub(super) fn without_details(self) -> Self {
        match self {
            Self::TimedOut => Self::Silent {
                is_transient: false,
            },
            Self::Unreachable(_) => Self::Silent { is_transient: true },
            other => other,
        }
    }
}

impl From<SendError> for SourceError {
    fn from(error: SendError) -> Self {
        match error {
            SendError::Refused => Self::Forbidden,
            SendError::TimedOut => Self::TimedOut,
            other => Self::Unreachable(other),
        }
    }
}

/// A refusal by the source is the caller's mistake; what fails there is the source's.
impl From<SourceError> for Refusal {
    fn from(error: SourceError) -> Self {
        match error {
            SourceError::Busy => Self::Unavailable {
                words: "too many sources are being read",
                retry_after: Some(SECOND),
            },
            SourceError::Refused { .. }
            | SourceError::Unfit(_)
            | SourceError::TooMany { .. }
            | SourceError::Forbidden => Self::invalid(error.to_string()),
            SourceError::Unreachable(_)
            | SourceError::TimedOut
            | SourceError::Silent { .. }
            | SourceError::Failing(_)
            | SourceError::Elsewhere
            | SourceError::Malformed
            | SourceError::TooLarge => Self::Upstream(error.to_string().into()),
        }
    }
}

fn wait(headers: &HeaderMap, now: OffsetDateTime) -> Option<Duration> {
    let seconds = || text(headers, header::RETRY_AFTER)?.trim().parse().ok();
    let restored = || {
        let at: i64 = text(headers, RATE_RESET)?.trim().parse().ok()?;
        let at = OffsetDateTime::from_unix_timestamp_nanos(i128::from(at) * 1_000_000);
        Some((at.ok()? - now).max(time::Duration::ZERO).unsigned_abs())
    };
    seconds().map(Duration::from_secs).or_else(restored)
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    Some(headers.get(name)?.to_str().ok()?.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn words(body: &Value, is_private: bool) -> Option<String> {
        let answer = Answer {
            status: StatusCode::FORBIDDEN,
            body: body.to_string().into(),
            alone: None,
            is_private,
            location: None,
            wait: None,
        };
        answer.words("secret")
    }

    #[test]
    fn words_of_a_source_are_shortened_and_have_no_credential() {
        let said = json!({"code": 1, "message": format!("no secret\n{}", "x".repeat(500))});
        let told = words(&said, false).unwrap();
        assert!(told.starts_with("no [credential]xxx"), "{told}");
        assert_eq!(told.chars().count(), 200);
        assert_eq!(
            words(&json!({"detail": "no"}), false).as_deref(),
            Some("no")
        );
        assert_eq!(words(&json!(["no"]), false), None);
    }

    #[test]
    fn words_of_a_private_host_are_not_repeated() {
        assert_eq!(words(&json!({"message": "the password is x"}), true), None);
    }
}
