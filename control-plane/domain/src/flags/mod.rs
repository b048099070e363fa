//! Flags of a project, and their state in each environment.
//!
//! A flag's own fields are written by [`edit`], its archival by [`archive`]; its states only by [`change`].

pub mod archive;
pub mod change;
pub mod compare;
pub mod edit;
pub mod history;
pub(crate) mod many;
pub mod overview;
pub(crate) mod reach;
pub mod schedule;
pub mod states;
pub mod store;
pub mod uses;

pub use definition::flags::{document, input, model, rules, variants, warnings};
