//! Environments. Each has its own flag states.

pub mod input;
pub mod model;
