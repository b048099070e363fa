//! Accounts and sign-in.

pub mod tokens;
