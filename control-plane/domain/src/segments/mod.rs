//! Segments of a project: reusable lists of conditions that targeting rules refer to by key.

pub mod change;
pub mod input;
pub mod model;
pub mod store;
