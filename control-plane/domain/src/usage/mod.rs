//! Usage by SDKs: counters of evaluations in the organization's window, series over time, impressions, keys without a flag.
//!
//! Edges report in batches, the built-in one in process. [`Collector`] writes pending batches in one transaction: each batch
//! only once, however often it is sent, and acknowledges it afterwards. The data of an organization that its counts depend on
//! (window, bounds) is serialized by one row lock, taken in the order of the organizations; so reports, resets and flushes of
//! any number of replicas may wait for each other, but never deadlock.

mod apply;
pub mod change;
mod collector;
pub mod defaults;
mod fold;
pub mod handout;
pub mod input;
pub mod lately;
mod merge;
pub mod model;
mod rates;
pub mod series;
pub mod settings;
pub mod stale;
pub mod store;
mod sweep;

pub use self::{
    collector::{Collector, NotStored, Reporter, prune},
    fold::fold,
    rates::EdgeRates,
    sweep::{forget_organization, forget_removed},
};

/// Counters deleted per transaction, which locks the organization's window: few enough not to delay batches of edges.
const BATCH: i64 = 10_000;
