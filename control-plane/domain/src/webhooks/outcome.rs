//! The outcome of an attempt, as recorded.

use std::{borrow::Cow, time::Duration};

use base::outbound::{StatusCode, guard::SendError};

/// Bytes of an answer's body that are recorded: all that are read.
const MAX_BODY: usize = super::request::ANSWER;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    /// 0 without an answer.
    pub(super) status: u16,
    /// Why it failed, in words of our own.
    pub(super) error: Option<Cow<'static, str>>,
    /// The beginning of the answer's body.
    pub(super) response_body: Option<String>,
    pub(super) duration_ms: Option<i32>,
}

impl Outcome {
    pub(super) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Nothing was sent.
    pub(super) fn unsent(error: &'static str) -> Self {
        Self {
            error: Some(error.into()),
            ..Self::default()
        }
    }

    /// There was no answer. Of private addresses, which only the operator may explore, it does not say why.
    pub(super) fn unanswered(error: &SendError, is_private: bool, took: Duration) -> Self {
        Self {
            error: Some(
                if is_private {
                    "no answer"
                } else {
                    error.reason()
                }
                .into(),
            ),
            duration_ms: shown(took, is_private),
            ..Self::default()
        }
    }

    /// There was an answer. That of a private address may say what is not for the organization, so it is not repeated.
    pub(super) fn answered(
        status: StatusCode,
        body: &[u8],
        is_private: bool,
        took: Duration,
    ) -> Self {
        let error = match status.as_u16() {
            200..300 => None,
            300..400 => Some("redirects are not followed".into()),
            status => Some(format!("answered with status {status}").into()),
        };
        Self {
            status: status.as_u16(),
            error,
            response_body: (!is_private && !body.is_empty()).then(|| text(body)),
            duration_ms: shown(took, is_private),
        }
    }
}

fn shown(took: Duration, is_private: bool) -> Option<i32> {
    (!is_private).then(|| i32::try_from(took.as_millis()).unwrap_or(i32::MAX))
}

/// The beginning of a body as text. The database stores no NUL.
fn text(body: &[u8]) -> String {
    let beginning = &body[..body.len().min(MAX_BODY)];
    let mut text = String::from_utf8_lossy(beginning).replace('\0', "\u{fffd}");
    text.truncate(text.floor_char_boundary(MAX_BODY));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOOK: Duration = Duration::from_millis(1500);

    #[test]
    fn the_beginning_of_an_answer_is_shown_as_text() {
        let body = [b"sorry\0 \xff ".as_slice(), "é".repeat(2_000).as_bytes()].concat();
        let outcome = Outcome::answered(StatusCode::IM_A_TEAPOT, &body, false, TOOK);
        let shown = outcome.response_body.clone().unwrap();
        assert!(shown.starts_with("sorry\u{fffd} \u{fffd} éé"), "{shown}");
        assert!((1_000..=MAX_BODY).contains(&shown.len()));
        assert_eq!(outcome.error.as_deref(), Some("answered with status 418"));
        assert_eq!(outcome.duration_ms, Some(1500));
        assert!(!outcome.is_success());
        let empty = Outcome::answered(StatusCode::NO_CONTENT, b"", false, TOOK);
        assert_eq!((empty.error, empty.response_body), (None, None));
    }

    #[test]
    fn words_and_times_of_a_private_host_are_not_repeated() {
        let answered = Outcome::answered(StatusCode::FORBIDDEN, b"root password", true, TOOK);
        let expected = Outcome {
            status: 403,
            error: Some("answered with status 403".into()),
            ..Outcome::default()
        };
        assert_eq!(answered, expected);
        let silent = Outcome::unanswered(&SendError::TimedOut, true, TOOK);
        let expected = Outcome::unsent("no answer");
        assert_eq!(silent, expected);
        let public = Outcome::unanswered(&SendError::TimedOut, false, TOOK);
        assert_eq!(public.error.as_deref(), Some("no answer in time"));
    }
}
