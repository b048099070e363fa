//! The abuses, by what they use up.

pub mod answers;
pub mod explain;
pub mod keys;
pub mod lists;
pub mod mail;
pub mod patterns;
pub mod readers;
pub mod sign_in;
pub mod usage;
pub mod work;
pub mod writers;
