//! Uses as the API shows them.

use serde::Serialize;
use utoipa::ToSchema;

use base::ids::EnvId;

/// The flags that need something.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FlagUses)]
pub struct Uses {
    /// In the order of their keys; the first thousand.
    pub(super) flags: Vec<Use>,
    /// How many there are.
    pub(super) total: i64,
}

/// A flag that needs something.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FlagUse)]
pub(super) struct Use {
    /// The flag's key.
    pub(super) key: String,
    /// The environments in which it does.
    pub(super) env_ids: Vec<EnvId>,
}
