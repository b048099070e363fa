//! What a flag and its states were after each change.
//!
//! Versions are written by the statements that write flags and states (`flags::store::write`, `flags::states::store::upsert`), so
//! that neither exists without the other and a write takes no statement more. A version is of the flag's own fields or of one
//! state; what there was at a version is the last of each up to it (`look`).

pub(crate) mod look;
pub(crate) mod model;
mod retention;
pub mod routes;
pub(crate) mod store;

pub use self::retention::prune;
