//! SQL of the lifecycle of organizations.

pub(super) mod inactivity;
pub(super) mod purge;
pub(super) mod trials;
