//! Why an operation changes nothing, worded for the client. Domains refuse without knowing HTTP; `http` maps each kind to a
//! status.

mod conflicts;
mod guarded;
pub mod http;
mod moved;
mod outdated;
mod problems;

use std::{borrow::Cow, error::Error, time::Duration};

use time::OffsetDateTime;

pub use self::{
    conflicts::{Conflict, Conflicts},
    guarded::{AffectedEnvironment, ApprovalBody, ApprovalRequest, Guarded, RefusedGrant},
    moved::Moved,
    outdated::{LaterChange, Outdated},
    problems::{Problem, Problems},
};
use crate::{db, input::Invalid};
use definition::flags::model::Archived;

/// Why an operation changed nothing. The unit of work must be rolled back.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// Its target is missing or deleted.
    #[error(transparent)]
    Gone(#[from] Missing),
    /// A text that cannot be an id, such as a slug, is given for an id.
    #[error("{missing}: {field} must be an id (a UUID), not a slug, a key or a name")]
    NoId {
        missing: Missing,
        field: &'static str,
    },
    /// Input breaks a rule, or a general limit is reached.
    #[error("{0}")]
    Invalid(Cow<'static, str>),
    /// It conflicts with the present state: a name is taken, a thing in use.
    #[error("{0}")]
    Conflict(Cow<'static, str>),
    /// The target was changed since the client read it.
    #[error("changed meanwhile")]
    Changed {
        /// The current version.
        version: i64,
    },
    /// What the client wants to create exists.
    #[error("exists already")]
    Exists {
        /// The current version.
        version: i64,
    },
    /// What a request for approval changes has changed since, and the reviewer has not seen it.
    #[error("{0}")]
    Moved(Box<Moved>),
    /// What a change set changes was changed since it was drafted.
    #[error("{0}")]
    Conflicts(Box<Conflicts>),
    /// Many things are wrong, each at its place.
    #[error("{0}")]
    Problems(Box<Problems>),
    /// The project was changed since the client read it.
    #[error("{0}")]
    Outdated(Box<Outdated>),
    /// The organization's plan does not allow it.
    #[error("{0}")]
    Plan(&'static str),
    /// The caller may not do this.
    #[error("{0}")]
    Forbidden(&'static str),
    /// An environment is guarded against it.
    #[error("{0}")]
    Guarded(Box<Guarded>),
    /// A password, a code or a token is wrong, or its holder is no longer a member.
    #[error("{0}")]
    Unauthenticated(&'static str),
    /// Well formed, but wrong (one-time codes of a signed-in user).
    #[error("{0}")]
    Unprocessable(&'static str),
    /// Too many requests or attempts.
    #[error("{words}")]
    TooMany {
        words: &'static str,
        retry_after: Duration,
    },
    /// Another service that it needs failed, or its answer was unusable.
    #[error("{0}")]
    Upstream(Cow<'static, str>),
    /// A required resource is not configured, or busy.
    #[error("{words}")]
    Unavailable {
        words: &'static str,
        /// When to retry; `None` when retrying does not help.
        retry_after: Option<Duration>,
    },
    #[error(transparent)]
    Database(#[from] db::Error),
    /// An internal fault, which is logged but not shown to the client.
    #[error(transparent)]
    Fault(Box<dyn Error + Send + Sync>),
}

/// Kinds of things that may be missing.
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
    #[error("no outage is being rehearsed in this environment")]
    Rehearsal,
    #[error("question not found")]
    WhatIfQuestion,
    #[error("approval request not found")]
    Approval,
    #[error("change set not found")]
    ChangeSet,
    #[error("grant not found")]
    Grant,
    #[error("webhook not found")]
    Webhook,
    #[error("delivery not found")]
    Delivery,
    #[error("service account not found")]
    ServiceAccount,
    #[error("access token not found")]
    AccessToken,
    #[error("SCIM token not found")]
    ScimToken,
    #[error("SCIM user not found")]
    ScimUser,
    #[error("repository not found")]
    Repository,
    #[error("sign-in provider not found")]
    SignInProvider,
    #[error("the member has not signed in by this provider")]
    SignInIdentity,
    #[error("domain not found")]
    SignInDomain,
    #[error("migration not found")]
    Migration,
    #[error("edge not found")]
    Edge,
    #[error("no active subscription")]
    Subscription,
}

impl Missing {
    /// Parses an id from `field`; not found if it is malformed.
    pub fn by_id<T>(self, field: &'static str, id: Option<T>) -> Result<T, Refusal> {
        let missing = self;
        id.ok_or(Refusal::NoId { missing, field })
    }
}

impl Refusal {
    /// A role, or a custom role, that does not allow it.
    pub const INSUFFICIENT: Self = Self::Forbidden("insufficient permissions");

    /// A forged, expired, revoked or used token, or one of a former member; the answer does not disclose which.
    pub const INVALID_TOKEN: Self = Self::Unauthenticated("invalid or expired token");

    pub fn invalid(words: impl Into<Cow<'static, str>>) -> Self {
        Self::Invalid(words.into())
    }

    pub fn conflict(words: impl Into<Cow<'static, str>>) -> Self {
        Self::Conflict(words.into())
    }

    /// Too often, until `end`.
    pub fn until(end: OffsetDateTime, now: OffsetDateTime, words: &'static str) -> Self {
        let retry_after = (end - now).unsigned_abs();
        Self::TooMany { words, retry_after }
    }

    /// Distinguishes the violation of a constraint, explained by `words`, from other database errors.
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

impl From<Archived> for Refusal {
    fn from(archived: Archived) -> Self {
        Self::conflict(archived.to_string())
    }
}
