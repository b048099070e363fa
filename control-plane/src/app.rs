//! The application: the one place that merges the routes of all domains.

use axum::{Extension, Router, middleware};
use serving::layers;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;

use crate::{
    accounts, api_keys, approvals, audit, billing,
    config::AppSettings,
    edges, environments, flags,
    http::{
        behalf,
        fields::{self, Known},
        openapi, rates,
    },
    live, me, members, mfa, migration, onboarding, projects, roles, sales, scim, search, segments,
    sessions,
    state::AppState,
    usage, webhooks,
};

/// The routes of all domains, and their description.
fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::with_openapi(openapi::base())
        .merge(accounts::routes::router())
        .merge(api_keys::routes::router())
        .merge(approvals::routes::router())
        .merge(audit::routes::router())
        .merge(billing::routes::router())
        .merge(edges::routes::router())
        .merge(environments::routes::router())
        .merge(live::routes::router())
        .merge(flags::routes::router())
        .merge(flags::explain::routes::router())
        .merge(flags::history::routes::router())
        .merge(flags::overview::routes::router())
        .merge(flags::states::routes::router())
        .merge(flags::uses::routes::router())
        .merge(usage::routes::router())
        .merge(me::routes::router())
        .merge(members::permissions::routes::router())
        .merge(members::routes::router())
        .merge(mfa::routes::router())
        .merge(migration::routes::router())
        .merge(onboarding::routes::router())
        .merge(openapi::router())
        .merge(projects::routes::router())
        .merge(roles::routes::router())
        .merge(sales::routes::router())
        .merge(scim::routes::router())
        .merge(scim::tokens::routes::router())
        .merge(search::routes::router())
        .merge(segments::routes::router())
        .merge(sessions::routes::router())
        .merge(webhooks::routes::router())
}

/// The API document that the routes make, with what edges say of theirs.
pub fn document(evaluation: OpenApi) -> OpenApi {
    let all = routes().merge(sessions::routes::page_router());
    openapi::complete(all.into_openapi(), evaluation)
}

/// The management API, and the document of that and of what edges answer. Give it to [`layers::common`] after everything else is
/// merged.
pub fn router(state: AppState, settings: &AppSettings, evaluation: OpenApi) -> Router {
    let (routes, mut described) = routes().split_for_parts();
    // What goes by the cookie is for our own pages: no other origin is told that it may call.
    let (of_pages, described_of_pages) = sessions::routes::page_router().split_for_parts();
    described.merge(described_of_pages);
    let known = Known::from_document(&described);
    let served = openapi::Served::new(|| document(evaluation));
    let observed = |routes: Router<AppState>| {
        routes
            .layer(Extension(served.clone()))
            .layer(middleware::from_fn_with_state(known.clone(), fields::tell))
            .layer(middleware::from_fn_with_state(
                settings.trusted_proxies.clone(),
                behalf::answer,
            ))
            .layer(middleware::from_fn(rates::tell))
    };
    let cors = layers::cors::management(settings.cors_origins.clone());
    let of_pages = layers::half(observed(of_pages), layers::PRIVATE, layers::cors::none());
    layers::half(observed(routes), layers::PRIVATE, cors)
        .merge(of_pages)
        .layer(layers::catch_panics())
        .layer(middleware::from_fn(scim::routes::in_scim_form))
        .with_state(state)
}
