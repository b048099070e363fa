//! The audit trail: who changed what, written in the transaction of the change, read by every member of the organization.
//!
//! Names of actions are those of decisions 11.2. What writes no entry: whatever has no organization yet or none at all (a
//! sign-up that waits for its code, enrolled edges), and the exceptions of decisions 11.8.

pub mod model;
pub mod retention;
pub mod routes;
pub mod store;
