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
mod mail;
mod migration;
mod proofs;
mod publishing;
mod rates;
mod sales;
mod scim;
mod sign_in;
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
    listen::ListenSettings,
    mail::{Encryption, MailRates, MailRoute, MailSettings, SmtpCredentials, SmtpSettings},
    migration::MigrationSettings,
    proofs::ProofSettings,
    publishing::{LookupSettings, PublishSettings},
    rates::RateSettings,
    sales::SalesSettings,
    scim::ScimSettings,
    sign_in::{LockoutSettings, SignInSettings},
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
        let urls = UrlSettings::load(reader, listen.http);
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
        let settings = Self {
            database: DatabaseSettings::load(reader),
            accounts: AccountSettings::load(reader),
            audit: AuditSettings::load(reader),
            billing: BillingSettings::load(reader),
            lifecycle: LifecycleSettings::load(reader),
            mail: MailSettings::load(reader, app.env),
            migration: MigrationSettings::load(reader, app.env),
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

/// `DATABASE_URL`: Postgres 14 or newer. Commands that need nothing else read only this.
pub fn database_url(reader: &mut Reader<'_>) -> SecretString {
    reader.required("DATABASE_URL").into()
}

/// `APP_SECRET_OLD`: what `APP_SECRET` was before, for the command that replaces it.
pub fn old_app_secret(reader: &mut Reader<'_>, new: &SecretString) -> SecretString {
    const NAME: &str = "APP_SECRET_OLD";
    let old = reader.secret(NAME).unwrap_or_default();
    if old.expose_secret().is_empty() {
        reader.problem(NAME, "must be set to what APP_SECRET was before");
    } else if old.expose_secret() == new.expose_secret() {
        reader.problem(NAME, "must differ from APP_SECRET");
    }
    old
}

/// The prefix of built-in secrets: public knowledge, good only for development.
macro_rules! built_in {
    ($name:literal) => {
        concat!("halyard-built-in-insecure-", $name)
    };
}
use built_in;

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
mod tests {
    use std::{collections::BTreeMap, time::Duration};

    use super::*;
    use crate::members::model::Role;

    fn load(pairs: &[(&str, &str)]) -> Result<Settings, Problems> {
        let database = ("DATABASE_URL", "postgres://localhost/halyard");
        let all = [database].into_iter().chain(pairs.iter().copied());
        let source: BTreeMap<String, String> = all
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        Settings::load(&source).map(|(settings, _)| settings)
    }

    #[test]
    fn development_starts_with_built_in_secrets_and_knows_which() {
        let settings = load(&[]).unwrap();
        assert_eq!(settings.insecure, ["APP_SECRET", "JWT_SECRET"]);
    }

    #[test]
    fn production_refuses_built_in_and_short_secrets() {
        let problems = load(&[("APP_ENV", "production"), ("JWT_SECRET", "short")])
            .unwrap_err()
            .to_string();
        for name in ["APP_SECRET", "JWT_SECRET"] {
            let told = format!("{name} must be set to a secret of at least 32 bytes in production");
            assert!(problems.contains(&told), "{problems}");
        }
    }

    #[test]
    fn production_starts_with_secrets_of_its_own() {
        let secret = "0123456789abcdef0123456789abcdef";
        let settings = load(&[
            ("APP_ENV", "production"),
            ("JWT_SECRET", secret),
            ("APP_SECRET", secret),
            ("SMTP_URL", "smtp://mail.example.com"),
            ("MAIL_FROM", "flags@example.com"),
            ("APP_BASE_URL", "https://flags.example.com"),
            ("DASHBOARD_URL", "https://dashboard.example.com/app"),
        ])
        .unwrap();
        assert_eq!(settings.insecure, [""; 0]);
        assert_eq!(settings.app.cors_origins, ["https://dashboard.example.com"]);
    }

    #[test]
    fn production_refuses_links_and_senders_of_this_machine() {
        let production = |name, value| {
            let problems = load(&[("APP_ENV", "production"), (name, value)]);
            problems.unwrap_err().to_string()
        };
        for address in [
            "",
            "http://0.0.0.0:8080",
            "http://[::]:8080",
            "http://127.0.0.2",
            "http://[::ffff:127.0.0.1]",
            "https://localhost:3000",
            "https://flags.localhost.",
        ] {
            for name in ["APP_BASE_URL", "DASHBOARD_URL"] {
                let problems = production(name, address);
                let told = "must be where people reach it in production";
                let is_told = |line: &str| line.contains(name) && line.contains(told);
                assert!(
                    problems.lines().any(is_told),
                    "{name}={address}: {problems}"
                );
            }
        }
        for from in ["", "Flags <flags@LOCALHOST>", "flags@127.0.0.1"] {
            let problems = production("MAIL_FROM", from);
            assert!(problems.contains("MAIL_FROM must be"), "{from}: {problems}");
        }
        let bound = production("CONTROL_HTTP_ADDR", "0.0.0.0:80");
        assert!(
            bound.contains("APP_BASE_URL `http://0.0.0.0:80`"),
            "{bound}"
        );
        let good = production("APP_BASE_URL", "https://10.0.0.7");
        assert!(!good.contains("APP_BASE_URL"), "{good}");
    }

    #[test]
    fn origins_are_those_that_browsers_send() {
        let origins = |pairs: &[(&str, &str)]| load(pairs).map(|it| it.app.cors_origins);
        let derived = origins(&[("DASHBOARD_URL", "https://a.b:443/flags/?")]);
        assert!(derived.is_err(), "links have no query");
        let derived = origins(&[("DASHBOARD_URL", "https://A.b:443/flags/")]).unwrap();
        assert_eq!(derived, ["https://a.b"]);
        let listed = origins(&[("CORS_ORIGIN", "https://a.b/, http://C.d:8080,http://e.f:80")]);
        let expected = ["https://a.b", "http://c.d:8080", "http://e.f"];
        assert_eq!(listed.unwrap(), expected);
        for text in [
            "a.b",
            "null",
            "https://a.b/flags",
            "https://a.b?c",
            "https://ada@a.b",
            "ftp://a.b",
            "https://*.a.b",
            "https://a.b, c",
        ] {
            let problems = origins(&[("CORS_ORIGIN", text)]).unwrap_err().to_string();
            assert!(problems.contains("CORS_ORIGIN"), "{text}: {problems}");
        }
    }

    /// Every one of them, so that none starts and fails at its first use.
    #[test]
    fn durations_beyond_their_bounds_are_refused_all_at_once() {
        let huge = "18446744073709551615ms";
        let above_zero = [
            "HEADER_TIMEOUT",
            "KEEP_ALIVE_TIMEOUT",
            "LOCKOUT_WINDOW",
            "TRIAL_LENGTH",
            "LIFECYCLE_INTERVAL",
            "GATEWAY_TIMEOUT",
            "WEBHOOK_TIMEOUT",
            "OTP_TTL",
            "PASSWORD_RESET_TTL",
            "EMAIL_VERIFICATION_TTL",
            "ONE_TIME_TOKEN_TTL",
        ];
        let or_zero = [
            "SNAPSHOT_WAIT",
            "EDGES_WAIT",
            "REFRESH_REUSE_LEEWAY",
            "TRIAL_NOTICE",
            "PAST_DUE_GRACE",
            "INACTIVITY_LIMIT",
            "INACTIVITY_GRACE",
            "INACTIVITY_WARNING",
            "WEBHOOK_RETRY_WAITS",
            "OTP_RESEND_INTERVAL",
            "MAIL_INTERVAL",
            "AUDIT_RETENTION",
            "USAGE_FLUSH_WAIT",
        ];
        let all = [&above_zero[..], &or_zero[..]].concat();
        let problems = load(&all.iter().map(|name| (*name, huge)).collect::<Vec<_>>());
        let problems = problems.unwrap_err().to_string();
        for name in &all {
            assert!(
                problems.contains(&format!("\n  {name} ")),
                "{name}: {problems}"
            );
        }
        let zero = load(&above_zero.map(|name| (name, "0"))).unwrap_err();
        for name in above_zero {
            let told = format!("\n  {name} `0`: must be from ");
            assert!(zero.to_string().contains(&told), "{name}: {zero}");
        }
        load(&or_zero.map(|name| (name, "0"))).unwrap();
        for (name, value) in [
            ("TOKEN_TTL_MINUTES", "0"),
            ("TOKEN_TTL_MINUTES", "5256001"),
            ("REFRESH_TTL_HOURS", "0"),
            ("REFRESH_TTL_HOURS", "4294967295"),
        ] {
            let problems = load(&[(name, value)]).unwrap_err().to_string();
            assert!(problems.contains(&format!("{name} `{value}`: must be from 1 to ")));
        }
    }

    #[test]
    fn a_wildcard_is_not_an_origin() {
        let problems = load(&[("CORS_ORIGIN", "*")]).unwrap_err().to_string();
        assert!(problems.contains("CORS_ORIGIN"), "{problems}");
    }

    #[test]
    fn link_bases_are_http_urls() {
        for text in [
            "flags.example.com",
            "ftp://flags.example.com",
            "https://a.b/?c=d",
        ] {
            let problems = load(&[("APP_BASE_URL", text)]).unwrap_err().to_string();
            assert!(problems.contains("APP_BASE_URL"), "{problems}");
        }
        let urls = load(&[("DASHBOARD_URL", "https://a.b/flags/")])
            .unwrap()
            .urls;
        assert_eq!(urls.dashboard, "https://a.b/flags");
        assert_eq!(urls.api, "http://127.0.0.1:8080");
    }

    #[test]
    fn the_audit_trail_is_kept_for_ever_unless_a_time_is_given() {
        let retention = |text| load(&[("AUDIT_RETENTION", text)]).map(|it| it.audit.retention);
        for text in ["", "0", "0d"] {
            assert_eq!(retention(text).unwrap(), None);
        }
        let year = Duration::from_secs(365 * 24 * 60 * 60);
        assert_eq!(retention("365d").unwrap(), Some(year));
        let problems = retention("36501d").unwrap_err().to_string();
        assert!(problems.contains("AUDIT_RETENTION"), "{problems}");
    }

    #[test]
    fn sales_inquiries_are_mailed_to_an_address() {
        assert!(load(&[]).unwrap().sales.notify.is_none());
        let settings = load(&[("SALES_NOTIFY_EMAIL", "Sales@Example.com")]).unwrap();
        assert_eq!(settings.sales.notify.unwrap().as_str(), "sales@example.com");
        let problems = load(&[("SALES_NOTIFY_EMAIL", "nobody")]).unwrap_err();
        assert!(problems.to_string().contains("SALES_NOTIFY_EMAIL"));
    }

    #[test]
    fn identity_providers_make_no_owners() {
        let role = |text| load(&[("SCIM_DEFAULT_ROLE", text)]).map(|it| it.scim.default_role);
        assert_eq!(role("").unwrap(), Role::Developer);
        assert_eq!(role("viewer").unwrap(), Role::Viewer);
        assert_eq!(role("admin").unwrap(), Role::Admin);
        for text in ["owner", "Admin", "editor"] {
            let problems = role(text).unwrap_err().to_string();
            assert!(problems.contains("SCIM_DEFAULT_ROLE"), "{problems}");
        }
    }

    #[test]
    fn zero_attempts_are_refused() {
        let problems = load(&[("OTP_MAX_ATTEMPTS", "0"), ("MAIL_CODES_PER_HOUR", "0")]);
        let problems = problems.unwrap_err().to_string();
        for name in ["OTP_MAX_ATTEMPTS", "MAIL_CODES_PER_HOUR"] {
            assert!(problems.contains(name), "{problems}");
        }
    }
}
