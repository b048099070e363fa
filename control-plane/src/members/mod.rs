//! Who belongs to an organization, and as what.

pub mod model;
pub mod store;
