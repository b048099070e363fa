//! Settings of the control plane: environment variables, read once at start (`docs/settings.md`).
//!
//! There is one struct per topic, in the crate of the topic's owner, and no global. All problems are reported at once.

mod production;

use std::time::Duration;

use api::config::{AppSettings, FleetSettings, RateSettings};
use base::config::{
    AppEnv, DatabaseSettings, ListenSettings, MailSettings, UrlSettings, is_insecure,
};
use domain::{
    accounts::{
        Setup,
        settings::{AccountSettings, SignInSettings, TokenSettings},
    },
    audit::settings::AuditSettings,
    billing::settings::BillingSettings,
    lifecycle::settings::LifecycleSettings,
    migration::settings::MigrationSettings,
    sales::settings::SalesSettings,
    scim::settings::ScimSettings,
    sign_in::settings::ProviderSettings,
    usage::settings::UsageSettings,
    webhooks::settings::WebhookSettings,
};
use publish::config::{LiveSettings, PublishSettings};
use serving::{
    leaving,
    settings::{Problems, Reader, Source},
    telemetry::TelemetrySettings,
};

/// All settings of `halyard serve`.
#[derive(Debug)]
pub struct Settings {
    /// The kind of installation, browser origins and proxies.
    pub database: DatabaseSettings,
    /// The kind of installation, and what it may do.
    pub app: AppSettings,
    /// Addresses and time-outs of listeners.
    pub listen: ListenSettings,
    /// `SHUTDOWN_DELAY`: how long it answers on after the signal to stop; default 0 in development, `10s` in production.
    pub shutdown_delay: Duration,
    /// Public addresses of the service.
    pub urls: UrlSettings,
    /// Tokens of signed-in members.
    pub tokens: TokenSettings,
    pub accounts: AccountSettings,
    /// Who may enroll edges by the API.
    pub fleet: FleetSettings,
    pub audit: AuditSettings,
    /// Payment gateways.
    pub billing: BillingSettings,
    /// Times of automatic changes of organizations.
    pub lifecycle: LifecycleSettings,
    /// Event streams of dashboards.
    pub live: LiveSettings,
    pub mail: MailSettings,
    /// Imports from other platforms.
    pub migration: MigrationSettings,
    /// Passwords and lockout.
    pub sign_in: SignInSettings,
    /// Recipients of sales inquiries.
    pub sales: SalesSettings,
    /// Provisioning by identity providers.
    pub scim: ScimSettings,
    /// Sign-in by providers of organizations.
    pub providers: ProviderSettings,
    /// Publishing to edges.
    pub publish: PublishSettings,
    /// Usage data of edges.
    pub usage: UsageSettings,
    pub webhooks: WebhookSettings,
    /// Rate limits of the management API.
    pub rates: RateSettings,
    /// Variables with publicly known secrets. Only development starts with any; they cause warnings.
    pub insecure: Vec<&'static str>,
    /// What is unwise in production.
    pub warnings: Vec<(&'static str, &'static str)>,
}

impl Settings {
    /// Reads all settings, and those of telemetry.
    ///
    /// # Errors
    /// Lists everything that is missing, malformed, or refused in production, each under its variable's name.
    pub fn load(source: &dyn Source) -> Result<(Self, TelemetrySettings), Problems> {
        let mut reader = Reader::new(source);
        let settings = Self::read(&mut reader);
        reader.finish()?;
        Ok(settings)
    }

    /// The settings that accounts depend on.
    pub const fn setup_of_accounts(&self) -> Setup<'_> {
        Setup {
            accounts: &self.accounts,
            sign_in: &self.sign_in,
            urls: &self.urls,
            app_secret: &self.publish.app_secret,
        }
    }

    /// Like [`Self::load`], with a reader that is also used for other settings.
    pub fn read(reader: &mut Reader<'_>) -> (Self, TelemetrySettings) {
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
        let fleet = FleetSettings::load(
            reader,
            &accounts.data_regions,
            &publish.quic_name,
            listen.quic,
            &urls,
        );
        let shutdown_delay = match app.env {
            AppEnv::Development => Duration::ZERO,
            AppEnv::Production => leaving::USUAL_DELAY,
        };
        let mut settings = Self {
            warnings: Vec::new(),
            shutdown_delay: leaving::delay(reader, shutdown_delay),
            database: DatabaseSettings::load(reader),
            audit: AuditSettings::load(reader),
            billing: BillingSettings::load(reader),
            lifecycle: LifecycleSettings::load(reader),
            live: LiveSettings::load(reader),
            mail: MailSettings::load(reader, app.env),
            migration: MigrationSettings::load(reader, app.env, accounts.signup),
            accounts,
            fleet,
            sign_in: SignInSettings::load(reader),
            sales: SalesSettings::load(reader),
            scim: ScimSettings::load(reader),
            rates: RateSettings::load(reader),
            usage: UsageSettings::load(reader),
            webhooks: WebhookSettings::load(reader),
            providers: ProviderSettings::load(reader),
            app,
            listen,
            urls,
            tokens,
            publish,
            insecure,
        };
        settings.warnings = production::check(&settings, reader);
        let telemetry = TelemetrySettings::load(reader, "halyard");
        (settings, telemetry)
    }
}

#[cfg(test)]
mod tests;
