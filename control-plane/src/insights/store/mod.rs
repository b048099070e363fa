//! SQL of usage, a file a table. Environments and organizations are read here too, where what is counted belongs to them.

pub(super) mod counters;
pub(super) mod impressions;
pub(super) mod reports;
pub(super) mod windows;
