//! The bytes on the link: messages, their encoding, their limits.

pub mod codec;
pub mod frame;
pub mod merge;
pub mod message;
pub mod parts;
pub mod relay;
pub mod sdk;
pub mod signed;
mod state;
pub mod usage;
