//! SQL of webhooks, their queues and deliveries.

mod contents;
pub mod deliveries;
pub(super) mod lanes;
pub(super) mod queue;
pub(super) mod redeliveries;
mod webhooks;

pub(super) use self::contents::purge;
pub use self::webhooks::find;
pub use self::webhooks::{count, delete, disable_all, has_proven_owner, insert, page, update};
pub use self::webhooks::{list_sealed, update_sealed};
