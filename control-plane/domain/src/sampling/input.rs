//! The body that changes the setting.

use serde::Deserialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::model::{Keys, Sampling};
use base::input::{Invalid, distinct, is_longer_than};

/// Whether edges are to sample an environment. It replaces the setting.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = SamplingInput)]
pub struct Body {
    /// Required.
    #[schema(value_type = bool)]
    enabled: Option<bool>,
    /// The attributes of contexts to keep: at most 20, of 1 to 100 characters. None when absent.
    attributes: Option<Vec<String>>,
    /// `hashed` when absent.
    #[schema(value_type = Option<Keys>)]
    keys: Option<String>,
}

/// The setting to be.
#[derive(Debug)]
pub struct SamplingWish {
    enabled: bool,
    attributes: Vec<String>,
    keys: Keys,
}

impl Body {
    pub fn check(self) -> Result<SamplingWish, Invalid> {
        let enabled = self.enabled;
        let enabled = enabled.ok_or_else(|| Invalid::new("enabled is required"))?;
        let mut attributes = distinct(
            self.attributes.unwrap_or_default(),
            20,
            "attributes: at most 20",
            attribute,
        )?;
        attributes.sort_unstable();
        let keys = match self.keys.as_deref() {
            None | Some("hashed") => Keys::Hashed,
            Some("plain") => Keys::Plain,
            Some(_) => return Err(Invalid::new("keys must be hashed or plain")),
        };
        Ok(SamplingWish {
            enabled,
            attributes,
            keys,
        })
    }
}

fn attribute(name: &str) -> Result<(), Invalid> {
    Err(Invalid::new(match name {
        "key" => "attributes: key is no attribute; keys says how it is kept",
        name if name.trim().is_empty() => "attributes: each needs a name",
        name if is_longer_than(name, 100) => "attributes: each has at most 100 characters",
        _ => return Ok(()),
    }))
}

impl SamplingWish {
    pub fn apply(self, before: &Sampling, now: OffsetDateTime) -> Sampling {
        let since = before.enabled_at.unwrap_or(now);
        Sampling {
            enabled: self.enabled,
            attributes: self.attributes,
            keys: self.keys,
            enabled_at: self.enabled.then_some(since),
        }
    }
}
