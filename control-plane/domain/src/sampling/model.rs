//! The setting as the API shows it.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;

/// The most environments of an organization that are sampled.
pub const MOST: i32 = 20;

/// How samples name the contexts that they are of.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema,
)]
#[serde(rename_all = "lowercase")]
#[sqlx(type_name = "text", rename_all = "lowercase")]
#[schema(as = SampledKeys)]
pub enum Keys {
    /// By a hash that only the edge can make.
    #[default]
    Hashed,
    /// By the key itself.
    Plain,
}

impl From<Keys> for protocol::what_if::Keys {
    fn from(keys: Keys) -> Self {
        match keys {
            Keys::Hashed => Self::Hashed,
            Keys::Plain => Self::Plain,
        }
    }
}

/// Whether edges sample an environment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Sampling {
    /// Whether they do.
    pub enabled: bool,
    /// The attributes of contexts that are kept, sorted.
    pub attributes: Vec<String>,
    /// How keys of contexts are kept.
    pub keys: Keys,
    /// Since when they do.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    pub enabled_at: Option<OffsetDateTime>,
}
