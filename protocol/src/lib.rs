//! What control plane and edges must agree on: the meaning of a flag, and the bytes on the link.
//!
//! No I/O, no async, no clock: same input, same output, always.

pub mod api_key;
pub mod bucketing;
pub mod delta;
pub mod digest;
pub mod eval;
pub mod ids;
pub mod lattice;
pub mod objects;
pub mod pattern;
pub mod reason;
pub mod rehearsal;
pub mod rule;
pub mod signature;
pub mod snapshot;
pub mod summary;
pub mod timestamp;
mod value;
pub mod what_if;
pub mod wire;
