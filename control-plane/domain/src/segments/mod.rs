//! Segments of a project: reusable lists of conditions that targeting rules refer to by key.

pub mod change;
pub mod conditions;
pub mod document;
pub mod input;
pub mod model;
mod reach;
pub mod store;
