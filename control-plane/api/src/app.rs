//! The application: the one place that merges the routes of all domains.

use std::sync::{Arc, LazyLock};

use axum::{Extension, Router, middleware};
use serving::layers;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;

use crate::{
    access_tokens, accounts, api_keys, approvals, audit, billing, change_sets,
    config::AppSettings,
    content, edges, environments, flags, grants,
    http::{
        Routes, behalf,
        fields::{self, Known},
        openapi, rates,
    },
    live, me, members, mfa, migration, onboarding, organization, projects, references, rehearsals,
    roles, sales, sampling, scim, search, segments, service_accounts, sessions, sign_in,
    signing_keys,
    state::AppState,
    team, usage, webhooks, what_if,
};

/// The routes of all domains, and their description.
fn routes() -> Routes {
    OpenApiRouter::with_openapi(openapi::base())
        .merge(access_tokens::router())
        .merge(accounts::router())
        .merge(api_keys::router())
        .merge(approvals::router())
        .merge(audit::router())
        .merge(billing::router())
        .merge(change_sets::router())
        .merge(content::router())
        .merge(edges::router())
        .merge(environments::router())
        .merge(grants::router())
        .merge(live::router())
        .merge(flags::router())
        .merge(flags::archive::router())
        .merge(flags::bulk::router())
        .merge(flags::compare::router())
        .merge(flags::explain::routes::router())
        .merge(flags::history::router())
        .merge(flags::overview::router())
        .merge(flags::states::router())
        .merge(flags::uses::router())
        .merge(usage::router())
        .merge(me::router())
        .merge(members::permissions::router())
        .merge(members::router())
        .merge(mfa::router())
        .merge(migration::router())
        .merge(onboarding::router())
        .merge(openapi::router())
        .merge(organization::router())
        .merge(projects::router())
        .merge(roles::router())
        .merge(sales::router())
        .merge(scim::router())
        .merge(scim::tokens::router())
        .merge(search::router())
        .merge(segments::router())
        .merge(references::router())
        .merge(rehearsals::router())
        .merge(sampling::router())
        .merge(service_accounts::router())
        .merge(sessions::router())
        .merge(sign_in::router())
        .merge(signing_keys::router())
        .merge(team::router())
        .merge(webhooks::router())
        .merge(what_if::router())
}

/// What every management API of this process is made of: the routes take a while to make.
struct Parts {
    routes: Router<AppState>,
    /// Those that use the cookie.
    of_pages: Router<AppState>,
    known: Arc<Known>,
}

static PARTS: LazyLock<Parts> = LazyLock::new(|| {
    let (routes, mut described) = routes().split_for_parts();
    let (of_pages, described_of_pages) = sessions::page_router().split_for_parts();
    described.merge(described_of_pages);
    Parts {
        routes,
        of_pages,
        known: Known::from_document(&described),
    }
});

/// The API document of these routes and of the edges' endpoints.
pub fn document(evaluation: OpenApi) -> OpenApi {
    let all = routes().merge(sessions::page_router());
    openapi::complete(all.into_openapi(), evaluation)
}

/// The management API, and the document of it and of the edges' endpoints. Give it to [`layers::common`] after everything else is
/// merged.
pub fn router(state: AppState, settings: &AppSettings, evaluation: OpenApi) -> Router {
    let Parts {
        routes,
        of_pages,
        known,
    } = &*PARTS;
    let served = openapi::Served::new(|| document(evaluation));
    let observed = |routes: Router<AppState>| {
        routes
            .layer(Extension(served.clone()))
            .layer(middleware::from_fn_with_state(
                known.clone(),
                fields::report,
            ))
            .layer(middleware::from_fn_with_state(
                (settings.trusted_proxies.clone(), state.db.clone()),
                behalf::answer,
            ))
            .layer(middleware::from_fn(rates::report))
    };
    let cors = layers::cors::management(settings.cors_origins.clone());
    // Endpoints that use the cookie are for our own pages: they get no CORS headers.
    let of_pages = layers::half(observed(of_pages.clone()), layers::cors::none());
    layers::half(observed(routes.clone()), cors)
        .merge(of_pages)
        .layer(layers::catch_panics())
        .layer(middleware::from_fn(scim::in_scim_form))
        .with_state(state)
}
