//! Lints of a state's rules: rules that never serve, and conditions that match less than they seem to.

use protocol::{
    eval::is_comparable,
    snapshot::{Condition, FlagState, MatchType, Rule},
};

use super::WHOLE;
use base::input::visible;
use base::warning::Warning;

/// Warnings about one state at most.
const MOST: usize = 100;

/// Warnings by the indexes of rules, in the order in which rules are tried.
pub(super) fn lint(state: &FlagState) -> Vec<Warning> {
    let order = tried(state);
    let rules = order.iter().enumerate().flat_map(|(turn, &place)| {
        let rule = &state.rules[place];
        let conditions = rule.conditions.iter().enumerate();
        let conditions = conditions.filter_map(move |(number, condition)| {
            let message = of_condition(condition, rule)?;
            Some(Warning {
                place: format!("rules[{place}].conditions[{number}]"),
                message,
            })
        });
        let of_rule = of_rule(state, &order[..turn], rule).map(|message| Warning {
            place: format!("rules[{place}]"),
            message,
        });
        of_rule.into_iter().chain(conditions)
    });
    rules.take(MOST).collect()
}

/// The id of the first rule that serves everyone who reaches it.
pub(super) fn last_rule(state: &FlagState) -> Option<&str> {
    let mut rules = tried(state).into_iter().map(|place| &state.rules[place]);
    let last = rules.find(|rule| takes_everyone(rule) && rule.percentage >= WHOLE)?;
    Some(&last.id)
}

/// Indexes of rules in the order in which they are tried.
fn tried(state: &FlagState) -> Vec<usize> {
    let mut order: Vec<_> = (0..state.rules.len()).collect();
    order.sort_by_key(|&place| state.rules[place].priority);
    order
}

fn takes_everyone(rule: &Rule) -> bool {
    rule.conditions.is_empty() && rule.segment_keys.is_empty()
}

/// All percentages of a flag share one bucket: an earlier rule with an equal or larger percentage leaves no context to this one.
fn of_rule(state: &FlagState, earlier: &[usize], rule: &Rule) -> Option<String> {
    if rule.percentage <= 0 {
        return Some("serves nobody: its percentage is 0".to_owned());
    }
    let place = earlier.iter().find(|&&place| {
        let other = &state.rules[place];
        other.percentage >= rule.percentage && (takes_everyone(other) || is_same_match(other, rule))
    })?;
    Some(format!(
        "never reached: rules[{place}] serves everyone whom it matches"
    ))
}

fn is_same_match(one: &Rule, other: &Rule) -> bool {
    let sorted = |rule: &Rule| {
        let mut keys = rule.segment_keys.clone();
        keys.sort_unstable();
        keys
    };
    (one.match_type == other.match_type || one.conditions.len() < 2)
        && one.conditions == other.conditions
        && sorted(one) == sorted(other)
}

fn of_condition(condition: &Condition, rule: &Rule) -> Option<String> {
    let attribute = &condition.attribute;
    match condition.operator.as_str() {
        "neq" | "notIn"
            if !condition.values.is_empty()
                && attribute != "key"
                && !decides_absence(rule, attribute) =>
        {
            let advice = if rule.conditions.len() == 1 {
                "; to include them, add a condition that it is missing, and match any"
            } else {
                ""
            };
            let name = visible(attribute);
            Some(format!("does not match contexts without {name}{advice}"))
        }
        "gt" | "gte" | "lt" | "lte" => {
            let value = condition.values.first()?;
            (!is_comparable(value)).then(|| {
                let value = visible(value);
                format!("never matches: {value} is no number, date-time or version")
            })
        }
        _ => None,
    }
}

/// Whether another condition of the rule accepts contexts that lack the attribute, or requires its absence.
fn decides_absence(rule: &Rule, attribute: &str) -> bool {
    let mut others = rule.conditions.iter();
    others.any(|other| {
        let is_about = other.attribute == attribute;
        is_about
            && match rule.match_type {
                MatchType::Any => asks_for_absence(other),
                MatchType::All => other.operator == "exists" && !asks_for_absence(other),
            }
    })
}

fn asks_for_absence(condition: &Condition) -> bool {
    match condition.operator.as_str() {
        "neq" => condition.values.is_empty(),
        "exists" => matches!(&condition.values[..], [only] if only.eq_ignore_ascii_case("false")),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn condition(attribute: &str, operator: &str, values: &[&str]) -> Condition {
        Condition {
            attribute: attribute.to_owned(),
            operator: operator.to_owned(),
            values: values.iter().map(|&value| value.to_owned()).collect(),
        }
    }

    fn german() -> Vec<Condition> {
        vec![condition("country", "in", &["DE"])]
    }

    fn rule(percentage: i64, segment_keys: &[&str], conditions: Vec<Condition>) -> Rule {
        Rule {
            id: "r".to_owned(),
            priority: 0,
            match_type: MatchType::All,
            conditions,
            segment_keys: segment_keys.iter().map(|&key| key.to_owned()).collect(),
            percentage,
            value: None,
        }
    }

    fn any(rule: Rule) -> Rule {
        let match_type = MatchType::Any;
        Rule { match_type, ..rule }
    }

    fn state(rules: Vec<Rule>) -> FlagState {
        FlagState {
            enabled: true,
            default_value: None,
            rules,
            percentage_rollout: None,
            variants: Vec::new(),
            bucketing: None,
        }
    }

    #[track_caller]
    fn assert_lint(rules: Vec<Rule>, expected: &[&str]) {
        let warnings = lint(&state(rules)).into_iter();
        let texts: Vec<_> = warnings
            .map(|one| format!("{}: {}", one.place, one.message))
            .collect();
        assert_eq!(texts, expected);
    }

    const SECOND: &str = "rules[1]: never reached: rules[0] serves everyone whom it matches";

    #[test]
    fn a_rule_behind_one_that_takes_everyone_is_never_reached() {
        assert_lint(
            vec![rule(10_000, &[], Vec::new()), rule(10_000, &[], german())],
            &[SECOND],
        );
        assert_lint(
            vec![rule(10_000, &[], german()), rule(10_000, &[], Vec::new())],
            &[],
        );
        let before = Rule {
            priority: -1,
            ..rule(10_000, &[], Vec::new())
        };
        assert_lint(
            vec![rule(10_000, &["a"], Vec::new()), before],
            &["rules[0]: never reached: rules[1] serves everyone whom it matches"],
        );
    }

    #[test]
    fn so_is_one_behind_a_rule_that_matches_the_same() {
        let plan = || [german(), vec![condition("plan", "eq", &["pro"])]].concat();
        let twice = |segments: &[&str], second| vec![rule(10_000, segments, plan()), second];
        assert_lint(
            twice(&["a", "b"], rule(10_000, &["b", "a"], plan())),
            &[SECOND],
        );
        assert_lint(twice(&["a"], rule(10_000, &[], plan())), &[]);
        assert_lint(twice(&[], any(rule(10_000, &[], plan()))), &[]);
        let one = vec![
            rule(10_000, &[], german()),
            any(rule(10_000, &[], german())),
        ];
        assert_lint(one, &[SECOND]);
    }

    #[test]
    fn only_when_the_percentage_before_it_is_as_large() {
        let pair = |first, second| {
            vec![
                rule(first, &[], Vec::new()),
                rule(second, &["a"], Vec::new()),
            ]
        };
        assert_lint(pair(5_000, 5_000), &[SECOND]);
        assert_lint(pair(5_000, 5_001), &[]);
        let nobody = "serves nobody: its percentage is 0";
        assert_lint(pair(5_000, 0), &[&format!("rules[1]: {nobody}")]);
        assert_lint(pair(0, 1), &[&format!("rules[0]: {nobody}")]);
    }

    #[test]
    fn a_negation_does_not_match_who_lacks_the_attribute() {
        let not = || condition("country", "neq", &["DE"]);
        let present = || condition("country", "exists", &[]);
        let absent = || condition("country", "exists", &["false"]);
        let place = "rules[0].conditions[0]";
        let message = "does not match contexts without country";
        let alone = format!(
            "{place}: {message}; to include them, add a condition that it is missing, and match any"
        );
        let told = format!("{place}: {message}");
        assert_lint(vec![rule(10_000, &[], vec![not()])], &[&alone]);
        assert_lint(vec![rule(10_000, &[], vec![not(), absent()])], &[&told]);
        assert_lint(vec![rule(10_000, &[], vec![not(), present()])], &[]);
        assert_lint(vec![any(rule(10_000, &[], vec![not(), absent()]))], &[]);
        assert_lint(
            vec![any(rule(10_000, &[], vec![not(), present()]))],
            &[&told],
        );
        let key = condition("key", "notIn", &["user-1"]);
        let absence = condition("country", "neq", &[]);
        assert_lint(vec![rule(10_000, &[], vec![key, absence])], &[]);
    }

    #[test]
    fn a_comparison_with_a_word_never_matches() {
        let with = |value| vec![rule(10_000, &[], vec![condition("v", "gte", &[value])])];
        for value in ["1", "-1.5e3", ".5", "2026-01-02T15:04:05Z", "1.2.3-rc.1"] {
            assert_lint(with(value), &[]);
        }
        let message = "is no number, date-time or version";
        for value in ["abc", "2026-01-02", "1.2.3.4", ""] {
            let expected = format!("rules[0].conditions[0]: never matches: {value} {message}");
            assert_lint(with(value), &[&expected]);
        }
    }

    #[test]
    fn the_last_rule_is_the_first_that_serves_everyone() {
        let last = |rules| last_rule(&state(rules)).map(str::to_owned);
        let everyone = |id: &str, percentage| Rule {
            id: id.to_owned(),
            ..rule(percentage, &[], Vec::new())
        };
        assert_eq!(last(vec![rule(10_000, &[], german())]), None);
        assert_eq!(last(vec![everyone("a", 9_999)]), None);
        assert_eq!(
            last(vec![
                everyone("a", 9_999),
                everyone("b", 10_000),
                everyone("c", 10_000)
            ]),
            Some("b".to_owned())
        );
    }

    #[test]
    fn a_hundred_warnings_are_listed() {
        let rules = (0..101).map(|_| rule(0, &[], Vec::new())).collect();
        assert_eq!(lint(&state(rules)).len(), MOST);
    }
}
