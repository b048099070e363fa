//! Flags, and their state in each environment.

pub mod document;
pub mod input;
pub mod model;
pub mod rules;
pub mod states;
pub mod variants;
pub mod warnings;
