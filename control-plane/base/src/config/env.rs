//! The kind of installation.

use std::str::FromStr;

/// `APP_ENV`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppEnv {
    /// Insecure defaults cause warnings.
    Development,
    /// Insecure defaults are refused.
    Production,
}

/// A text that names no kind of installation.
#[derive(Debug, thiserror::Error)]
#[error("expected development or production")]
pub struct UnknownAppEnv;

impl FromStr for AppEnv {
    type Err = UnknownAppEnv;

    fn from_str(text: &str) -> Result<Self, UnknownAppEnv> {
        match text {
            "development" => Ok(Self::Development),
            "production" => Ok(Self::Production),
            _ => Err(UnknownAppEnv),
        }
    }
}
