//! An environment permission as the API shows it, and the requirements of changes to a flag state.

use serde::Serialize;
use utoipa::ToSchema;

use base::ids::{EnvId, EnvPermissionId, MemberId};

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

/// The halves of a flag state that a change affects. A change to both needs both permissions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Touches {
    /// The toggle or a schedule.
    pub toggle: bool,
    /// Rules, rollout, variants or the default value.
    pub rules: bool,
}

impl Touches {
    /// A kill.
    pub const TOGGLE: Self = Self {
        toggle: true,
        rules: false,
    };
    /// A promotion, in its target.
    pub const BOTH: Self = Self {
        toggle: true,
        rules: true,
    };

    pub const fn allowed_by(self, can_toggle: bool, can_edit_rules: bool) -> bool {
        (can_toggle || !self.toggle) && (can_edit_rules || !self.rules)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_needs_the_permission_of_each_half_that_it_touches() {
        let rules = Touches {
            toggle: false,
            rules: true,
        };
        assert!(Touches::default().allowed_by(false, false));
        assert!(Touches::TOGGLE.allowed_by(true, false));
        assert!(!Touches::TOGGLE.allowed_by(false, true));
        assert!(rules.allowed_by(false, true));
        assert!(!rules.allowed_by(true, false));
        assert!(Touches::BOTH.allowed_by(true, true));
        assert!(!Touches::BOTH.allowed_by(true, false));
        assert!(!Touches::BOTH.allowed_by(false, true));
    }
}
