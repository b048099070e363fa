//! Settings of the control plane: environment variables, read once at start (decisions, chapter 9).
//!
//! One struct a topic, handed to whoever owns the topic; there is no global. All problems are told at once.

mod accounts;
mod app;
mod listen;
mod publishing;
mod rates;
mod tokens;

use secrecy::SecretString;
use serving::{
    settings::{Problems, Reader, Source},
    telemetry::LogSettings,
};

pub use self::{
    accounts::AccountSettings,
    app::{AppEnv, AppSettings},
    listen::ListenSettings,
    publishing::PublishSettings,
    rates::RateSettings,
    tokens::TokenSettings,
};

/// Everything that `halyard serve` reads.
#[derive(Debug)]
pub struct Settings {
    /// Where Postgres is, `DATABASE_URL`.
    pub database_url: SecretString,
    /// What kind of installation this is, and what it may do.
    pub app: AppSettings,
    /// Addresses and time-outs of listeners.
    pub listen: ListenSettings,
    /// Tokens of signed-in members.
    pub tokens: TokenSettings,
    /// Accounts.
    pub accounts: AccountSettings,
    /// Publishing to edges.
    pub publish: PublishSettings,
    /// Rates of the management API.
    pub rates: RateSettings,
    /// The log.
    pub log: LogSettings,
}

impl Settings {
    /// Reads all settings.
    ///
    /// # Errors
    /// Everything that is missing, malformed, or refused in production, by variable name.
    pub fn load(source: &dyn Source) -> Result<Self, Problems> {
        let mut reader = Reader::new(source);
        let app = AppSettings::load(&mut reader);
        let listen = ListenSettings::load(&mut reader);
        let tokens = TokenSettings::load(&mut reader, app.env);
        let settings = Self {
            database_url: database_url(&mut reader),
            accounts: AccountSettings::load(&mut reader),
            publish: PublishSettings::load(&mut reader, app.env),
            rates: RateSettings::load(&mut reader),
            log: LogSettings::load(&mut reader),
            app,
            listen,
            tokens,
        };
        reader.finish()?;
        Ok(settings)
    }
}

/// `DATABASE_URL`: Postgres 14 or newer. Commands that need nothing else read it alone.
pub fn database_url(reader: &mut Reader<'_>) -> SecretString {
    reader.required("DATABASE_URL").into()
}

/// A secret that has an insecure built-in default: refused in production, warned about elsewhere.
fn insecure_default(
    reader: &mut Reader<'_>,
    env: AppEnv,
    name: &'static str,
    default: &'static str,
) -> SecretString {
    const MIN_LENGTH: usize = 32;
    let given = reader.optional(name);
    let secure = given
        .as_ref()
        .is_some_and(|secret| secret.len() >= MIN_LENGTH && secret != default);
    if !secure {
        match env {
            AppEnv::Production => {
                reader.problem(
                    name,
                    "must be set to a secret of at least 32 bytes in production",
                );
            }
            AppEnv::Development => {
                tracing::warn!(
                    setting = name,
                    "insecure secret: set one of at least 32 random bytes before production"
                );
            }
        }
    }
    given.unwrap_or_else(|| default.to_owned()).into()
}
