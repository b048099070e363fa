//! Refusals with the error types of RFC 7644, 3.12.

use std::borrow::Cow;

use base::{
    db,
    refusal::{Missing, Refusal},
};

/// `scimType` of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorType {
    InvalidFilter,
    /// A body of the wrong shape.
    InvalidSyntax,
    /// An invalid path of a PATCH operation.
    InvalidPath,
    /// A PATCH operation whose path matches nothing, or is missing.
    NoTarget,
    InvalidValue,
    /// A change of an immutable attribute.
    Mutability,
    Uniqueness,
}

impl ErrorType {
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

#[derive(Debug)]
pub struct Refused {
    pub refusal: Refusal,
    pub error_type: Option<ErrorType>,
}

/// Invalid input: 400.
pub fn invalid(error_type: ErrorType, words: impl Into<Cow<'static, str>>) -> Refused {
    Refused {
        refusal: Refusal::invalid(words),
        error_type: Some(error_type),
    }
}

/// An invalid attribute value: 400.
pub fn invalid_value(words: impl Into<Cow<'static, str>>) -> Refused {
    invalid(ErrorType::InvalidValue, words)
}

/// A name already in use by another user: 409.
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
