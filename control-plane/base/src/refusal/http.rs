//! HTTP answers for refusals.

use axum::http::HeaderValue;
use serving::error::ApiError;

use super::{Missing, Refusal};

/// The `ETag` of a version (RFC 9110, 8.8.3).
///
/// # Panics
/// Never: a number is visible ASCII.
pub fn tag(version: i64) -> HeaderValue {
    HeaderValue::try_from(format!("\"{version}\"")).expect("a number is visible ASCII")
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Gone(missing) => missing.into(),
            refusal @ Refusal::NoId { .. } => Self::not_found(refusal.to_string()),
            Refusal::Invalid(words) => Self::bad_request(words),
            Refusal::Conflict(words) => Self::conflict(words),
            refusal @ (Refusal::Changed { version } | Refusal::Exists { version }) => {
                Self::precondition_failed(refusal.to_string(), tag(version))
            }
            Refusal::Moved(moved) => Self::conflict(moved.error).with_details(moved.details()),
            Refusal::Conflicts(conflicts) => {
                Self::conflict(conflicts.error).with_details(conflicts.details())
            }
            Refusal::Problems(problems) => {
                Self::bad_request(problems.error.clone()).with_details(problems.details())
            }
            Refusal::Outdated(outdated) => {
                Self::precondition_failed(outdated.error, tag(outdated.version))
                    .with_details(outdated.details())
            }
            Refusal::Plan(words) => Self::payment_required(words),
            Refusal::Forbidden(words) => Self::forbidden(words),
            Refusal::Guarded(guarded) => {
                Self::forbidden(guarded.error).with_details(guarded.details())
            }
            Refusal::Unauthenticated(words) => Self::unauthorized(words),
            Refusal::Unprocessable(words) => Self::unprocessable(words),
            Refusal::TooMany { words, retry_after } => Self::too_many(words, retry_after),
            Refusal::Upstream(words) => Self::bad_gateway(words),
            Refusal::Unavailable { words, retry_after } => match retry_after {
                Some(wait) => Self::unavailable(words).retry_after(wait),
                None => Self::unavailable(words),
            },
            Refusal::Database(source) => source.into(),
            Refusal::Fault(source) => Self::internal(source),
        }
    }
}

impl From<Missing> for ApiError {
    fn from(missing: Missing) -> Self {
        Self::not_found(missing.to_string())
    }
}
