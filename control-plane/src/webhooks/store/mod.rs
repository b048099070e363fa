//! SQL of webhooks, and of the way of an event to them.

pub(super) mod deliveries;
pub(super) mod events;
pub(super) mod lanes;
pub(super) mod queue;
mod webhooks;

pub use self::webhooks::find;
pub(super) use self::webhooks::{count, delete, has_proven_owner, insert, page, update};
pub(crate) use self::webhooks::{list_sealed, update_sealed};
