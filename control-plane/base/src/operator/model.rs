//! Recorded actions of operators.

use serde_json::Value;
use time::OffsetDateTime;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// A name was given a certificate.
    EdgeEnrolled,
    /// All certificates of a name were revoked.
    EdgeRevoked,
}

impl Act {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::EdgeEnrolled => "edge.enrolled",
            Self::EdgeRevoked => "edge.revoked",
        }
    }
}

#[derive(Clone, Debug)]
pub struct OperatorEvent {
    pub at: OffsetDateTime,
    pub action: String,
    /// The name of its subject.
    pub subject: String,
    pub details: Value,
    pub database_user: String,
    /// The client's address; `None` for a socket of the database's own machine.
    pub address: Option<String>,
}
