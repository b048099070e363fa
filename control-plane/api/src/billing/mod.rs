//! The endpoints of pricing and billing.

mod callbacks;
mod plans;
mod subscription;

use crate::http::{Routes, endpoints};

pub fn router() -> Routes {
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
