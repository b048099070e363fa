//! The audit trail: who changed what, written in the transaction of the change, read by every member of the organization.
//!
//! Entries are written by [`crate::events`]. What writes none: whatever has no organization yet or none at all (a sign-up
//! that waits for its code, enrolled edges), and what only reads, refreshes or asks for a mail.

pub mod model;
pub mod retention;
pub mod routes;
pub mod store;
