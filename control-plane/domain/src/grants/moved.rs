//! What a change of a state is to a grant.

use crate::flags::{history::model::changed_parts, states::model::FlagState};

/// A change of a stored state, as far as grants know it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Moved {
    /// The flag is switched off, and nothing else.
    Off,
    /// Percentages of the rollout and of rules are moved, and nothing else: by how many basis points they rise and fall, each added up.
    /// Draws of one flag share their buckets, so that no larger part of all contexts can get another answer.
    Percentages { raised: i32, lowered: i32 },
    /// These fields are changed otherwise. No grant allows it.
    Otherwise(Vec<&'static str>),
}

impl Moved {
    pub(super) fn of(stored: Option<&FlagState>, state: &FlagState) -> Self {
        let Some(stored) = stored else {
            return Self::Otherwise(vec!["enabled"]);
        };
        let (mut raised, mut lowered) = (0, 0);
        let mut count = |from: i64, to: i64| {
            let by = i32::try_from(to - from).unwrap_or(i32::MAX);
            if by > 0 {
                raised += by;
            } else {
                lowered -= by;
            }
        };
        // The same state with the percentages that are stored: what differs still is another change.
        let mut unmoved = state.clone();
        // Not set evaluates differently from any number.
        if let (Some(from), Some(to)) = (stored.percentage_rollout, state.percentage_rollout) {
            count(from.into(), to.into());
            unmoved.percentage_rollout = stored.percentage_rollout;
        }
        for (rule, before) in unmoved.rules.iter_mut().zip(&stored.rules) {
            count(before.percentage, rule.percentage);
            rule.percentage = before.percentage;
        }
        let others = changed_parts(Some(stored), &unmoved).map(|difference| difference.changed);
        match others.as_deref() {
            None => Self::Percentages { raised, lowered },
            Some(["enabled"]) if stored.enabled && raised == 0 && lowered == 0 => Self::Off,
            Some(others) => Self::Otherwise(others.to_vec()),
        }
    }
}

#[cfg(test)]
mod tests {
    use protocol::rule::TargetingRule;
    use serde_json::{Value, json};
    use time::OffsetDateTime;

    use super::*;
    use crate::flags::states::model::BasisPoints;

    fn state(rollout: Option<i64>, rules: Value) -> FlagState {
        let mut state = FlagState::initial(OffsetDateTime::UNIX_EPOCH);
        state.enabled = true;
        state.percentage_rollout = rollout.map(|points| BasisPoints::new("", points).unwrap());
        let rules: Vec<TargetingRule> = serde_json::from_value(rules).unwrap();
        state.rules = rules;
        state
    }

    fn rules(percentages: [i64; 2]) -> Value {
        let [a, b] = percentages;
        json!([{"id": "a", "percentage": a, "value": true}, {"id": "b", "percentage": b, "value": false}])
    }

    #[test]
    fn what_rises_and_what_falls_is_added_up_apart() {
        let before = state(Some(1_000), rules([2_000, 3_000]));
        let after = state(Some(1_500), rules([2_250, 1_000]));
        let (raised, lowered) = (750, 2_000);
        assert_eq!(
            Moved::of(Some(&before), &after),
            Moved::Percentages { raised, lowered }
        );
    }

    #[test]
    fn a_rollout_that_is_not_set_before_or_after_is_no_move() {
        for (from, to) in [(None, Some(10_000)), (Some(10_000), None)] {
            let (before, after) = (state(from, json!([])), state(to, json!([])));
            let moved = Moved::of(Some(&before), &after);
            assert_eq!(moved, Moved::Otherwise(vec!["percentage_rollout"]));
        }
    }

    #[test]
    fn rules_that_are_exchanged_or_say_something_else_are_no_move() {
        let before = state(None, rules([2_000, 3_000]));
        for other in [
            json!([{"id": "b", "percentage": 2_000, "value": false}, {"id": "a", "percentage": 3_000, "value": true}]),
            json!([{"id": "a", "percentage": 2_000, "value": true}]),
            json!([{"id": "a", "percentage": 2_000, "value": true}, {"id": "b", "percentage": 3_000, "value": true}]),
        ] {
            let moved = Moved::of(Some(&before), &state(None, other));
            assert_eq!(moved, Moved::Otherwise(vec!["rules"]));
        }
    }

    #[test]
    fn switching_off_is_known_by_itself_alone() {
        let before = state(Some(1_000), json!([]));
        let off = |rollout| FlagState {
            enabled: false,
            ..state(Some(rollout), json!([]))
        };
        assert_eq!(Moved::of(Some(&before), &off(1_000)), Moved::Off);
        let otherwise = Moved::Otherwise(vec!["enabled"]);
        assert_eq!(Moved::of(Some(&before), &off(2_000)), otherwise);
        assert_eq!(Moved::of(Some(&off(1_000)), &before), otherwise);
        assert_eq!(Moved::of(None, &before), otherwise);
    }
}
