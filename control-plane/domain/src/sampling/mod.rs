//! Whether edges keep samples of the requests of an environment, and how much of each: off until somebody asks for it.

pub mod change;
pub mod input;
pub mod model;
pub mod store;
