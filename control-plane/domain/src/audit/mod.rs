//! The audit trail: who changed what, written in the transaction of the change, readable by every member.
//!
//! Entries are written by [`crate::events`]. Nothing is recorded for what has no organization (a pending sign-up,
//! enrolled edges), or only reads, refreshes or asks for a mail.

pub mod budget;
pub mod details;
pub mod model;
pub mod paging;
pub mod retention;
pub mod store;
