//! Environments as sent by clients, and the rules for them.

use serde::Deserialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::model::{Color, Environment};
use crate::{
    ids::EnvId,
    input::{Invalid, Name, Patch, Slug, repeats_path},
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
    /// `false` when absent. Only Owner and Admin give it, with a custom role by `approvals.review`.
    pub protected: Option<bool>,
    /// 1 to 5, 1 when absent. Who gives it is as with `protected`.
    #[schema(value_type = Option<i32>)]
    pub required_approvals: Option<i64>,
}

impl NewEnvironment {
    /// The body of a creation at a path with this slug.
    pub fn at(mut self, slug: &Slug) -> Result<Self, Invalid> {
        let given = self.slug.replace(slug.to_string());
        repeats_path("slug", given.as_deref(), slug.as_str())?;
        Ok(self)
    }

    /// Whether it says how the environment is guarded.
    pub const fn guards(&self) -> bool {
        self.protected.is_some() || self.required_approvals.is_some()
    }

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
            protected: self.protected.unwrap_or(false),
            required_approvals: self.required_approvals.map_or(Ok(1), required_approvals)?,
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
    /// Whether flag states change by approved requests alone. Only Owner and Admin give it, with a custom role by
    /// `approvals.review`.
    #[serde(default)]
    #[schema(value_type = bool, required = false)]
    protected: Patch<bool>,
    /// 1 to 5. Who gives it is as with `protected`.
    #[serde(default)]
    #[schema(value_type = i32, required = false)]
    required_approvals: Patch<i64>,
}

#[derive(Debug)]
pub struct EnvironmentWish {
    name: Option<Name>,
    slug: Option<Slug>,
    color: Option<Color>,
    protected: Option<bool>,
    required_approvals: Option<i32>,
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
            protected: self.protected.not_null("protected")?,
            required_approvals: self
                .required_approvals
                .not_null("required_approvals")?
                .map(required_approvals)
                .transpose()?,
        })
    }
}

impl EnvironmentWish {
    /// Whether it says how the environment is guarded.
    pub const fn guards(&self) -> bool {
        self.protected.is_some() || self.required_approvals.is_some()
    }

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
        env.protected = self.protected.unwrap_or(env.protected);
        env.required_approvals = self.required_approvals.unwrap_or(env.required_approvals);
        env
    }
}

fn required_approvals(number: i64) -> Result<i32, Invalid> {
    match i32::try_from(number) {
        Ok(number @ 1..=5) => Ok(number),
        _ => Err(Invalid::new("required_approvals must be from 1 to 5")),
    }
}
