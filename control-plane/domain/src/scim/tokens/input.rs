//! SCIM tokens as sent by clients, and the rules for them.

use serde::Deserialize;
use time::Duration;
use utoipa::ToSchema;

use base::input::{Invalid, Name, lifetime};

/// The body of a token's creation.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = NewScimToken)]
pub struct CreateToken {
    /// What people call it.
    name: Option<String>,
    /// 1 to 3650; the token never ends when absent.
    expires_in_days: Option<i64>,
}

#[derive(Debug)]
pub struct NewToken {
    pub name: Option<Name>,
    /// Lifetime; `None` means for ever.
    pub lifetime: Option<Duration>,
}

impl CreateToken {
    pub fn check(self) -> Result<NewToken, Invalid> {
        Ok(NewToken {
            name: self.name.map(|name| Name::parse(Some(name))).transpose()?,
            lifetime: lifetime(self.expires_in_days)?,
        })
    }
}
