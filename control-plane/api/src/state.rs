//! The shared state of all handlers.

use std::sync::Arc;

use axum::extract::FromRef;
use serving::{address::TrustedProxies, clock::Clock};

use crate::{
    config::FleetSettings,
    http::{access::EndedSessions, rates::Rates},
};
use base::{config::UrlSettings, db::Db, limits::Limiter, mail::Mailer};
use domain::{
    accounts::{Accounts, tokens::Tokens},
    billing::Billing,
    lifecycle::{Lifecycle, removal::Removals},
    mfa::Mfa,
    migration::Migrations,
    sales::settings::SalesSettings,
    scim::settings::ScimSettings,
    sign_in::Providers,
    usage::Collector,
    webhooks::Webhooks,
};
use publish::{Publisher, live::Live};

/// The shared state of handlers. Cheap to clone.
#[derive(Clone, FromRef)]
pub struct AppState {
    pub db: Db,
    pub clock: Clock,
    /// Issues and checks tokens.
    pub tokens: Arc<Tokens>,
    pub accounts: Arc<Accounts>,
    pub mfa: Arc<Mfa>,
    pub ended_sessions: EndedSessions,
    pub rates: Arc<Rates>,
    /// Automatic changes of organizations.
    pub lifecycle: Lifecycle,
    /// Base addresses of links in mail.
    pub urls: Arc<UrlSettings>,
    pub mailer: Mailer,
    /// Publishing, and the state of edges.
    pub publisher: Publisher,
    /// Checkouts and subscriptions.
    pub billing: Arc<Billing>,
    pub webhooks: Arc<Webhooks>,
    /// Sign-in by providers of organizations.
    pub providers: Arc<Providers>,
    /// Imports from other platforms.
    pub migrations: Arc<Migrations>,
    /// Who may enroll edges.
    pub fleet: Arc<FleetSettings>,
    pub sales: SalesSettings,
    pub scim: ScimSettings,
    /// Permits for pages that take long to find.
    #[from_ref(skip)]
    pub long_pages: Limiter,
    /// Permits for reports.
    #[from_ref(skip)]
    pub heavy_pages: Limiter,
    /// Permits for changing many flags.
    #[from_ref(skip)]
    pub bulk_edits: Limiter,
    /// Permits for changing all definitions of a project.
    #[from_ref(skip)]
    pub content_writes: Limiter,
    /// Permits for checking rules.
    #[from_ref(skip)]
    pub checks: Limiter,
    /// Notified of removed environments.
    pub removals: Removals,
    /// Stores the edges' counters.
    pub usage: Collector,
    pub live: Live,
    /// Proxies whose client addresses are trusted.
    pub trusted_proxies: TrustedProxies,
}
