//! The importer of Unleash: what its admin API holds of a project (`read`, in the shapes of `wire`), in Halyard's terms (`translate`).
//!
//! "As Unleash answers" means as its engine does, which its newer SDKs share. Older ones read some contexts in other ways.

mod exports;
mod read;
mod translate;
mod wire;

pub use self::read::{connect, headers, read, totals};
