//! The endpoints of sign-in by providers: what owners set up.

mod domains;
mod identities;
mod providers;
mod rules;

use utoipa_axum::router::OpenApiRouter;

use crate::http::Routes;

pub(crate) fn router() -> Routes {
    OpenApiRouter::new()
        .merge(rules::router())
        .merge(providers::router())
        .merge(domains::router())
        .merge(identities::router())
}
