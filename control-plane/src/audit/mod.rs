//! The audit trail: who changed what, written in the transaction of the change.

pub mod model;
pub mod store;
