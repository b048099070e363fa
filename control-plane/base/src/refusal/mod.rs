//! Why an operation changes nothing, in words for whoever asked. Domains refuse without knowing HTTP; what becomes of each
//! kind there is said once, in `http`.

pub mod http;

use std::{borrow::Cow, error::Error, time::Duration};

use time::OffsetDateTime;

use crate::{db, input::Invalid};

/// Why an operation changed nothing. The unit of work must be given up.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// Something that it is about is not there, or no longer.
    #[error(transparent)]
    Gone(#[from] Missing),
    /// Something is named by a text that cannot be its id, such as its slug.
    #[error("{missing}: {field} must be an id (a UUID), not a slug, a key or a name")]
    NoId {
        missing: Missing,
        field: &'static str,
    },
    /// Input breaks a rule, or a bound that holds for everybody is reached.
    #[error("{0}")]
    Invalid(Cow<'static, str>),
    /// It does not go with what is there: a name is taken, a thing in use.
    #[error("{0}")]
    Conflict(Cow<'static, str>),
    /// Somebody changed it since whoever asks has seen it.
    #[error("changed meanwhile")]
    Changed {
        /// What it has now.
        version: i64,
    },
    /// The organization's plan does not allow it.
    #[error("{0}")]
    Plan(&'static str),
    /// Whoever acts may not do this.
    #[error("{0}")]
    Forbidden(&'static str),
    /// A password, a code or a token is wrong, or whoever holds it is no member any more.
    #[error("{0}")]
    Unauthenticated(&'static str),
    /// It is well formed, and wrong (one-time codes of somebody who is signed in).
    #[error("{0}")]
    Unprocessable(&'static str),
    /// It was asked for, or tried, too often.
    #[error("{words}")]
    TooMany {
        words: &'static str,
        retry_after: Duration,
    },
    /// Another service that it needs failed, or answered nothing that makes sense.
    #[error("{0}")]
    Upstream(Cow<'static, str>),
    /// It cannot be done now: something that it needs is not configured, or busy.
    #[error("{words}")]
    Unavailable {
        words: &'static str,
        /// When to try again; `None` when trying again does not help.
        retry_after: Option<Duration>,
    },
    /// The database failed.
    #[error(transparent)]
    Database(#[from] db::Error),
    /// Something else failed, which the log tells and the client does not hear.
    #[error(transparent)]
    Fault(Box<dyn Error + Send + Sync>),
}

/// What may not be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    #[error("project not found")]
    Project,
    #[error("environment not found")]
    Environment,
    #[error("flag not found")]
    Flag,
    #[error("the flag has no state in the source environment")]
    SourceState,
    #[error("flag version not found")]
    Version,
    #[error("the flag had no state in the environment at this version")]
    StateOfVersion,
    #[error("segment not found")]
    Segment,
    #[error("member not found")]
    Member,
    #[error("session not found")]
    Session,
    #[error("role not found")]
    Role,
    #[error("api key not found")]
    ApiKey,
    #[error("approval request not found")]
    Approval,
    #[error("webhook not found")]
    Webhook,
    #[error("SCIM token not found")]
    ScimToken,
    #[error("SCIM user not found")]
    ScimUser,
    #[error("migration not found")]
    Migration,
    #[error("no active subscription")]
    Subscription,
}

impl Missing {
    /// What the text in `field` names, which is none if it is no id.
    pub fn by_id<T>(self, field: &'static str, id: Option<T>) -> Result<T, Refusal> {
        let missing = self;
        id.ok_or(Refusal::NoId { missing, field })
    }
}

impl Refusal {
    /// A role, or a custom role, that does not allow it.
    pub const INSUFFICIENT: Self = Self::Forbidden("insufficient permissions");

    /// A token that is forged, expired, revoked or used, or whose holder is no member any more: nobody learns which.
    pub const INVALID_TOKEN: Self = Self::Unauthenticated("invalid or expired token");

    /// Input breaks a rule.
    pub fn invalid(words: impl Into<Cow<'static, str>>) -> Self {
        Self::Invalid(words.into())
    }

    /// It does not go with what is there.
    pub fn conflict(words: impl Into<Cow<'static, str>>) -> Self {
        Self::Conflict(words.into())
    }

    /// Too often, until `end`.
    pub fn until(end: OffsetDateTime, now: OffsetDateTime, words: &'static str) -> Self {
        let retry_after = (end - now).unsigned_abs();
        Self::TooMany { words, retry_after }
    }

    /// Tells the violation of a constraint, which `words` explain, from faults of the database.
    pub fn violated(
        constraint: &'static str,
        words: &'static str,
    ) -> impl FnOnce(sqlx::Error) -> Self {
        move |error| {
            let database = error.as_database_error();
            let violated = database.and_then(sqlx::error::DatabaseError::constraint);
            if violated == Some(constraint) {
                Self::conflict(words)
            } else {
                Self::Database(error.into())
            }
        }
    }
}

impl From<Invalid> for Refusal {
    fn from(invalid: Invalid) -> Self {
        Self::invalid(invalid.into_message())
    }
}
