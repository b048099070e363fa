//! Environments of a project. Each has its own flag states and API keys. Edges hold whole environments.

pub mod change;
pub(crate) mod guard;
pub mod store;

pub use definition::environments::{input, model};
