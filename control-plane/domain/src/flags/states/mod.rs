//! The state of a flag in one environment. Written only by [`super::change`].

pub mod input;
pub mod model;
pub mod store;
