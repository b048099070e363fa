//! What the routes of all domains share: who may call, how a body is patched, what an answer tells.

pub mod access;
pub mod openapi;
pub mod patch;
pub mod published;
pub mod rates;
pub mod refusals;
