//! The state of a flag in one environment.

pub mod input;
pub mod model;
pub mod touches;
