//! Segments of a project: reusable lists of conditions that targeting rules refer to by key.

pub mod change;
pub(crate) mod many;
mod reach;
pub mod store;

pub use definition::segments::{conditions, document, input, model};
