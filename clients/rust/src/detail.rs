//! What an evaluation answers besides the value.

use std::fmt;

use protocol::reason::Reason;

/// An answer, and why it was given.
#[derive(Clone, Debug, PartialEq)]
pub struct Detail<T> {
    /// The value of the flag, or the default of the caller if there is an error.
    pub value: T,
    /// Why.
    pub reason: Reason,
    /// The variant served, if the flag has variants and one of them was.
    pub variant: Option<String>,
    /// The version of the environment that answered; `None` while none is held.
    pub version: Option<u64>,
    /// Why the flag was not answered for as it should be.
    pub error: Option<ErrorKind>,
}

/// Why a flag is not answered for as it should be. With any of these but [`General`](Self::General) the caller's default is the
/// answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No environment is held yet.
    ProviderNotReady,
    /// The environment has no such flag.
    FlagNotFound,
    /// The value is not of the type that was asked for.
    TypeMismatch,
    /// A stored value has not the type of its flag, or testing its rules takes more work than it may: the flag's own
    /// default is the answer.
    General,
}

impl ErrorKind {
    /// The spelling of OpenFeature.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ProviderNotReady => "PROVIDER_NOT_READY",
            Self::FlagNotFound => "FLAG_NOT_FOUND",
            Self::TypeMismatch => "TYPE_MISMATCH",
            Self::General => "GENERAL",
        }
    }

    /// The reason of an answer with this error.
    pub(crate) const fn reason(self) -> Reason {
        match self {
            Self::FlagNotFound => Reason::NotFound,
            Self::ProviderNotReady | Self::TypeMismatch | Self::General => Reason::Error,
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
