//! The endpoints of pricing and billing.

mod callbacks;
mod plans;
mod subscription;

use utoipa_axum::router::OpenApiRouter;

use crate::{http::endpoints, state::AppState};

pub fn router() -> OpenApiRouter<AppState> {
    endpoints![
        plans::pricing,
        plans::check_out,
        plans::choose,
        subscription::show,
        subscription::usage,
        subscription::cancel,
        subscription::portal,
        callbacks::form_callback,
        callbacks::form_failure,
        callbacks::event,
    ]
}
