//! SQL of accounts, a file a table.

pub mod families;
pub mod refresh_tokens;
pub mod users;
