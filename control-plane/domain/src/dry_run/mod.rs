//! Dry runs: a write is done under its lock, described, and rolled back, so that it cannot differ from the real one.

pub mod model;
