//! Counts the answers for flags without locks. Edges do, and SDKs that evaluate in their own process.

mod counters;
mod seats;

pub use self::counters::{Counters, Counting};
