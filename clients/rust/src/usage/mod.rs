//! What the application asked, on its way to the edge.
//!
//! Answers are counted beside the environment that gave them, without a lock. Once in an interval these counts are settled into
//! the ledger, and a report is made of it. It is sent unchanged, under its number, until the edge confirms it; what is counted
//! meanwhile waits in the ledger, whose size is bounded by flags and answers. So each answer is counted once.

mod ledger;
mod reporter;
mod tally;

pub(crate) use self::{ledger::Ledger, reporter::Reporter};
