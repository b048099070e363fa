//! Environments as sent by clients, and the rules for them.

use serde::Deserialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::model::{Color, Environment};
use base::{
    ids::EnvId,
    input::{Invalid, Name, Patch, Slug},
};

/// The body of an environment's creation.
#[derive(Debug, Deserialize, ToSchema)]
pub struct NewEnvironment {
    /// Required.
    #[schema(value_type = String)]
    pub name: Option<String>,
    /// Generated from the name when absent or empty.
    pub slug: Option<String>,
    /// `#` and six hex digits, `#6B7280` when absent.
    pub color: Option<String>,
}

impl NewEnvironment {
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
            version: 1,
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

#[derive(Debug)]
pub struct EnvironmentWish {
    name: Option<Name>,
    slug: Option<Slug>,
    color: Option<Color>,
}

impl EnvironmentPatch {
    /// Checks the fields. None may be `null`.
    pub fn check(self) -> Result<EnvironmentWish, Invalid> {
        Ok(EnvironmentWish {
            name: self
                .name
                .or_empty()
                .map(|name| Name::parse(Some(name)))
                .transpose()?,
            slug: self.slug.or_empty().map(Slug::parse).transpose()?,
            color: self.color.or_empty().map(Color::parse).transpose()?,
        })
    }
}

impl EnvironmentWish {
    pub fn apply(&self, before: &Environment) -> Environment {
        let mut env = before.clone();
        if let Some(name) = &self.name {
            env.name = name.as_str().to_owned();
        }
        if let Some(slug) = &self.slug {
            env.slug = slug.as_str().to_owned();
        }
        if let Some(color) = &self.color {
            env.color = color.as_str().to_owned();
        }
        env.version += 1;
        env
    }
}
