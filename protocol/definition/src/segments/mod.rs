//! Segments: reusable lists of conditions that targeting rules refer to by key.

pub mod conditions;
pub mod document;
pub mod input;
pub mod model;
