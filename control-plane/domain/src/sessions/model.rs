//! A session as the API shows it.

use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use base::ids::FamilyId;

/// A sign-in and everything that was refreshed from it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Session {
    /// Its id.
    pub id: FamilyId,
    /// When somebody signed in.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it was refreshed last.
    #[serde(with = "time::serde::rfc3339")]
    pub last_used_at: OffsetDateTime,
    /// The address that it was signed in or refreshed from last.
    #[schema(required)]
    pub ip_address: Option<String>,
    /// What the client called itself then (`User-Agent`), at most 200 characters of it.
    #[schema(required)]
    pub browser: Option<String>,
    /// Whether the request was made in it.
    pub current: bool,
}
