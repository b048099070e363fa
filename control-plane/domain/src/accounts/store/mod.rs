//! SQL of accounts, one file per table.

pub mod families;
pub mod login_failures;
pub mod one_time_tokens;
pub mod password_resets;
pub mod pending_signups;
pub mod refresh_tokens;
pub mod sent_codes;
pub mod stubs;
pub mod users;
pub mod verifications;
