//! Settings of the control plane: environment variables, read once at start (`docs/settings.md`).
//!
//! There is one struct per topic, handed to the topic's owner, and no global. All problems are reported at once.

mod accounts;
mod app;
mod audit;
mod billing;
mod database;
mod lifecycle;
mod listen;
mod live;
mod mail;
mod migration;
mod proofs;
mod publishing;
mod rates;
mod sales;
mod scim;
mod sign_in;
mod signup;
mod tokens;
mod urls;
mod usage;
mod webhooks;

use secrecy::{ExposeSecret, SecretString};
use serving::{
    settings::{Problems, Reader, Source},
    telemetry::LogSettings,
};

pub use self::{
    accounts::{AccountSettings, data_regions, trial_length},
    app::{AppEnv, AppSettings},
    audit::AuditSettings,
    billing::{BillingSettings, FormGatewaySettings, RedirectGatewaySettings},
    database::DatabaseSettings,
    lifecycle::LifecycleSettings,
    listen::{ListenSettings, quic_addr},
    live::LiveSettings,
    mail::{Encryption, MailRates, MailRoute, MailSettings, SmtpCredentials, SmtpSettings},
    migration::MigrationSettings,
    proofs::ProofSettings,
    publishing::{LookupSettings, PublishSettings, QUIC_NAME},
    rates::RateSettings,
    sales::SalesSettings,
    scim::ScimSettings,
    sign_in::{LockoutSettings, SignInSettings},
    signup::{FirstPlan, SignupPolicy},
    tokens::TokenSettings,
    urls::UrlSettings,
    usage::UsageSettings,
    webhooks::WebhookSettings,
};

/// All settings of `halyard serve`.
#[derive(Debug)]
pub struct Settings {
    /// The database.
    pub database: DatabaseSettings,
    /// The kind of installation, and what it may do.
    pub app: AppSettings,
    /// Addresses and time-outs of listeners.
    pub listen: ListenSettings,
    /// Where people find the service.
    pub urls: UrlSettings,
    /// Tokens of signed-in members.
    pub tokens: TokenSettings,
    /// Accounts.
    pub accounts: AccountSettings,
    /// The audit trail.
    pub audit: AuditSettings,
    /// Payment gateways.
    pub billing: BillingSettings,
    /// When organizations change by themselves.
    pub lifecycle: LifecycleSettings,
    /// Event streams of dashboards.
    pub live: LiveSettings,
    /// Mail.
    pub mail: MailSettings,
    /// Imports from other platforms.
    pub migration: MigrationSettings,
    /// Passwords and lockout.
    pub sign_in: SignInSettings,
    /// Who is notified of sales inquiries.
    pub sales: SalesSettings,
    /// Provisioning by identity providers.
    pub scim: ScimSettings,
    /// Publishing to edges.
    pub publish: PublishSettings,
    /// What edges count.
    pub usage: UsageSettings,
    /// Webhooks.
    pub webhooks: WebhookSettings,
    /// Rate limits of the management API.
    pub rates: RateSettings,
    /// Variables whose secrets are public knowledge. Only development starts with any; warn about them.
    pub insecure: Vec<&'static str>,
}

impl Settings {
    /// Reads all settings, and those of the log.
    ///
    /// # Errors
    /// Lists everything that is missing, malformed, or refused in production, each under its variable's name.
    pub fn load(source: &dyn Source) -> Result<(Self, LogSettings), Problems> {
        let mut reader = Reader::new(source);
        let settings = Self::read(&mut reader);
        reader.finish()?;
        Ok(settings)
    }

    /// Like [`Self::load`], with a reader that is also used for other settings.
    pub fn read(reader: &mut Reader<'_>) -> (Self, LogSettings) {
        let listen = ListenSettings::load(reader);
        let urls = UrlSettings::load(reader, &listen);
        let app = AppSettings::load(reader, &urls);
        let tokens = TokenSettings::load(reader, app.env);
        let publish = PublishSettings::load(reader, app.env);
        let secrets = [
            ("APP_SECRET", &publish.app_secret),
            ("JWT_SECRET", &tokens.secret),
        ];
        let insecure = secrets
            .iter()
            .filter(|(_, secret)| is_insecure(secret))
            .map(|(name, _)| *name)
            .collect();
        let accounts = AccountSettings::load(reader);
        let settings = Self {
            database: DatabaseSettings::load(reader),
            audit: AuditSettings::load(reader),
            billing: BillingSettings::load(reader),
            lifecycle: LifecycleSettings::load(reader),
            live: LiveSettings::load(reader),
            mail: MailSettings::load(reader, app.env),
            migration: MigrationSettings::load(reader, app.env, accounts.signup),
            accounts,
            sign_in: SignInSettings::load(reader),
            sales: SalesSettings::load(reader),
            scim: ScimSettings::load(reader),
            rates: RateSettings::load(reader),
            usage: UsageSettings::load(reader),
            webhooks: WebhookSettings::load(reader),
            app,
            listen,
            urls,
            tokens,
            publish,
            insecure,
        };
        let log = LogSettings::load(reader);
        (settings, log)
    }
}

/// The prefix of built-in secrets: public knowledge, good only for development.
macro_rules! built_in {
    ($name:literal) => {
        concat!("halyard-built-in-insecure-", $name)
    };
}
use built_in;

/// `DATABASE_URL`: Postgres 14 or newer. Commands that need nothing else read only this.
pub fn database_url(reader: &mut Reader<'_>) -> SecretString {
    reader.required("DATABASE_URL").into()
}

/// `APP_SECRET`, for the command that replaces it. There is no default, and nothing insecure is taken, not even in
/// development: a variable that was misspelt would otherwise seal everything with what everybody knows.
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

/// `APP_SECRET_OLD`: what `APP_SECRET` was before, for the same command. It may be insecure: whoever began with the built-in
/// one must be able to leave it, and says so by name.
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

/// Shorter secrets can be guessed.
const MIN_SECRET: usize = 32;

/// A secret with an insecure built-in default, which is refused in production.
fn secret(
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

fn is_insecure(secret: &SecretString) -> bool {
    let secret = secret.expose_secret();
    secret.len() < MIN_SECRET || secret.starts_with(built_in!(""))
}

#[cfg(test)]
mod tests;
