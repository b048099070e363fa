//! Rehearsals of an outage: for a minute at most, edges fail the answers to one API key on purpose. One at a time in an organization.

pub mod change;
pub mod input;
pub mod model;
pub mod store;
