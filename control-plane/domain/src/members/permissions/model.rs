//! An environment permission as the API shows it.

use serde::Serialize;
use utoipa::ToSchema;

use base::ids::{EnvId, EnvPermissionId, MemberId};
pub use definition::flags::states::touches::Touches;

/// What a member may do in an environment, if they are a developer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct EnvironmentPermission {
    /// Its id.
    pub id: EnvPermissionId,
    /// Who is held to it.
    pub member_id: MemberId,
    /// Where.
    pub env_id: EnvId,
    /// Whether they may switch, schedule, kill.
    pub can_toggle: bool,
    /// Whether they may change rules, rollout, variants and default value.
    pub can_edit_rules: bool,
}

impl EnvironmentPermission {
    /// Whether both allow the same in the same environment.
    pub(super) fn allows_as(&self, other: &Self) -> bool {
        let allowed = |row: &Self| (row.env_id, row.can_toggle, row.can_edit_rules);
        allowed(self) == allowed(other)
    }
}
