//! The audit log: who changed what, written in the transaction of the change, readable by every member.
//!
//! Entries are written by [`crate::events`]. Operations without an organization (a pending sign-up, edges that a command enrolls)
//! and those that only read, refresh or request a mail are not recorded.

pub mod budget;
pub mod details;
pub mod export;
pub mod model;
pub mod origins;
pub mod paging;
pub mod partitions;
pub mod retention;
pub mod settings;
pub mod store;
