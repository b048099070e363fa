//! SQL of accounts, a file a table.

pub mod families;
pub mod login_failures;
pub mod refresh_tokens;
pub mod users;
