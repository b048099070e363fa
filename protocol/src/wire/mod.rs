//! The bytes on the link: messages, their encoding, their limits.

pub mod codec;
pub mod message;
pub mod v1;
