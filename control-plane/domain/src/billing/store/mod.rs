//! SQL of billing.

pub mod checkouts;
pub mod departure;
pub mod events;
pub mod orgs;
pub mod questions;
pub mod subscriptions;
