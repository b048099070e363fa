//! Projects: what environments, flags and segments belong to.
//!
//! The project's row is also the lock that orders every change of what its edges serve: whoever changes several rows
//! takes it first ([`store::lock`]).

pub mod change;
pub mod input;
pub mod model;
pub mod routes;
pub mod store;
