//! What control plane and edges must agree on: the meaning of a flag, then the bytes on the link.
//!
//! No I/O, no async, no clock: same input, same output, always.

pub mod ids;
pub mod reason;
pub mod snapshot;
pub mod wire;
