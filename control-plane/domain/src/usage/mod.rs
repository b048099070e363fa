//! What SDKs asked: counters of evaluations in the organization's window, series of them over time, impressions, keys that no flag has.
//!
//! Edges report in batches, the built-in one in the same way but in process. [`Collector`] writes the batches that have
//! arrived meanwhile in one transaction: each batch only once, however often it is sent, and only then is it
//! acknowledged. Everything that an organization's counts depend on (its window, its bounds) is serialised by one row
//! lock, which is taken in the order of the organizations; so reports, resets and flushes of any number of replicas may
//! wait for each other, but never deadlock.

mod apply;
pub mod change;
mod collector;
mod fold;
pub mod handout;
pub mod input;
pub mod lately;
mod merge;
pub mod model;
mod reporter;
pub mod series;
pub mod store;
mod sweep;

pub use self::{
    collector::{Collector, NotStored, prune},
    fold::fold,
    reporter::Reporter,
    sweep::{forget_organization, forget_removed},
};

/// Counters that a transaction deletes at most. It locks the organization's window: few enough for batches of edges not to wait
/// long.
const BATCH: i64 = 10_000;
