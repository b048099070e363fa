//! The state of a flag in one environment. Written only by [`super::change`].

pub mod store;

pub use definition::flags::states::{input, model};
