//! Approval requests: changes to flag states that a second person decides on.
//!
//! A request is stored as written, and checked twice: when it is made, and again when it is approved, since the flag or
//! environment may be gone by then. Approved changes are written by `flags::change`, like every other.

pub mod basis;
pub mod comments;
pub mod input;
pub mod mail;
pub mod model;
pub mod paging;
pub mod request;
pub mod review;
mod standing;
pub mod store;
pub mod withdrawal;
