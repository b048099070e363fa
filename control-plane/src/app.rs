//! The application: what handlers share, and the one place that merges the routes of all domains.

use std::sync::Arc;

use axum::{Router, extract::FromRef, middleware};
use serving::{address::TrustedProxies, clock::Clock, layers};
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;

use crate::{
    accounts::{self, Accounts, tokens::Tokens},
    api_keys, approvals, audit,
    config::{AppSettings, SalesSettings, Settings, UrlSettings},
    db::Db,
    edges, environments, flags,
    http::{
        openapi,
        rates::{self, Rates},
    },
    insights::{self, Collector},
    mail::Mailer,
    members,
    mfa::{self, Mfa},
    onboarding, projects, publish, roles, sales, segments,
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
    /// Limits of the API.
    pub rates: Arc<Rates>,
    /// Where links in mail lead.
    pub urls: Arc<UrlSettings>,
    /// Takes mail to be sent.
    pub mailer: Mailer,
    /// Tells how far the edges are.
    pub publisher: publish::Handle,
    /// Who hears of sales inquiries.
    pub sales: SalesSettings,
    /// Stores what edges counted.
    pub usage: Collector,
    /// Whose word about client addresses counts.
    pub trusted_proxies: TrustedProxies,
}

impl AppState {
    /// Puts together what handlers share. Takes tens of milliseconds ([`Accounts::new`]).
    ///
    /// # Panics
    /// When the operating system has no random numbers.
    #[must_use]
    pub fn new(settings: &Settings, db: Db, clock: Clock, publisher: publish::Handle) -> Self {
        let tokens = Arc::new(Tokens::new(&settings.tokens));
        let mfa = Arc::new(Mfa::new(db.clone(), &settings.publish.app_secret));
        let mailer = Mailer::new(&settings.publish.app_secret);
        let accounts = Accounts::new(
            db.clone(),
            Arc::clone(&tokens),
            Arc::clone(&mfa),
            mailer.clone(),
            settings,
        );
        Self {
            rates: Rates::new(settings.rates, &clock),
            sales: settings.sales.clone(),
            trusted_proxies: settings.app.trusted_proxies.clone(),
            urls: Arc::new(settings.urls.clone()),
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

/// The routes of all domains, and their description.
fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::with_openapi(openapi::base())
        .merge(accounts::routes::router())
        .merge(api_keys::routes::router())
        .merge(approvals::routes::router())
        .merge(audit::routes::router())
        .merge(edges::routes::router())
        .merge(environments::routes::router())
        .merge(flags::routes::router())
        .merge(flags::explain::routes::router())
        .merge(flags::states::routes::router())
        .merge(insights::routes::router())
        .merge(members::permissions::routes::router())
        .merge(members::routes::router())
        .merge(mfa::routes::router())
        .merge(onboarding::routes::router())
        .merge(projects::routes::router())
        .merge(roles::routes::router())
        .merge(sales::routes::router())
        .merge(segments::routes::router())
}

/// The API document that the routes make.
#[must_use]
pub fn document() -> OpenApi {
    routes().into_openapi()
}

/// The management API. Give it to [`layers::common`] after everything else is merged.
pub fn router(state: AppState, settings: &AppSettings) -> Router {
    let (routes, document) = routes().split_for_parts();
    let routes = routes
        .merge(openapi::router(document))
        .layer(middleware::from_fn(rates::tell));
    let cors = layers::cors::management(settings.cors_origins.clone());
    layers::half(routes, layers::PRIVATE, cors).with_state(state)
}
