//! Whether a user has a second factor, as the API shows it.

use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

/// The second factor of a user.
#[derive(Debug, Serialize, ToSchema)]
pub struct MfaStatus {
    /// Whether logins ask for a code.
    pub enabled: bool,
    /// Since when.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    pub enrolled_at: Option<OffsetDateTime>,
}

impl MfaStatus {
    /// Logins have required a code since a time, or do not require one.
    pub const fn since(enrolled_at: Option<OffsetDateTime>) -> Self {
        Self {
            enabled: enrolled_at.is_some(),
            enrolled_at,
        }
    }
}
