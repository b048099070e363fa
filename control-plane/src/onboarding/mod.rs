//! First steps of an organization, as its members tick them off. Nothing else ticks them: what happened elsewhere is for
//! the caller to notice.

pub mod model;
pub mod routes;
mod store;
