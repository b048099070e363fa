//! Unleash: what its admin API sends of a project (`wire`, `exports`), in Halyard's terms (`translate`).
//!
//! "As Unleash answers" means as its engine does, which its newer SDKs share. Older ones read some contexts in other ways.

pub mod exports;
mod translate;
pub mod wire;

pub use self::translate::{Source, translate};
