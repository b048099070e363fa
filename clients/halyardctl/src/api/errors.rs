//! What can go wrong, in words that say what to do.

use reqwest::StatusCode;
use serde_json::Value;

use super::TokenFrom;

/// Why a command did not do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The service answered that it does not do this.
    #[error("{0}")]
    Refused(Refusal),
    /// The service failed.
    #[error("{0}")]
    Broken(Refusal),
    /// There was no answer.
    #[error("{url} cannot be reached: {why}")]
    Unreachable {
        /// The address of the service.
        url: String,
        /// What the system says.
        why: String,
    },
    /// The command cannot be understood.
    #[error("{0}")]
    Usage(String),
    /// Anything else, on this machine.
    #[error("{0}")]
    Failed(String),
}

impl Error {
    /// An error of the system while something was done.
    pub(crate) fn while_doing(what: &str, why: impl std::fmt::Display) -> Self {
        Self::Failed(format!("{what}: {why}"))
    }

    /// The status of the answer, if there was one.
    #[must_use]
    pub const fn status(&self) -> Option<StatusCode> {
        match self {
            Self::Refused(refusal) | Self::Broken(refusal) => Some(refusal.status),
            Self::Unreachable { .. } | Self::Usage(_) | Self::Failed(_) => None,
        }
    }

    /// The same with advice on what to do, where there is none yet.
    pub(crate) fn advised(mut self, advice: impl FnOnce() -> String) -> Self {
        if let Self::Refused(refusal) = &mut self {
            refusal.advice.get_or_insert_with(advice);
        }
        self
    }
}

/// An answer that is not a success.
#[derive(Debug)]
pub struct Refusal {
    /// The status.
    pub status: StatusCode,
    /// What the service says, as it says it.
    pub message: String,
    /// All that the service says; `null` where that is no JSON.
    pub body: Value,
    /// What to do.
    pub advice: Option<String>,
    /// The id by which operators find the request in their logs.
    pub request_id: Option<String>,
}

impl Refusal {
    /// Reads an answer.
    pub(super) fn new(
        status: StatusCode,
        body: &str,
        token_from: TokenFrom,
        request_id: Option<String>,
    ) -> Self {
        let body: Value = serde_json::from_str(body).unwrap_or_default();
        let error = body["error"].as_str();
        let reason = status.canonical_reason().unwrap_or("no success");
        let message = match (error, body["message"].as_str()) {
            (Some(error), Some(message)) => format!("{error}: {message}"),
            (Some(error), None) => error.to_owned(),
            (None, _) => reason.to_lowercase(),
        };
        let advice = advice(status, error.unwrap_or_default(), token_from);
        Self {
            status,
            message,
            advice: advice.map(str::to_owned),
            body,
            request_id: request_id.filter(|_| status.is_server_error()),
        }
    }
}

fn advice(status: StatusCode, error: &str, token_from: TokenFrom) -> Option<&'static str> {
    Some(match (status, token_from) {
        (StatusCode::UNAUTHORIZED, TokenFrom::Nowhere) => "run `halyardctl login`",
        (StatusCode::UNAUTHORIZED, TokenFrom::Context) => {
            "the token has ended or was revoked; run `halyardctl login`"
        }
        (StatusCode::UNAUTHORIZED, TokenFrom::Environment) => {
            "the token in HALYARD_TOKEN has ended or was revoked; set another one"
        }
        (StatusCode::UNAUTHORIZED, TokenFrom::Input) => {
            "copy the whole token, which begins with halp_"
        }
        (StatusCode::FORBIDDEN, _) if error == "approval_required" => {
            "the environment is protected; request the change with \
             `halyardctl api POST /v1/approvals`"
        }
        (StatusCode::FORBIDDEN, _) => "`halyardctl whoami` shows what the token may do",
        (StatusCode::PRECONDITION_FAILED, _) => "it was changed meanwhile; read it again",
        (StatusCode::TOO_MANY_REQUESTS, _) => "wait a minute",
        _ => return None,
    })
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.status.as_u16(), self.message)?;
        if let Some(advice) = &self.advice {
            write!(f, "; {advice}")?;
        }
        if let Some(id) = &self.request_id {
            write!(f, " (request {id})")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(status: u16, body: &str, from: TokenFrom) -> String {
        let status = StatusCode::from_u16(status).unwrap();
        Refusal::new(status, body, from, Some("r1".to_owned())).to_string()
    }

    #[test]
    fn refusals_say_what_to_do() {
        let ended = r#"{"error": "invalid or expired token"}"#;
        assert_eq!(
            told(401, ended, TokenFrom::Context),
            "401: invalid or expired token; the token has ended or was revoked; run `halyardctl login`"
        );
        assert!(told(401, ended, TokenFrom::Environment).contains("HALYARD_TOKEN"));
        let guarded = r#"{"error": "approval_required", "message": "ask"}"#;
        assert!(told(403, guarded, TokenFrom::Context).contains("POST /v1/approvals"));
        assert_eq!(
            told(
                409,
                r#"{"error": "flag key already exists"}"#,
                TokenFrom::Context
            ),
            "409: flag key already exists"
        );
    }

    #[test]
    fn answers_that_are_not_ours_are_told_by_their_status_and_failures_with_the_request() {
        assert_eq!(
            told(502, "<html>", TokenFrom::Context),
            "502: bad gateway (request r1)"
        );
    }
}
