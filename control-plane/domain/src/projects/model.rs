//! A project as the API shows it.

use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use base::ids::ProjectId;

/// A project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Project {
    /// Its id.
    pub id: ProjectId,
    /// What people call it.
    pub name: String,
    /// Unique in the organization.
    pub slug: String,
    /// When it was created.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When its name or slug last changed.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}
