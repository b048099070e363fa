//! What a client may write as targeting rules, conditions and variants (decisions 2.5 and 11.6).
//!
//! Stored data is read more leniently (`protocol::rule`). Conditions are those of rules and of segments alike.

use std::collections::HashSet;

use protocol::rule::{Condition, TargetingRule, Variant};
use regex::RegexBuilder;
use uuid::Uuid;

use super::model::{FlagType, check_size};
use crate::input::{Invalid, is_longer_than};

const MAX_RULES: usize = 100;
const MAX_RULE_CONDITIONS: usize = 100;
const MAX_RULE_DESCRIPTION: usize = 2_000;
const MAX_VALUES: usize = 10_000;
/// Of a value in characters; a regex pattern is a value.
const MAX_VALUE: usize = 1_024;
const MAX_ATTRIBUTE: usize = 255;
const MAX_VARIANTS: usize = 100;
const MAX_VARIANT_KEY: usize = 255;
/// The whole, in basis points.
const WHOLE: i64 = 10_000;
/// Bytes that a compiled pattern may take, here and at the edges.
const MAX_PATTERN_SIZE: usize = 1 << 20;

const OPERATORS: [&str; 13] = [
    "eq",
    "neq",
    "gt",
    "gte",
    "lt",
    "lte",
    "contains",
    "notIn",
    "in",
    "regex",
    "startsWith",
    "endsWith",
    "exists",
];

/// Checks the rules of a state of a flag of this type, and writes down what their missing parts mean.
///
/// # Errors
/// With the place and the rule that is broken.
pub fn check_rules(
    mut rules: Vec<TargetingRule>,
    flag_type: FlagType,
) -> Result<Vec<TargetingRule>, Invalid> {
    if rules.len() > MAX_RULES {
        return Err(Invalid::new("rules must have at most 100 items"));
    }
    for (place, rule) in rules.iter_mut().enumerate() {
        rule.complete(place);
        if rule.id.is_empty() {
            rule.id = Uuid::new_v4().to_string();
        }
        check_rule(rule, flag_type)
            .map_err(|what| Invalid::new(format!("rules[{place}].{what}")))?;
    }
    let mut ids = HashSet::new();
    match rules.iter().find(|rule| !ids.insert(rule.id.as_str())) {
        Some(_) => Err(Invalid::new("rule ids must not repeat")),
        None => Ok(rules),
    }
}

fn check_rule(rule: &TargetingRule, flag_type: FlagType) -> Result<(), Invalid> {
    if is_longer_than(&rule.description, MAX_RULE_DESCRIPTION) {
        return Err(Invalid::new(
            "description must have at most 2000 characters",
        ));
    }
    if !matches!(rule.match_type.as_str(), "all" | "any") {
        return Err(Invalid::new("match_type must be all or any"));
    }
    if !(0..=WHOLE).contains(&rule.percentage) {
        return Err(Invalid::new(
            "percentage must be an integer from 0 to 10000",
        ));
    }
    match &rule.value {
        Some(value) if value.is_null() && flag_type == FlagType::Json => {}
        Some(value) => flag_type.check("value", value)?,
        None => {}
    }
    check_conditions(&rule.conditions, "conditions", MAX_RULE_CONDITIONS)
}

/// Checks a list of conditions, named `field` to the caller.
///
/// # Errors
/// With the place and the rule that is broken.
pub fn check_conditions(
    conditions: &[Condition],
    field: &str,
    at_most: usize,
) -> Result<(), Invalid> {
    if conditions.len() > at_most {
        return Err(Invalid::new(format!(
            "{field} must have at most {at_most} items"
        )));
    }
    for (place, condition) in conditions.iter().enumerate() {
        check_condition(condition)
            .map_err(|what| Invalid::new(format!("{field}[{place}].{what}")))?;
    }
    Ok(())
}

fn check_condition(condition: &Condition) -> Result<(), Invalid> {
    if condition.attribute.trim().is_empty() {
        return Err(Invalid::new("attribute is required"));
    }
    if is_longer_than(&condition.attribute, MAX_ATTRIBUTE) {
        return Err(Invalid::new("attribute must have at most 255 characters"));
    }
    let operator = condition.operator.as_str();
    if !OPERATORS.contains(&operator) {
        return Err(Invalid::new(format!(
            "operator must be one of {}",
            OPERATORS.join(", ")
        )));
    }
    if condition.values.is_empty() && !matches!(operator, "exists" | "neq") {
        return Err(Invalid::new("values must not be empty"));
    }
    if condition.values.len() > MAX_VALUES {
        return Err(Invalid::new("values must have at most 10000 items"));
    }
    if condition
        .values
        .iter()
        .any(|value| is_longer_than(value, MAX_VALUE))
    {
        return Err(Invalid::new("a value must have at most 1024 characters"));
    }
    if operator == "regex" && !condition.values.iter().all(|pattern| is_pattern(pattern)) {
        return Err(Invalid::new(
            "values must be regular expressions of bounded size",
        ));
    }
    Ok(())
}

fn is_pattern(text: &str) -> bool {
    RegexBuilder::new(text)
        .size_limit(MAX_PATTERN_SIZE)
        .build()
        .is_ok()
}

/// Checks the variants of a state. They are stored on flags of any type.
///
/// # Errors
/// With the place and the rule that is broken.
pub fn check_variants(variants: &[Variant]) -> Result<(), Invalid> {
    if variants.len() > MAX_VARIANTS {
        return Err(Invalid::new("variants must have at most 100 items"));
    }
    for (place, variant) in variants.iter().enumerate() {
        check_variant(variant).map_err(|what| Invalid::new(format!("variants[{place}].{what}")))?;
    }
    let mut keys = HashSet::new();
    if !variants
        .iter()
        .all(|variant| keys.insert(variant.key.as_str()))
    {
        return Err(Invalid::new("variant keys must not repeat"));
    }
    let sum: i64 = variants.iter().map(|variant| variant.weight).sum();
    if !variants.is_empty() && sum != WHOLE {
        return Err(Invalid::new("variant weights must sum to 10000"));
    }
    Ok(())
}

fn check_variant(variant: &Variant) -> Result<(), Invalid> {
    if variant.key.trim().is_empty() {
        return Err(Invalid::new("key is required"));
    }
    if is_longer_than(&variant.key, MAX_VARIANT_KEY) {
        return Err(Invalid::new("key must have at most 255 characters"));
    }
    if !(0..=WHOLE).contains(&variant.weight) {
        return Err(Invalid::new("weight must be an integer from 0 to 10000"));
    }
    check_size("value", &variant.value)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn rules(authored: Value, flag_type: FlagType) -> Result<Vec<TargetingRule>, String> {
        check_rules(serde_json::from_value(authored).unwrap(), flag_type)
            .map_err(|invalid| invalid.to_string())
    }

    fn condition(authored: Value) -> Result<(), String> {
        check_condition(&serde_json::from_value(authored).unwrap())
            .map_err(|invalid| invalid.to_string())
    }

    fn variants(authored: Value) -> Result<(), String> {
        let variants: Vec<Variant> = serde_json::from_value(authored).unwrap();
        check_variants(&variants).map_err(|invalid| invalid.to_string())
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
                "rules[0].percentage must be an integer from 0 to 10000"
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

    #[test]
    fn there_are_thirteen_operators() {
        for operator in OPERATORS {
            assert_eq!(
                condition(json!({"attribute": "a", "operator": operator, "values": ["1"]})),
                Ok(())
            );
        }
        for operator in ["", "EQ", "not_in", "between"] {
            assert!(
                condition(json!({"attribute": "a", "operator": operator, "values": ["1"]}))
                    .is_err(),
                "{operator}"
            );
        }
    }

    #[test]
    fn only_exists_and_neq_take_no_values() {
        for operator in OPERATORS {
            let found = condition(json!({"attribute": "a", "operator": operator}));
            assert_eq!(
                found.is_ok(),
                matches!(operator, "exists" | "neq"),
                "{operator}"
            );
        }
    }

    #[test]
    fn conditions_are_bounded() {
        let of = |values: Value| {
            condition(json!({"attribute": "a", "operator": "in", "values": values}))
        };
        assert_eq!(of(json!(vec!["v"; 10_000])), Ok(()));
        assert_eq!(
            of(json!(vec!["v"; 10_001])).unwrap_err(),
            "values must have at most 10000 items"
        );
        assert_eq!(of(json!(["ü".repeat(1_024)])), Ok(()));
        assert_eq!(
            of(json!(["ü".repeat(1_025)])).unwrap_err(),
            "a value must have at most 1024 characters"
        );
        let named = |name: String| condition(json!({"attribute": name, "operator": "exists"}));
        assert_eq!(named("a".repeat(255)), Ok(()));
        assert!(named("a".repeat(256)).is_err());
        assert!(named(" ".to_owned()).is_err());
    }

    #[test]
    fn patterns_compile_within_bounds() {
        let of = |pattern: &str| {
            condition(json!({"attribute": "a", "operator": "regex", "values": ["ok", pattern]}))
        };
        assert_eq!(of("^[a-z]+@acme\\.test$"), Ok(()));
        for pattern in ["(", "a{", "(?<=x)y", "(a)\\1", "\\w{1000}{1000}"] {
            assert_eq!(
                of(pattern).unwrap_err(),
                "values must be regular expressions of bounded size",
                "{pattern}"
            );
        }
    }

    #[test]
    fn variants_share_the_whole() {
        assert_eq!(variants(json!([])), Ok(()));
        assert_eq!(variants(json!([{"key": "a", "weight": 10_000}])), Ok(()));
        assert_eq!(
            variants(json!([{"key": "a", "weight": 0}, {"key": "b", "weight": 10_000}])),
            Ok(())
        );
        for (refused, why) in [
            (
                json!([{"key": "a", "weight": 9_999}]),
                "variant weights must sum to 10000",
            ),
            (
                json!([{"key": "a", "weight": -1}]),
                "variants[0].weight must be an integer from 0 to 10000",
            ),
            (
                json!([{"key": "a", "weight": 10_001}]),
                "variants[0].weight must be an integer from 0 to 10000",
            ),
            (
                json!([{"key": "", "weight": 10_000}]),
                "variants[0].key is required",
            ),
            (json!([{"weight": 10_000}]), "variants[0].key is required"),
            (
                json!([{"key": "a", "weight": 5_000}, {"key": "a", "weight": 5_000}]),
                "variant keys must not repeat",
            ),
            (
                json!([{"key": "k".repeat(256), "weight": 10_000}]),
                "variants[0].key must have at most 255 characters",
            ),
            (
                json!(vec![json!({"key": "a", "weight": 100}); 101]),
                "variants must have at most 100 items",
            ),
        ] {
            assert_eq!(variants(refused), Err(why.to_owned()));
        }
    }
}
