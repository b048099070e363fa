//! Projects, the parents of environments, flags and segments.
//!
//! The project's row is also the lock that orders every change of its served data: a change of several rows takes it first
//! ([`crate::unit::Unit::lock_project`]).

pub mod change;
pub mod input;
pub mod model;
pub mod store;
