//! Refused requests, in the protocol's terms.

use std::borrow::Cow;

use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde::Serialize;
use serving::error::ApiError;

use crate::http::slices::Stopped;

/// Why there is no evaluation.
#[derive(Debug)]
pub(super) enum Refusal {
    /// A refusal for which the protocol has a code.
    Coded {
        status: StatusCode,
        code: &'static str,
        details: Cow<'static, str>,
    },
    /// A refusal that it leaves to HTTP, answered as on the native paths.
    Native(ApiError),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Failure<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'a str>,
    error_code: &'a str,
    error_details: &'a str,
}

impl Refusal {
    pub(super) fn invalid_context(details: impl Into<Cow<'static, str>>) -> Self {
        Self::bad_request("INVALID_CONTEXT", details)
    }

    pub(super) fn targeting_key_missing() -> Self {
        Self::bad_request("TARGETING_KEY_MISSING", "targetingKey is required")
    }

    pub(super) fn flag_not_found() -> Self {
        Self::Coded {
            status: StatusCode::NOT_FOUND,
            code: "FLAG_NOT_FOUND",
            details: Cow::Borrowed("flag not found"),
        }
    }

    /// What the protocol has no other code for.
    pub(super) fn general(details: &'static str) -> Self {
        Self::bad_request(super::answer::GENERAL, details)
    }

    fn bad_request(code: &'static str, details: impl Into<Cow<'static, str>>) -> Self {
        Self::Coded {
            status: StatusCode::BAD_REQUEST,
            code,
            details: details.into(),
        }
    }

    /// The answer, about all flags or about the one with this key.
    pub(super) fn into_answer(self, key: Option<&str>) -> Response {
        match self {
            Self::Coded {
                status,
                code,
                details,
            } => {
                let failure = Failure {
                    key,
                    error_code: code,
                    error_details: &details,
                };
                (status, Json(failure)).into_response()
            }
            Self::Native(error) => error.into_response(),
        }
    }
}

/// An evaluation that was begun and not ended.
impl From<Stopped> for Refusal {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::TooMuchWork => Self::general(Stopped::TOO_MUCH_WORK),
            Stopped::Busy(_) => Self::Native(stopped.into()),
        }
    }
}

/// A body that could not be read.
impl From<ApiError> for Refusal {
    fn from(error: ApiError) -> Self {
        if error.status() == StatusCode::BAD_REQUEST {
            Self::bad_request("PARSE_ERROR", error.message().to_owned())
        } else {
            Self::Native(error)
        }
    }
}
