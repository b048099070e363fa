//! Who did it.

use std::net::IpAddr;

use serde_json::json;
use uuid::Uuid;

use base::ids::{ApiKeyId, MigrationId, ScimTokenId, UserId};

/// Whoever makes a change, as the audit trail names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// A user, from an address.
    User {
        /// The user.
        id: UserId,
        /// Address of the client.
        ip: IpAddr,
    },
    /// The service itself: schedules, expiry, operator commands.
    System,
    /// An identity provider, by its SCIM token.
    Scim {
        /// The token.
        id: ScimTokenId,
        /// Who made it, if their account is there.
        made_by: Option<UserId>,
    },
    /// A holder of an API key.
    ApiKey(ApiKeyId),
    /// An import from another platform, on behalf of the user who started it.
    Import {
        /// The import.
        id: MigrationId,
        /// Who started it.
        started_by: UserId,
    },
}

impl Actor {
    /// A user, from an address.
    pub const fn user(id: UserId, ip: IpAddr) -> Self {
        Self::User { id, ip }
    }

    /// The kind and the id that an audit entry shows. The contract knows four kinds: an import counts as its user.
    pub const fn shown(self) -> (&'static str, Option<Uuid>) {
        match self {
            Self::User { id, .. } => ("user", Some(id.0)),
            Self::Import { started_by, .. } => ("user", Some(started_by.0)),
            Self::System => ("system", None),
            Self::Scim { id, .. } => ("scim", Some(id.0)),
            Self::ApiKey(key_id) => ("api_key", Some(key_id.0)),
        }
    }

    pub(super) const fn ip(self) -> Option<IpAddr> {
        match self {
            Self::User { ip, .. } => Some(ip),
            Self::System | Self::Scim { .. } | Self::ApiKey(_) | Self::Import { .. } => None,
        }
    }

    /// What else an entry says about who did it.
    pub(super) fn metadata(self) -> Option<serde_json::Value> {
        match self {
            Self::Import { id, .. } => Some(json!({"migration_id": id})),
            Self::Scim { made_by, .. } => Some(json!({"token_made_by": made_by})),
            Self::User { .. } | Self::System | Self::ApiKey(_) => None,
        }
    }
}
