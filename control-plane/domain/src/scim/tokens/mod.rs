//! The tokens of identity providers. Members create and revoke them; their text is shown once, and only its hash is stored.

pub mod change;
pub mod input;
pub mod model;
pub mod store;
