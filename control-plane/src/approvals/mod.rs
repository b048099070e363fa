//! Approval requests: changes of flag states that a second person decides about.
//!
//! A request is kept as it was written, and checked twice: when it is made, and again when it is approved, since flag and
//! environment may have gone meanwhile. What is approved is written by `flags::change`, as every other change of a state.

pub mod input;
pub mod model;
pub mod request;
pub mod review;
pub mod routes;
pub mod store;
