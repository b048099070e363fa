//! A user as the API shows it.

use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use base::ids::UserId;

/// A user.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct User {
    /// Its id.
    pub id: UserId,
    /// Trimmed and lower-cased.
    pub email: String,
    /// What people call them.
    pub name: String,
    /// Whether the address was proven.
    pub email_verified: bool,
    /// When the account was created.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}
