//! Organizations: the tenants, and what their plan allows.

pub mod model;
