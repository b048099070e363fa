//! The authored form of rules, conditions and variants: what the management API shows and the database stores.
//!
//! Reading is lenient, because stored data may be older than today's validation; what may be *written* is decided by
//! the control plane. [`compile_rules`] and the `From` implementations translate into the compiled form and give
//! missing parts their meaning.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{Error, Unexpected, Visitor},
};
use serde_json::Value;

use crate::{objects, snapshot};

/// A targeting rule of a flag state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TargetingRule {
    /// Unique in its state; empty if it was never set.
    #[serde(default)]
    pub id: String,
    /// Lower is tried first. Absent only in old data, where it means the position in the list: see [`Self::complete`].
    #[serde(default)]
    pub priority: Option<i64>,
    /// For human readers.
    #[serde(default)]
    pub description: String,
    /// Combined according to `match_type`.
    #[serde(default, deserialize_with = "objects::list")]
    pub conditions: Vec<Condition>,
    /// Keys of segments, which need not exist.
    #[serde(default)]
    pub segment_keys: Vec<String>,
    /// Basis points; absent and `null` read as 10000.
    #[serde(default = "everyone", deserialize_with = "everyone_when_null")]
    pub percentage: i64,
    /// Served on a match. Absent differs from `null`, and stays absent.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub value: Option<Value>,
    /// `all` or `any`; anything else evaluates as `all`.
    #[serde(default = "all", deserialize_with = "all_when_null")]
    pub match_type: String,
}

impl TargetingRule {
    /// Makes the meaning of missing and empty fields explicit, given the rule's position in its list. The API does this
    /// before storing.
    pub fn complete(&mut self, place: usize) {
        self.priority = Some(self.priority_at(place));
        if self.match_type.is_empty() {
            self.match_type = all();
        }
    }

    fn priority_at(&self, place: usize) -> i64 {
        self.priority
            .unwrap_or_else(|| i64::try_from(place).unwrap_or(i64::MAX))
    }

    fn compile(&self, place: usize) -> snapshot::Rule {
        snapshot::Rule {
            id: self.id.clone(),
            priority: self.priority_at(place),
            match_type: snapshot::MatchType::parse(&self.match_type),
            conditions: self.conditions.iter().map(Into::into).collect(),
            segment_keys: self.segment_keys.clone(),
            percentage: self.percentage,
            value: self.value.as_ref().map(Value::to_string),
        }
    }
}

/// One test of one attribute, in rules and in segments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    /// Flat name; `key` is the context key.
    #[serde(default)]
    pub attribute: String,
    /// The spelling in the API.
    #[serde(default)]
    pub operator: String,
    /// Operands.
    #[serde(default)]
    pub values: Vec<String>,
}

impl From<&Condition> for snapshot::Condition {
    fn from(condition: &Condition) -> Self {
        Self {
            attribute: condition.attribute.clone(),
            operator: condition.operator.clone(),
            values: condition.values.clone(),
        }
    }
}

/// A variant of a flag state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variant {
    /// Unique in its state.
    #[serde(default)]
    pub key: String,
    /// Served when the variant is drawn; absent reads as `null`.
    #[serde(default)]
    pub value: Value,
    /// Basis points.
    #[serde(default, deserialize_with = "points")]
    pub weight: i64,
}

impl From<&Variant> for snapshot::Variant {
    fn from(variant: &Variant) -> Self {
        Self {
            key: variant.key.clone(),
            value: variant.value.to_string(),
            weight: variant.weight,
        }
    }
}

impl snapshot::MatchType {
    /// Reads the authored spelling, where anything but exactly `any` counts as `all`.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        if text == "any" { Self::Any } else { Self::All }
    }
}

/// The compiled form of a state's rules. A rule without a priority uses its position in the list.
#[must_use]
pub fn compile_rules(rules: &[TargetingRule]) -> Vec<snapshot::Rule> {
    rules
        .iter()
        .enumerate()
        .map(|(place, rule)| rule.compile(place))
        .collect()
}

/// Everybody, in basis points.
const fn everyone() -> i64 {
    10_000
}

fn all() -> String {
    "all".to_owned()
}

fn everyone_when_null<'de, D: Deserializer<'de>>(input: D) -> Result<i64, D::Error> {
    let points = Option::<Points>::deserialize(input)?;
    Ok(points.map_or(everyone(), |Points(points)| points))
}

/// What a number of basis points is, in words for whoever wrote something else.
pub const POINTS: &str = "an integer in basis points, 0 to 10000";

/// A number of basis points as it is written: any integer, since whoever stores it has its own check.
#[derive(Clone, Copy, Debug)]
pub struct Points(pub i64);

impl<'de> Deserialize<'de> for Points {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_i64(PointsVisitor)
    }
}

struct PointsVisitor;

impl Visitor<'_> for PointsVisitor {
    type Value = Points;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(POINTS)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Points, E> {
        Ok(Points(number))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Points, E> {
        let points = i64::try_from(number).map(Points);
        points.map_err(|_| E::invalid_value(Unexpected::Unsigned(number), &self))
    }
}

fn points<'de, D: Deserializer<'de>>(input: D) -> Result<i64, D::Error> {
    Points::deserialize(input).map(|Points(points)| points)
}

fn all_when_null<'de, D: Deserializer<'de>>(input: D) -> Result<String, D::Error> {
    Ok(Option::deserialize(input)?.unwrap_or_else(all))
}

/// Called only for fields that are present: an explicit `null` is a value.
fn present<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(input).map(Some)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rule(stored: Value) -> TargetingRule {
        serde_json::from_value(stored).unwrap()
    }

    #[test]
    fn a_completed_rule_shows_every_field_but_a_missing_value() {
        let mut sparse = rule(json!({"id": "r"}));
        sparse.complete(3);
        assert_eq!(
            serde_json::to_value(&sparse).unwrap(),
            json!({"id": "r", "priority": 3, "description": "", "conditions": [], "segment_keys": [],
                   "percentage": 10000, "match_type": "all"})
        );
    }

    #[test]
    fn null_is_a_value_and_absence_is_none() {
        let null = rule(json!({"value": null}));
        assert_eq!(null.value, Some(Value::Null));
        assert_eq!(serde_json::to_value(&null).unwrap()["value"], Value::Null);
        assert!(
            serde_json::to_value(&null)
                .unwrap()
                .as_object()
                .unwrap()
                .contains_key("value")
        );
        assert_eq!(compile_rules(&[null])[0].value.as_deref(), Some("null"));
        assert_eq!(compile_rules(&[rule(json!({}))])[0].value, None);
    }

    #[test]
    fn a_missing_priority_is_the_place_in_the_list() {
        let rules = [
            rule(json!({"priority": 7})),
            rule(json!({})),
            rule(json!({"priority": null})),
        ];
        let priorities: Vec<i64> = compile_rules(&rules)
            .iter()
            .map(|rule| rule.priority)
            .collect();
        assert_eq!(priorities, [7, 1, 2]);
    }

    #[test]
    fn a_percentage_of_null_is_everyone_and_of_zero_nobody() {
        assert_eq!(rule(json!({"percentage": null})).percentage, 10_000);
        assert_eq!(rule(json!({"percentage": 0})).percentage, 0);
    }

    #[test]
    fn only_any_is_any() {
        for (text, expected) in [("any", "Any"), ("all", "All"), ("ANY", "All"), ("", "All")] {
            let compiled = compile_rules(&[rule(json!({"match_type": text}))]);
            assert_eq!(format!("{:?}", compiled[0].match_type), expected);
        }
    }
}
