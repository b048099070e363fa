//! What a client may send as conditions, in rules and in segments.

use protocol::rule::Condition;
use regex::RegexBuilder;

use crate::input::{Invalid, is_longer_than};

/// Values of a condition.
pub const MAX_VALUES: usize = 10_000;
/// Characters of a value; a regex pattern is a value.
const MAX_VALUE: usize = 1_024;
const MAX_ATTRIBUTE: usize = 255;
/// Patterns per state or segment. Each is compiled when it is written, and again by every edge.
const MAX_PATTERNS: usize = 200;
/// Bytes of a compiled pattern, here and at the edges.
const MAX_PATTERN_SIZE: usize = 1 << 20;

const REGEX: &str = "regex";
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
    REGEX,
    "startsWith",
    "endsWith",
    "exists",
];

/// Limits the regular expressions in everything that is written together. Call it before [`check_conditions`], which
/// compiles them.
pub fn bound_patterns<'a>(
    conditions: impl IntoIterator<Item = &'a Condition>,
) -> Result<(), Invalid> {
    let patterns: usize = conditions
        .into_iter()
        .filter(|condition| condition.operator == REGEX)
        .map(|condition| condition.values.len())
        .sum();
    if patterns > MAX_PATTERNS {
        return Err(Invalid::new(format!(
            "rules must have at most {MAX_PATTERNS} regex patterns in all"
        )));
    }
    Ok(())
}

/// Checks a list of conditions, called `field` in errors. An error names the place and the broken rule.
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
    if operator == REGEX && !condition.values.iter().all(|pattern| is_pattern(pattern)) {
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn condition(authored: Value) -> Result<(), String> {
        check_condition(&serde_json::from_value(authored).unwrap())
            .map_err(|invalid| invalid.to_string())
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
    fn patterns_are_counted_over_all_conditions() {
        let of = |operator: &str, count: usize| -> Condition {
            let values = vec!["a"; count];
            serde_json::from_value(
                json!({"attribute": "a", "operator": operator, "values": values}),
            )
            .unwrap()
        };
        assert_eq!(
            bound_patterns(&[of("regex", 150), of("regex", 50), of("in", 1_000)]),
            Ok(())
        );
        assert_eq!(
            bound_patterns(&[of("regex", 150), of("regex", 51)]),
            Err(Invalid::new(
                "rules must have at most 200 regex patterns in all"
            ))
        );
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
}
