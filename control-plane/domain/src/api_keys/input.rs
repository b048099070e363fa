//! API keys as sent by clients, and the rules for them.

use serde::Deserialize;
use time::Duration;
use utoipa::ToSchema;

use super::model::KeyType;
use base::input::{Invalid, Name, in_range, lifetime};

/// The body of a key's creation.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = NewApiKey)]
pub struct CreateKey {
    /// Required.
    #[schema(value_type = String)]
    name: Option<String>,
    /// `server` when absent.
    #[serde(rename = "type")]
    #[schema(value_type = Option<KeyType>)]
    key_type: Option<String>,
    /// 1 to 3650; the key never ends when absent.
    expires_in_days: Option<i64>,
}

#[derive(Debug)]
pub struct NewKey {
    pub name: Name,
    pub key_type: KeyType,
    /// Lifetime; `None` means for ever.
    pub lifetime: Option<Duration>,
}

impl CreateKey {
    pub fn check(self) -> Result<NewKey, Invalid> {
        Ok(NewKey {
            name: Name::parse(self.name)?,
            key_type: KeyType::parse(self.key_type.as_deref())?,
            lifetime: lifetime(self.expires_in_days)?,
        })
    }
}

/// The body of a rotation.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ApiKeyRotation)]
pub struct RotateKey {
    /// How long the old key goes on; 0 to 8760, 24 when absent.
    grace_period_hours: Option<i64>,
}

impl RotateKey {
    pub fn check(self) -> Result<Duration, Invalid> {
        let hours = self.grace_period_hours.unwrap_or(24);
        in_range("grace_period_hours", hours, 0, 8_760).map(Duration::hours)
    }
}
