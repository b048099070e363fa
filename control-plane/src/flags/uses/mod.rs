//! Who needs a flag or a segment: what is told before somebody changes or deletes it.

mod model;
pub mod routes;
mod store;
