//! From a committed change to edges that serve it.

pub mod version;
