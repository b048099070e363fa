//! Which halves of a flag state a change affects.

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
