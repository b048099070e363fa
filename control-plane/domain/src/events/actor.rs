//! The author of a change.

use std::net::IpAddr;

use serde_json::json;
use uuid::Uuid;

use base::ids::{AccessTokenId, ApiKeyId, MigrationId, ScimTokenId, UserId};

/// The author of a change, as recorded in the audit log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    User {
        id: UserId,
        /// Address of the client.
        ip: IpAddr,
        /// What they used in place of a session.
        token: Option<AccessTokenId>,
    },
    /// The service itself: schedules, expiry.
    System,
    /// An operator, by a command.
    Operator,
    /// An identity provider, authenticated by its SCIM token.
    Scim {
        id: ScimTokenId,
        /// The member who created it, unless their account was deleted.
        made_by: Option<UserId>,
    },
    ApiKey(ApiKeyId),
    /// An import from another platform, on behalf of the user who started it.
    Import {
        /// The import.
        id: MigrationId,
        started_by: UserId,
    },
}

impl Actor {
    pub const fn user(id: UserId, ip: IpAddr) -> Self {
        Self::User {
            id,
            ip,
            token: None,
        }
    }

    /// The kind and the id in an audit entry. The contract knows four kinds: an import counts as its user.
    pub const fn shown(self) -> (&'static str, Option<Uuid>) {
        match self {
            Self::User { id, .. } => ("user", Some(id.0)),
            Self::Import { started_by, .. } => ("user", Some(started_by.0)),
            Self::System | Self::Operator => ("system", None),
            Self::Scim { id, .. } => ("scim", Some(id.0)),
            Self::ApiKey(key_id) => ("api_key", Some(key_id.0)),
        }
    }

    pub(super) const fn ip(self) -> Option<IpAddr> {
        match self {
            Self::User { ip, .. } => Some(ip),
            Self::System
            | Self::Operator
            | Self::Scim { .. }
            | Self::ApiKey(_)
            | Self::Import { .. } => None,
        }
    }

    /// Further details for the audit entry.
    pub(super) fn metadata(self) -> Option<serde_json::Value> {
        match self {
            Self::Import { id, .. } => Some(json!({"migration_id": id})),
            Self::Scim { made_by, .. } => Some(json!({"token_made_by": made_by})),
            Self::Operator => Some(json!({"by": "operator"})),
            Self::User { token, .. } => token.map(|id| json!({"access_token_id": id})),
            Self::System | Self::ApiKey(_) => None,
        }
    }
}
