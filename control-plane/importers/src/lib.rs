//! The importers without their requests: what a source answers, in its own shapes (`wire`), becomes a plan in Halyard's terms.
//!
//! Pure: no I/O, no clock, no database. Reading a source over HTTP and writing a plan belong to the control plane.

pub mod flagsmith;
pub mod launchdarkly;
mod logic;
pub mod plan;
pub mod unleash;
mod wire;
