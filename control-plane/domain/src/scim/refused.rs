//! Refusals with the error types of RFC 7644, 3.12, which tell clients what is wrong with their request.

use std::borrow::Cow;

use base::{
    db,
    refusal::{Missing, Refusal},
};

/// `scimType` of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorType {
    /// A filter that is malformed, or not one of those that work here.
    InvalidFilter,
    /// A body that does not have the shape of the message.
    InvalidSyntax,
    /// A path of a PATCH operation that names nothing.
    InvalidPath,
    /// A PATCH operation whose path selects nothing, or that needs a path.
    NoTarget,
    /// A value that is missing or breaks a rule.
    InvalidValue,
    /// A change of what cannot be changed.
    Mutability,
    /// A value that another user has.
    Uniqueness,
}

impl ErrorType {
    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidFilter => "invalidFilter",
            Self::InvalidSyntax => "invalidSyntax",
            Self::InvalidPath => "invalidPath",
            Self::NoTarget => "noTarget",
            Self::InvalidValue => "invalidValue",
            Self::Mutability => "mutability",
            Self::Uniqueness => "uniqueness",
        }
    }
}

/// A refusal, and its error type where it has one.
#[derive(Debug)]
pub struct Refused {
    pub refusal: Refusal,
    pub error_type: Option<ErrorType>,
}

/// Input that breaks a rule: 400.
pub fn invalid(error_type: ErrorType, words: impl Into<Cow<'static, str>>) -> Refused {
    Refused {
        refusal: Refusal::invalid(words),
        error_type: Some(error_type),
    }
}

/// A value of an attribute that breaks a rule: 400.
pub fn invalid_value(words: impl Into<Cow<'static, str>>) -> Refused {
    invalid(ErrorType::InvalidValue, words)
}

/// A name that another user has: 409.
pub fn taken(words: &'static str) -> Refused {
    Refused {
        refusal: Refusal::conflict(words),
        error_type: Some(ErrorType::Uniqueness),
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Self {
            refusal,
            error_type: None,
        }
    }
}

impl From<Missing> for Refused {
    fn from(missing: Missing) -> Self {
        Refusal::from(missing).into()
    }
}

impl From<db::Error> for Refused {
    fn from(error: db::Error) -> Self {
        Refusal::from(error).into()
    }
}
