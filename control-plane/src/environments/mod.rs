//! Environments of a project. Each has its own flag states and API keys, and is the unit that edges hold.

pub mod change;
pub mod input;
pub mod model;
pub mod routes;
pub mod store;
