//! What the handlers of all domains share.

use std::sync::Arc;

use axum::extract::FromRef;
use serving::{address::TrustedProxies, clock::Clock};

use crate::{
    accounts::{Accounts, tokens::Tokens},
    billing::Billing,
    checks::Checks,
    config::{SalesSettings, ScimSettings, Settings, UrlSettings},
    db::Db,
    environments::removal::Removals,
    http::{access::EndedSessions, rates::Rates},
    lifecycle::Lifecycle,
    live::Live,
    long_pages::LongPages,
    mail::Mailer,
    mfa::Mfa,
    migration::Migrations,
    outbound::guard::Resolver,
    publish,
    service::Lifetime,
    usage::Collector,
    webhooks::Webhooks,
};

/// What handlers share. Cheap to clone.
#[derive(Clone, FromRef)]
pub struct AppState {
    /// The database.
    pub db: Db,
    /// The time.
    pub clock: Clock,
    /// Issues and checks tokens.
    pub tokens: Arc<Tokens>,
    /// Users and their sessions.
    pub accounts: Arc<Accounts>,
    /// Second factors of users.
    pub mfa: Arc<Mfa>,
    /// Sessions that have ended while their tokens still look right.
    pub ended_sessions: EndedSessions,
    /// Limits of the API.
    pub rates: Arc<Rates>,
    /// What happens to organizations by itself.
    pub lifecycle: Lifecycle,
    /// Where links in mail lead.
    pub urls: Arc<UrlSettings>,
    /// Takes mail to be sent.
    pub mailer: Mailer,
    /// Tells how far the edges are.
    pub publisher: publish::Publisher,
    /// Checkouts and subscriptions.
    pub billing: Arc<Billing>,
    /// Takes webhooks.
    pub webhooks: Arc<Webhooks>,
    /// Imports from other platforms.
    pub migrations: Arc<Migrations>,
    /// Who hears of sales inquiries.
    pub sales: SalesSettings,
    /// What identity providers cause.
    pub scim: ScimSettings,
    /// Places for pages that take long to find.
    pub long_pages: LongPages,
    /// Places for checking rules.
    pub checks: Checks,
    /// Hears of environments that are removed.
    pub removals: Removals,
    /// Stores what edges counted.
    pub usage: Collector,
    /// The streams of dashboards.
    pub live: Live,
    /// Whose word about client addresses counts.
    pub trusted_proxies: TrustedProxies,
}

impl AppState {
    /// Puts together what handlers share. Takes tens of milliseconds ([`Accounts::new`]).
    ///
    /// # Panics
    /// When the operating system has no random numbers.
    pub fn new(
        settings: &Settings,
        db: Db,
        clock: Clock,
        resolver: Resolver,
        publisher: publish::Publisher,
        lifetime: &Lifetime,
    ) -> Self {
        let tokens = Arc::new(Tokens::new(&settings.tokens));
        let mfa = Arc::new(Mfa::new(db.clone(), &settings.publish.app_secret));
        let mailer = Mailer::new(&settings.publish.app_secret, settings.mail.rates);
        let accounts = Accounts::new(
            db.clone(),
            Arc::clone(&tokens),
            Arc::clone(&mfa),
            mailer.clone(),
            settings,
            lifetime.tasks.clone(),
        );
        let billing = Billing::new(db.clone(), clock.clone(), mailer.clone(), settings);
        let urls = Arc::new(settings.urls.clone());
        let lifecycle = Lifecycle::new(
            db.clone(),
            clock.clone(),
            mailer.clone(),
            Arc::clone(&urls),
            settings.lifecycle,
        );
        let migrations = Migrations::new(
            db.clone(),
            clock.clone(),
            resolver.clone(),
            publisher.clone(),
            settings.migration.clone(),
            lifetime,
        );
        let webhooks = Webhooks::new(
            db.clone(),
            clock.clone(),
            resolver,
            &settings.publish.app_secret,
            settings.webhooks.clone(),
        );
        Self {
            billing: Arc::new(billing),
            webhooks: Arc::new(webhooks),
            migrations,
            lifecycle,
            live: Live::new(
                db.clone(),
                clock.clone(),
                settings.live,
                publisher.clone(),
                &settings.publish.app_secret,
                lifetime.stop.clone(),
            ),
            removals: Removals::default(),
            long_pages: LongPages::default(),
            checks: Checks::default(),
            ended_sessions: EndedSessions::default(),
            rates: Rates::new(settings.rates, &clock),
            sales: settings.sales.clone(),
            scim: settings.scim,
            trusted_proxies: settings.app.trusted_proxies.clone(),
            urls,
            accounts: Arc::new(accounts),
            tokens,
            mailer,
            mfa,
            usage: publisher.usage().clone(),
            publisher,
            clock,
            db,
        }
    }
}
