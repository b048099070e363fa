//! Custom roles: lists of permission keys that a member is held to. They narrow what the member role allows, and never widen it.
//!
//! `permissions` says which key an endpoint needs; the access extractors ([`crate::http::access`]) look it up at each request.

mod input;
pub mod model;
pub mod permissions;
pub mod routes;
pub mod store;
