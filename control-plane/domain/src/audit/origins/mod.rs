//! Which change a transaction made, for those who follow what came of it.

pub mod store;

use time::OffsetDateTime;
use uuid::Uuid;

use base::ids::ProjectId;

/// The entry of a change.
#[derive(Clone, Debug)]
pub struct Origin {
    pub action: String,
    pub resource_type: String,
    pub resource_id: Option<String>,
    /// The key of a flag or a segment that is still there.
    pub resource_key: Option<String>,
    pub project_id: Option<ProjectId>,
    pub actor_id: Option<Uuid>,
    pub created_at: OffsetDateTime,
}
