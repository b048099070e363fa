//! Settings that several crates read, and how secrets are read (`docs/settings.md`). Settings of a domain are in its crate.

mod database;
mod listen;
mod mail;
mod pages;
mod urls;

use std::str::FromStr;

use secrecy::{ExposeSecret, SecretString};
use serving::settings::Reader;

pub use self::{
    database::DatabaseSettings,
    listen::{ListenSettings, quic_addr},
    mail::{Encryption, MailRates, MailRoute, MailSettings, SmtpCredentials, SmtpSettings},
    pages::Page,
    urls::UrlSettings,
};
pub use crate::built_in;

/// The prefix of built-in secrets: public knowledge, good only for development.
#[macro_export]
macro_rules! built_in {
    ($name:literal) => {
        concat!("halyard-built-in-insecure-", $name)
    };
}

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

/// `DATABASE_URL`: Postgres 14 or newer. Commands that need nothing else read only this.
pub fn database_url(reader: &mut Reader<'_>) -> SecretString {
    const NAME: &str = "DATABASE_URL";
    reader.secret(NAME).unwrap_or_else(|| {
        reader.problem(NAME, "must be set");
        SecretString::default()
    })
}

/// `APP_SECRET`, for the command that replaces it. No default and no insecure value is accepted, not even in development: with a
/// misspelt variable everything would be sealed with a publicly known secret.
pub fn new_app_secret(reader: &mut Reader<'_>) -> SecretString {
    const NAME: &str = "APP_SECRET";
    let new = reader.secret(NAME).unwrap_or_default();
    if is_insecure(&new) {
        reader.problem(
            NAME,
            "must be set to a secret of your own, of at least 32 bytes",
        );
    }
    new
}

/// `APP_SECRET_OLD`: the previous `APP_SECRET`, for the same command. An insecure value is accepted, so that installations can
/// leave the built-in one.
pub fn old_app_secret(reader: &mut Reader<'_>, new: &SecretString) -> SecretString {
    const NAME: &str = "APP_SECRET_OLD";
    let old = reader.secret(NAME).unwrap_or_default();
    if old.expose_secret().is_empty() {
        let words = concat!(
            "must be set to what APP_SECRET was before; if it was never set, to ",
            built_in!("app-secret"),
        );
        reader.problem(NAME, words);
    } else if old.expose_secret() == new.expose_secret() {
        reader.problem(NAME, "must differ from APP_SECRET");
    }
    old
}

/// A secret with an insecure built-in default, which is refused in production.
pub fn secret(
    reader: &mut Reader<'_>,
    env: AppEnv,
    name: &'static str,
    built_in: &'static str,
) -> SecretString {
    let secret = reader
        .secret(name)
        .unwrap_or_else(|| SecretString::from(built_in));
    if env == AppEnv::Production && is_insecure(&secret) {
        reader.problem(
            name,
            "must be set to a secret of at least 32 bytes in production",
        );
    }
    secret
}

/// Whether a secret is short enough to guess, or public knowledge.
pub fn is_insecure(secret: &SecretString) -> bool {
    let secret = secret.expose_secret();
    secret.len() < 32 || secret.starts_with(built_in!(""))
}
