//! What a client may say about an environment, and the rules for it (decisions 2.1).

use serde::Deserialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::model::{Color, Environment};
use crate::{
    ids::EnvId,
    input::{Invalid, Name, Patch, Slug},
};

/// The body of an environment's creation.
#[derive(Debug, Deserialize, ToSchema)]
pub struct NewEnvironment {
    /// Required.
    name: Option<String>,
    /// Generated from the name when absent or empty.
    slug: Option<String>,
    /// `#` and six hex digits, `#6B7280` when absent.
    color: Option<String>,
}

impl NewEnvironment {
    /// The environment that is asked for.
    ///
    /// # Errors
    /// When a field breaks a rule.
    pub fn check(self, now: OffsetDateTime) -> Result<Environment, Invalid> {
        let name = Name::parse(self.name)?;
        let slug = Slug::given_or_generated(self.slug, &name)?;
        let color = self
            .color
            .map(Color::parse)
            .transpose()?
            .unwrap_or_default();
        Ok(Environment {
            id: EnvId::new(now),
            name: name.into(),
            slug: slug.into(),
            color: color.into(),
            created_at: now,
        })
    }
}

/// The body of an environment's update.
#[derive(Debug, Deserialize, ToSchema)]
pub struct EnvironmentPatch {
    #[serde(default)]
    #[schema(value_type = String, required = false)]
    name: Patch<String>,
    #[serde(default)]
    #[schema(value_type = String, required = false)]
    slug: Patch<String>,
    #[serde(default)]
    #[schema(value_type = String, required = false)]
    color: Patch<String>,
}

impl EnvironmentPatch {
    /// The environment as it is asked to be.
    ///
    /// # Errors
    /// When a field breaks a rule; `null` does.
    pub fn apply(self, before: &Environment) -> Result<Environment, Invalid> {
        let mut env = before.clone();
        if let Some(name) = self.name.or_empty() {
            env.name = Name::parse(Some(name))?.into();
        }
        if let Some(slug) = self.slug.or_empty() {
            env.slug = Slug::parse(slug)?.into();
        }
        if let Some(color) = self.color.or_empty() {
            env.color = Color::parse(color)?.into();
        }
        Ok(env)
    }
}
