//! What operators did.

use serde_json::Value;
use time::OffsetDateTime;

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// A name was given a certificate.
    EdgeEnrolled,
    /// All certificates of a name were revoked.
    EdgeRevoked,
}

impl Act {
    /// The name under which it is recorded.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::EdgeEnrolled => "edge.enrolled",
            Self::EdgeRevoked => "edge.revoked",
        }
    }
}

/// Something that an operator did.
#[derive(Clone, Debug)]
pub struct OperatorEvent {
    /// When.
    pub at: OffsetDateTime,
    /// What.
    pub action: String,
    /// The name of what it is about.
    pub subject: String,
    /// What else is worth knowing.
    pub details: Value,
    /// The user of the database who did it.
    pub database_user: String,
    /// From where; `None` for a socket of the database's own machine.
    pub address: Option<String>,
}
