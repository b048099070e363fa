//! Projects, to which environments, flags and segments belong.
//!
//! The project's row is also the lock that orders every change to what its edges serve: a change of several rows takes
//! it first ([`crate::unit::Unit::lock_project`]).

pub mod change;
pub mod input;
pub mod model;
pub mod store;
