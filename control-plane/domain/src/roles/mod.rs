//! Custom roles: lists of permission keys that restrict a member. They narrow the permissions of the member role, and never
//! widen them.
//!
//! Each handler's signature names the key that it needs ([`keys`]); the access extractors of the API check it.

pub mod change;
pub mod input;
pub mod keys;
pub mod model;
pub mod store;
