//! Conditions as sent by clients, in rules and in segments.

use std::collections::HashSet;

use protocol::{pattern::Pattern, rule::Condition};

use crate::input::{Invalid, is_longer_than};

pub const MAX_VALUES: usize = 10_000;
/// Patterns per state or segment. Each is compiled when it is written, and again by every edge.
const MAX_PATTERNS: usize = 200;

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

#[derive(Debug, Default)]
pub struct Patterns {
    known: HashSet<String>,
    /// Of the compiled patterns; equal ones count once.
    bytes: u32,
}

impl Patterns {
    /// Compiled bytes, for the stored row.
    pub fn bytes(&self) -> i32 {
        i32::try_from(self.bytes).unwrap_or(i32::MAX)
    }

    fn add(&mut self, text: &str) -> Result<(), Invalid> {
        if self.known.contains(text) {
            return Ok(());
        }
        let pattern = Pattern::compile(text);
        let pattern = pattern
            .ok_or_else(|| Invalid::new("values must be regular expressions of bounded size"))?;
        let bytes = self.bytes + pattern.bytes();
        // Refused before the next one is compiled.
        if bytes > 2 << 20 {
            return Err(Invalid::new(
                "values must not bring the compiled regex patterns of all rules beyond 2 MiB",
            ));
        }
        self.bytes = bytes;
        self.known.insert(text.to_owned());
        Ok(())
    }
}

/// Limits the regular expressions of one write. Call it before [`check_conditions`], which compiles them.
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

/// Checks a list of conditions, called `field` in errors, and adds their patterns. An error names the position and the broken
/// rule.
pub fn check_conditions(
    conditions: &[Condition],
    field: &str,
    at_most: usize,
    patterns: &mut Patterns,
) -> Result<(), Invalid> {
    if conditions.len() > at_most {
        return Err(Invalid::new(format!(
            "{field} must have at most {at_most} items"
        )));
    }
    for (place, condition) in conditions.iter().enumerate() {
        check_condition(condition, patterns)
            .map_err(|what| Invalid::new(format!("{field}[{place}].{what}")))?;
    }
    Ok(())
}

fn check_condition(condition: &Condition, patterns: &mut Patterns) -> Result<(), Invalid> {
    if condition.attribute.trim().is_empty() {
        return Err(Invalid::new("attribute is required"));
    }
    if is_longer_than(&condition.attribute, 255) {
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
        .any(|value| is_longer_than(value, 1_024))
    {
        return Err(Invalid::new("a value must have at most 1024 characters"));
    }
    if operator == REGEX {
        let mut values = condition.values.iter();
        values.try_for_each(|pattern| patterns.add(pattern))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn condition(authored: Value) -> Result<(), String> {
        check_condition(
            &serde_json::from_value(authored).unwrap(),
            &mut Patterns::default(),
        )
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
    fn compiled_patterns_are_bounded_in_all_and_equal_ones_count_once() {
        let of = |patterns: Vec<String>| {
            let condition = json!({"attribute": "a", "operator": "regex", "values": patterns});
            let condition: Condition = serde_json::from_value(condition).unwrap();
            let mut patterns = Patterns::default();
            let checked = check_condition(&condition, &mut patterns);
            checked
                .map(|()| patterns.bytes())
                .map_err(|invalid| invalid.to_string())
        };
        let large = |number: usize| format!("\\w{{20}}{number}");
        let one = of(vec![large(0)]).unwrap();
        assert!((300 << 10..400 << 10).contains(&one), "{one}");
        assert_eq!(of(vec![large(0); 200]), Ok(one));
        assert!(of((0..5).map(large).collect()).is_ok());
        assert_eq!(
            of((0..200).map(large).collect()).unwrap_err(),
            "values must not bring the compiled regex patterns of all rules beyond 2 MiB"
        );
        // Minimum charge: covers the time to compile a small pattern.
        assert_eq!(of(vec!["a".to_owned(), "b".to_owned()]), Ok(2 * 4_096));
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
