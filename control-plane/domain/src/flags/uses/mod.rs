//! Who needs a flag or a segment: what is told before somebody changes or deletes it.

pub mod model;
pub mod store;
