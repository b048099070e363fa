//! What Unleash sends. Fields that are not needed are not read; absent ones and `null` count as empty, except for the list that an
//! answer is about: whatever does not have it is no answer of Unleash.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::Value;

/// The answer to a request for a list, under the name that the list has.
#[derive(Debug, Default, Deserialize)]
pub struct Projects {
    pub projects: Vec<Project>,
}

/// What is told of a project.
#[derive(Debug, Deserialize)]
pub struct Overview {
    #[serde(rename = "name")]
    pub _name: String,
}

#[derive(Debug, Deserialize)]
pub struct Project {
    pub id: String,
}

#[derive(Debug, Default, Deserialize)]
pub struct Environments {
    pub environments: Vec<Environment>,
}

/// An environment of the installation.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Environment {
    pub name: String,
    /// Whether it belongs to the project. Absent where environments are not listed by project.
    pub visible: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
pub struct Segments {
    pub segments: Vec<Segment>,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct Segment {
    pub id: i64,
    #[serde(default, deserialize_with = "or_empty")]
    pub name: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub description: String,
    /// Absent where all projects may use it.
    pub project: Option<String>,
    #[serde(default, deserialize_with = "or_empty")]
    pub constraints: Vec<Constraint>,
    #[serde(default, rename = "createdAt", deserialize_with = "or_empty")]
    pub created_at: Option<String>,
}

/// Flags, from a list of them.
#[derive(Debug, Default, Deserialize)]
pub struct Features {
    pub features: Vec<Feature>,
    /// How many there are on all pages, where there are pages.
    pub total: Option<usize>,
}

/// A flag. Which of the fields are there depends on where it comes from.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Feature {
    pub name: String,
    #[serde(default, rename = "type", deserialize_with = "or_empty")]
    pub kind: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub description: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub created_at: Option<String>,
    #[serde(default, deserialize_with = "or_empty")]
    pub archived: bool,
    #[serde(default, deserialize_with = "or_empty")]
    pub tags: Vec<Tag>,
    #[serde(default, deserialize_with = "or_empty")]
    pub dependencies: Vec<Dependency>,
    #[serde(default, deserialize_with = "or_empty")]
    pub environments: Vec<FeatureEnvironment>,
    /// Why the source does not give what it lists.
    #[serde(skip)]
    pub not_given: Option<String>,
    /// Of all environments, in versions that do not keep them by environment.
    #[serde(default, deserialize_with = "or_empty")]
    pub variants: Vec<Variant>,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct Tag {
    #[serde(default, deserialize_with = "text")]
    pub value: String,
}

/// What a flag asks of another one.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Dependency {
    pub feature: String,
    /// Whether the other one has to be on, which it has to be unless this says otherwise.
    pub enabled: Option<bool>,
    /// Variants of which it has to have one.
    #[serde(default, deserialize_with = "or_empty")]
    pub variants: Vec<String>,
}

/// A flag in an environment.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct FeatureEnvironment {
    pub name: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub enabled: bool,
    /// Absent from lists that leave them out.
    pub strategies: Option<Vec<Strategy>>,
    pub variants: Option<Vec<Variant>>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Strategy {
    #[serde(default, deserialize_with = "or_empty")]
    pub id: String,
    pub name: String,
    /// The flag it belongs to, where it does not come with it.
    #[serde(default, deserialize_with = "or_empty")]
    pub feature_name: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub disabled: bool,
    pub sort_order: Option<f64>,
    #[serde(default, deserialize_with = "or_empty")]
    pub parameters: BTreeMap<String, Text>,
    #[serde(default, deserialize_with = "or_empty")]
    pub constraints: Vec<Constraint>,
    #[serde(default, deserialize_with = "or_empty")]
    pub segments: Vec<i64>,
    #[serde(default, deserialize_with = "or_empty")]
    pub variants: Vec<Variant>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Constraint {
    #[serde(default, deserialize_with = "or_empty")]
    pub context_name: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub operator: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub values: Vec<Text>,
    #[serde(default, deserialize_with = "text")]
    pub value: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub inverted: bool,
    #[serde(default, deserialize_with = "or_empty")]
    pub case_insensitive: bool,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct Variant {
    #[serde(default, deserialize_with = "or_empty")]
    pub name: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub weight: f64,
    #[serde(default, deserialize_with = "or_empty")]
    pub stickiness: String,
    pub payload: Option<Payload>,
    #[serde(default, deserialize_with = "or_empty")]
    pub overrides: Vec<Override>,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct Payload {
    #[serde(default, rename = "type", deserialize_with = "or_empty")]
    pub kind: String,
    #[serde(default, deserialize_with = "text")]
    pub value: String,
}

/// Contexts that get a variant whatever the weights.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Override {
    #[serde(default, deserialize_with = "or_empty")]
    pub context_name: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub values: Vec<Text>,
}

/// Everything about the flags of one environment.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Export {
    #[serde(default, deserialize_with = "or_empty")]
    pub feature_strategies: Vec<Strategy>,
    #[serde(default, deserialize_with = "or_empty")]
    pub feature_environments: Vec<ExportedState>,
    /// Absent where another request has to be made for them.
    pub feature_tags: Option<Vec<ExportedTag>>,
    #[serde(default, deserialize_with = "or_empty")]
    pub dependencies: Vec<ExportedDependencies>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExportedState {
    pub feature_name: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub enabled: bool,
    pub variants: Option<Vec<Variant>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExportedTag {
    pub feature_name: String,
    #[serde(default, deserialize_with = "text")]
    pub tag_value: String,
}

#[derive(Debug, Default, Deserialize)]
pub struct ExportedDependencies {
    pub feature: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub dependencies: Vec<Dependency>,
}

/// A text, which some versions write as the number or boolean that it looks like.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text(pub String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        match Value::deserialize(input)? {
            Value::Null => Ok(Self::default()),
            Value::String(text) => Ok(Self(text)),
            scalar @ (Value::Bool(_) | Value::Number(_)) => Ok(Self(scalar.to_string())),
            Value::Array(_) | Value::Object(_) => Err(D::Error::custom("expected a text")),
        }
    }
}

fn text<'de, D: Deserializer<'de>>(input: D) -> Result<String, D::Error> {
    Text::deserialize(input).map(|Text(text)| text)
}

fn or_empty<'de, D, T>(input: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Option::deserialize(input).map(Option::unwrap_or_default)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn absent_fields_and_null_are_empty() {
        let strategy =
            json!({"name": "default", "constraints": null, "disabled": null, "title": "x"});
        let strategy: Strategy = serde_json::from_value(strategy).unwrap();
        assert!(!strategy.disabled && strategy.constraints.is_empty());
        assert!(serde_json::from_value::<Strategy>(json!({"name": "x", "segments": 5})).is_err());
    }

    #[test]
    fn numbers_are_read_where_texts_are_meant() {
        let constraint =
            json!({"contextName": "x", "operator": "NUM_EQ", "value": 5, "values": [true, "a"]});
        let constraint: Constraint = serde_json::from_value(constraint).unwrap();
        assert_eq!(constraint.value, "5");
        assert_eq!(constraint.values, [Text("true".into()), Text("a".into())]);
    }
}
