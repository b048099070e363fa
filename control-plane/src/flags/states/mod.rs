//! The state of a flag in one environment. Written by [`super::change`] alone.

pub mod input;
pub mod model;
pub mod routes;
pub(crate) mod store;
