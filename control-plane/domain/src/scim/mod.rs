//! SCIM 2.0 (RFC 7643 and 7644): an identity provider keeps the members of an organization as its own directory has them.
//!
//! A SCIM user is a member, or somebody of whom the provider says something: `scim_users` has what it says. Whether a user is
//! active is not said there: it is the membership. Members of whom no provider ever spoke are users too, as their account shows
//! them.
//!
//! A provider speaks for one organization. What it says reaches the account behind a user only while nobody else could be
//! harmed by that (`account.rs` says when).

mod account;
pub mod change;
pub mod fields;
pub mod filter;
pub mod input;
pub mod model;
pub mod patch;
pub mod path;
pub mod projection;
pub mod refused;
pub mod resource;
pub mod schemas;
pub mod store;
pub mod tokens;
