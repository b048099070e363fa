//! What a flag and its states were after each change.
//!
//! A version is of the flag's own fields or of one state, and keeps of it what the version after it has otherwise; the newest
//! keeps nothing, since it is what is there. So a toggle keeps a toggle, and the oldest can go without a word to the others. Whoever
//! changes a flag or a state adds the version to the unit, whose commit writes it (`unit::history`). What there was at a version is
//! the last of each part up to it (`look`).

pub mod look;
pub mod model;
mod retention;
pub mod store;

pub use self::retention::prune;
