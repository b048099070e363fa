//! Projects as sent by clients, and the rules for them.

use serde::Deserialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::model::Project;
use base::{
    ids::ProjectId,
    input::{Invalid, Name, Patch, Slug},
};

/// The body of a project's creation.
#[derive(Debug, Deserialize, ToSchema)]
pub struct NewProject {
    /// Required.
    #[schema(value_type = String)]
    name: Option<String>,
    /// Generated from the name when absent or empty.
    slug: Option<String>,
}

impl NewProject {
    pub fn check(self, now: OffsetDateTime) -> Result<Project, Invalid> {
        let name = Name::parse(self.name)?;
        let slug = Slug::given_or_generated(self.slug, &name)?;
        Ok(Project {
            id: ProjectId::new(now),
            name: name.into(),
            slug: slug.into(),
            created_at: now,
            updated_at: now,
        })
    }
}

/// The body of a project's update.
#[derive(Debug, Deserialize, ToSchema)]
pub struct ProjectPatch {
    #[serde(default)]
    #[schema(value_type = String, required = false)]
    name: Patch<String>,
    #[serde(default)]
    #[schema(value_type = String, required = false)]
    slug: Patch<String>,
}

#[derive(Debug)]
pub struct ProjectWish {
    name: Option<Name>,
    slug: Option<Slug>,
}

impl ProjectPatch {
    /// Checks the fields. None may be `null`.
    pub fn check(self) -> Result<ProjectWish, Invalid> {
        Ok(ProjectWish {
            name: self
                .name
                .or_empty()
                .map(|name| Name::parse(Some(name)))
                .transpose()?,
            slug: self.slug.or_empty().map(Slug::parse).transpose()?,
        })
    }
}

impl ProjectWish {
    pub fn apply(&self, before: &Project) -> Project {
        let mut project = before.clone();
        if let Some(name) = &self.name {
            project.name = name.as_str().to_owned();
        }
        if let Some(slug) = &self.slug {
            project.slug = slug.as_str().to_owned();
        }
        project
    }
}
