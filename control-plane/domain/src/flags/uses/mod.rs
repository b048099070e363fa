//! Dependants of a flag or a segment, shown before it is changed or deleted.

pub mod model;
pub mod relations;
pub mod store;
