//! Custom roles: lists of permission keys that a member is held to. They narrow what the member role allows, and never widen it.
//!
//! Each handler's signature names the key that it needs ([`keys`]); the access extractors ([`api::http::access`]) ask for it.

pub mod change;
pub mod input;
pub mod keys;
pub mod model;
pub mod store;
