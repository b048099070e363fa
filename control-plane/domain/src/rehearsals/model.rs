//! A rehearsal as the API shows it.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;

use base::ids::{ApiKeyId, EnvId, RehearsalId, UserId};

/// How answers fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[serde(rename_all = "lowercase")]
#[sqlx(type_name = "text", rename_all = "lowercase")]
#[schema(as = RehearsedFailure)]
pub enum Failure {
    /// By 503.
    Unavailable,
    /// There is no answer until the rehearsal ends.
    Silence,
}

impl From<Failure> for protocol::rehearsal::Failure {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Unavailable => Self::Unavailable,
            Failure::Silence => Self::Silence,
        }
    }
}

/// A rehearsal of an outage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Rehearsal {
    /// Its id.
    pub id: RehearsalId,
    /// The environment of the key.
    pub env_id: EnvId,
    /// The API key whose answers fail.
    pub api_key_id: ApiKeyId,
    /// How they fail.
    pub failure: Failure,
    /// When it began.
    #[serde(with = "time::serde::rfc3339")]
    pub began_at: OffsetDateTime,
    /// When it ends or ended, whatever happens.
    #[serde(with = "time::serde::rfc3339")]
    pub ends_at: OffsetDateTime,
    /// Who began it.
    pub began_by: UserId,
    /// When it was stopped, if it was.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    pub stopped_at: Option<OffsetDateTime>,
}

impl Rehearsal {
    /// Whether it goes on.
    pub fn goes_on(&self, now: OffsetDateTime) -> bool {
        self.stopped_at.is_none() && self.ends_at > now
    }
}
