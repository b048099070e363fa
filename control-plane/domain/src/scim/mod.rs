//! SCIM 2.0 (RFC 7643 and 7644): an identity provider synchronizes the members of an organization with its directory.
//!
//! A SCIM user is a member, or has a record with the provider's attributes in `scim_users`. Whether a user is active is not
//! stored there: it is the membership. Members without a record are users too, shown with the attributes of their account.
//!
//! A provider acts for one organization. Its changes reach the account behind a user only if no other party could be harmed
//! (see `account.rs`).

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
pub mod settings;
pub mod store;
pub mod tokens;
