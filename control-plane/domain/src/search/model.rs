//! Search results as the API shows them.

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::roles::keys::{
    EnvironmentsRead, FlagsRead, MembersRead, Needs, Permission, ProjectsRead, SegmentsRead,
};
use base::ids::ProjectId;

/// What can be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = SearchResultType)]
pub(super) enum Kind {
    Flag,
    Segment,
    Environment,
    Project,
    Member,
}

impl Kind {
    pub(super) const ALL: [Self; 5] = [
        Self::Flag,
        Self::Segment,
        Self::Environment,
        Self::Project,
        Self::Member,
    ];

    pub(super) const fn needs(self) -> Needs {
        match self {
            Self::Flag => FlagsRead::NEEDS,
            Self::Segment => SegmentsRead::NEEDS,
            Self::Environment => EnvironmentsRead::NEEDS,
            Self::Project => ProjectsRead::NEEDS,
            Self::Member => MembersRead::NEEDS,
        }
    }
}

/// What was found.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct SearchResults {
    /// Flags first, then segments, environments, projects and members; of each those whose key is nearest to what was asked for.
    data: Vec<SearchResult>,
    /// How many there are.
    total: i64,
}

/// Something with a name.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct SearchResult {
    /// What it is.
    #[serde(rename = "type")]
    pub(super) kind: Kind,
    /// Its id.
    pub(super) id: Uuid,
    /// Its key; of a project and an environment the slug, of a member the address.
    pub(super) key: String,
    /// What people call it.
    pub(super) name: String,
    /// The project that it is in, or that it is.
    #[schema(required)]
    pub(super) project_id: Option<ProjectId>,
}

impl SearchResults {
    pub(super) fn add(&mut self, items: Vec<SearchResult>, total: i64) {
        self.data.extend(items);
        self.total += total;
    }

    pub(super) fn cut(&mut self, limit: i64) {
        self.data.truncate(usize::try_from(limit).unwrap_or(0));
    }
}
