//! Targeting rules as sent by clients. Stored ones are read more leniently (`protocol::rule`).

use std::collections::HashSet;

use protocol::rule::TargetingRule;
use uuid::Uuid;

use super::{model::FlagType, states::model::BasisPoints};
use crate::input::{Invalid, is_longer_than};
use crate::segments::conditions::{Patterns, bound_patterns, check_conditions};

/// Segments per state. Each may be expensive to evaluate.
pub const MAX_SEGMENTS_IN_ALL: usize = 1_000;

#[derive(Clone, Debug)]
pub struct CheckedRules {
    pub rules: Vec<TargetingRule>,
    /// Positions of rules that came without an id.
    unnamed: Vec<usize>,
    /// Compiled bytes of their patterns.
    pub pattern_bytes: i32,
}

impl CheckedRules {
    /// Gives rules that came without an id those of equal rules at their positions, which they keep.
    pub fn name_as(&mut self, others: &[TargetingRule]) {
        let named = self.in_place_of(others);
        let rules = &self.rules;
        self.unnamed
            .retain(|&place| named[place].id == rules[place].id);
        self.rules = named;
    }

    /// The rules as they are stored in place of others: one that came without an id keeps that of an equal rule at its position.
    pub fn in_place_of(&self, stored: &[TargetingRule]) -> Vec<TargetingRule> {
        let mut rules = self.rules.clone();
        for &place in &self.unnamed {
            let Some(kept) = stored.get(place) else { break };
            if rules.iter().any(|rule| rule.id == kept.id) {
                continue;
            }
            let generated = std::mem::replace(&mut rules[place].id, kept.id.clone());
            if rules[place] != *kept {
                rules[place].id = generated;
            }
        }
        rules
    }
}

/// Checks the rules of a state of a flag of this type, and fills in their defaults. An error names the position and the broken
/// rule.
pub fn check_rules(
    mut rules: Vec<TargetingRule>,
    flag_type: FlagType,
) -> Result<CheckedRules, Invalid> {
    if rules.len() > 100 {
        return Err(Invalid::new("rules must have at most 100 items"));
    }
    bound_patterns(rules.iter().flat_map(|rule| &rule.conditions))?;
    let mut patterns = Patterns::default();
    let mut segments = 0;
    let mut unnamed = Vec::new();
    for (place, rule) in rules.iter_mut().enumerate() {
        if rule.id.is_empty() {
            unnamed.push(place);
        }
        complete(rule, place);
        segments += rule.segment_keys.len();
        if segments > MAX_SEGMENTS_IN_ALL {
            return Err(Invalid::new("rules must name at most 1000 segments in all"));
        }
        check_rule(rule, flag_type, &mut patterns)
            .map_err(|what| Invalid::new(format!("rules[{place}].{what}")))?;
    }
    let mut ids = HashSet::new();
    match rules.iter().find(|rule| !ids.insert(rule.id.as_str())) {
        Some(_) => Err(Invalid::new("rule ids must not repeat")),
        None => Ok(CheckedRules {
            pattern_bytes: patterns.bytes(),
            rules,
            unnamed,
        }),
    }
}

/// Fills in the defaults of a rule at this position, and removes repeated segments.
pub fn complete(rule: &mut TargetingRule, place: usize) {
    rule.complete(place);
    if rule.id.is_empty() {
        rule.id = Uuid::new_v4().to_string();
    }
    let mut named = HashSet::new();
    rule.segment_keys.retain(|key| named.insert(key.clone()));
}

/// Checks one rule by itself. Compiles regular expressions to check them (see [`bound_patterns`]), and adds them.
pub fn check_rule(
    rule: &TargetingRule,
    flag_type: FlagType,
    patterns: &mut Patterns,
) -> Result<(), Invalid> {
    if is_longer_than(&rule.description, 2_000) {
        return Err(Invalid::new(
            "description must have at most 2000 characters",
        ));
    }
    if !matches!(rule.match_type.as_str(), "all" | "any") {
        return Err(Invalid::new("match_type must be all or any"));
    }
    BasisPoints::new("percentage", rule.percentage)?;
    match &rule.value {
        Some(value) if value.is_null() && flag_type == FlagType::Json => {}
        Some(value) => flag_type.check("value", value)?,
        None => {}
    }
    if rule.segment_keys.len() > 100 {
        return Err(Invalid::new("segment_keys must have at most 100 items"));
    }
    let mut keys = rule.segment_keys.iter();
    if keys.any(|key| is_longer_than(key, 255)) {
        return Err(Invalid::new(
            "a segment key must have at most 255 characters",
        ));
    }
    check_conditions(&rule.conditions, "conditions", 100, patterns)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn rules(authored: Value, flag_type: FlagType) -> Result<Vec<TargetingRule>, String> {
        check_rules(serde_json::from_value(authored).unwrap(), flag_type)
            .map(|checked| checked.rules)
            .map_err(|invalid| invalid.to_string())
    }

    #[test]
    fn missing_parts_of_a_rule_are_written_down() {
        let checked = rules(
            json!([{"match_type": ""}, {"id": "second"}]),
            FlagType::Boolean,
        )
        .unwrap();
        assert!(Uuid::parse_str(&checked[0].id).is_ok());
        assert_eq!(
            (checked[0].priority, checked[1].priority),
            (Some(0), Some(1))
        );
        assert_eq!(
            (checked[0].match_type.as_str(), checked[0].percentage),
            ("all", 10_000)
        );
        assert_eq!(checked[1].id, "second");
        assert_eq!(checked[1].value, None);
    }

    #[test]
    fn rules_are_refused_with_their_place() {
        let refused = |authored| rules(authored, FlagType::Boolean).unwrap_err();
        assert_eq!(
            refused(json!([{"id": "a"}, {"id": "a"}])),
            "rule ids must not repeat"
        );
        assert_eq!(
            refused(json!([{}, {"match_type": "some"}])),
            "rules[1].match_type must be all or any"
        );
        for percentage in [-1, 10_001] {
            assert_eq!(
                refused(json!([{"percentage": percentage}])),
                "rules[0].percentage must be an integer in basis points, 0 to 10000"
            );
        }
        assert_eq!(
            refused(json!([{"value": "yes"}])),
            "rules[0].value must be a boolean"
        );
        assert_eq!(
            refused(json!([{"description": "d".repeat(2_001)}])),
            "rules[0].description must have at most 2000 characters"
        );
        assert_eq!(
            refused(json!([{"conditions": [{"operator": "eq", "values": ["a"]}]}])),
            "rules[0].conditions[0].attribute is required"
        );
        assert_eq!(
            refused(json!(vec![json!({}); 101])),
            "rules must have at most 100 items"
        );
        let condition = json!({"attribute": "a", "operator": "exists"});
        assert_eq!(
            refused(json!([{"conditions": vec![condition; 101]}])),
            "rules[0].conditions must have at most 100 items"
        );
    }

    #[test]
    fn a_rule_names_each_of_at_most_100_segments_once() {
        let keys = |count: usize| (0..count).map(|n| format!("s{n}")).collect::<Vec<_>>();
        let named = |segment_keys: Vec<String>| {
            let checked = rules(json!([{"segment_keys": segment_keys}]), FlagType::Boolean);
            checked.map(|rules| rules[0].segment_keys.clone())
        };
        assert_eq!(named(keys(100)), Ok(keys(100)));
        assert_eq!(
            named(keys(101)).unwrap_err(),
            "rules[0].segment_keys must have at most 100 items"
        );
        let twice = ["b", "a", "b"].map(str::to_owned).to_vec();
        assert_eq!(named(twice), Ok(vec!["b".to_owned(), "a".to_owned()]));
        assert_eq!(
            named(vec!["s".to_owned(); 20_000]),
            Ok(vec!["s".to_owned()])
        );
        assert_eq!(
            named(vec!["k".repeat(256)]).unwrap_err(),
            "rules[0].a segment key must have at most 255 characters"
        );

        let all = |rules_: usize| {
            rules(
                json!(vec![json!({"segment_keys": keys(100)}); rules_]),
                FlagType::Boolean,
            )
        };
        assert!(all(10).is_ok());
        assert_eq!(
            all(11).unwrap_err(),
            "rules must name at most 1000 segments in all"
        );
    }

    #[test]
    fn an_explicit_null_is_a_value_of_json_and_ab_only() {
        for flag_type in [FlagType::Boolean, FlagType::String, FlagType::Number] {
            assert!(
                rules(json!([{"value": null}]), flag_type).is_err(),
                "{flag_type:?}"
            );
        }
        for flag_type in [FlagType::Json, FlagType::Ab] {
            let checked = rules(json!([{"value": null}]), flag_type).unwrap();
            assert_eq!(checked[0].value, Some(Value::Null));
        }
    }
}
