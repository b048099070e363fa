//! SQL of usage, one file per table. Environments and organizations are also read here, to find the owners of usage.

pub mod counters;
pub mod impressions;
pub(super) mod lately;
pub(super) mod reports;
pub(super) mod series;
pub mod windows;
