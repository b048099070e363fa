//! What SDKs asked: counters of evaluations in the organization's window, impressions, keys that no flag has.
//!
//! Edges report in batches, the built-in one by the same way in process. [`Collector`] writes the batches that came
//! meanwhile in one transaction: each batch once, whoever sends it again, and only then it is acknowledged. What an
//! organization counts in (its window, its bounds) is ordered by one row lock, taken in the order of the organizations; so
//! reports, resets and flushes of any number of replicas wait for each other, and never in a circle.

mod apply;
pub mod change;
mod collector;
mod merge;
pub mod model;
mod reporter;
pub mod routes;
mod store;

pub use self::{
    collector::{Collector, NotStored},
    reporter::Reporter,
};
