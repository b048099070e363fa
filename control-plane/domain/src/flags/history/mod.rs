//! The history of flags: the versions of a flag's own fields and of each of its states.
//!
//! A version stores only the values that its successor changed; the newest one stores nothing, since the current row has its
//! values. So a toggle takes little space, and the oldest versions can be deleted without reading others. A change adds its
//! version to the unit, which writes it at the commit (`unit::history`). `look` restores a flag and its state at a version.

pub mod look;
pub mod model;
mod retention;
pub mod store;

pub use self::retention::prune;
