//! What the handlers of all domains share.

use std::sync::Arc;

use axum::extract::FromRef;
use serving::{address::TrustedProxies, clock::Clock};

use crate::http::{access::EndedSessions, rates::Rates};
use base::{config::UrlSettings, db::Db, limits::Limiter, mail::Mailer};
use domain::{
    accounts::{Accounts, tokens::Tokens},
    billing::Billing,
    config::{SalesSettings, ScimSettings},
    environments::removal::Removals,
    lifecycle::Lifecycle,
    mfa::Mfa,
    migration::Migrations,
    usage::Collector,
    webhooks::Webhooks,
};
use publish;
use publish::live::Live;

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
    /// Permits for pages that take long to find.
    #[from_ref(skip)]
    pub long_pages: Limiter,
    /// Permits for checking rules.
    #[from_ref(skip)]
    pub checks: Limiter,
    /// Hears of environments that are removed.
    pub removals: Removals,
    /// Stores what edges counted.
    pub usage: Collector,
    /// The streams of dashboards.
    pub live: Live,
    /// Whose word about client addresses counts.
    pub trusted_proxies: TrustedProxies,
}
