//! What Unleash sends. Fields that are not needed are not read; absent ones and `null` count as empty, except for the list that an
//! answer is about: whatever does not have it is no answer of Unleash.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::Value;

/// The answer to a request for a list, under the name that the list has.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Projects {
    pub(super) projects: Vec<Project>,
}

/// What is told of a project.
#[derive(Debug, Deserialize)]
pub(super) struct Overview {
    #[serde(rename = "name")]
    pub(super) _name: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Project {
    pub(super) id: String,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Environments {
    pub(super) environments: Vec<Environment>,
}

/// An environment of the installation.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Environment {
    pub(super) name: String,
    /// Whether it belongs to the project. Absent where environments are not listed by project.
    pub(super) visible: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Segments {
    pub(super) segments: Vec<Segment>,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Segment {
    pub(super) id: i64,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) name: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) description: String,
    /// Absent where all projects may use it.
    pub(super) project: Option<String>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) constraints: Vec<Constraint>,
    #[serde(default, rename = "createdAt", deserialize_with = "or_empty")]
    pub(super) created_at: Option<String>,
}

/// Flags, from a list of them.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Features {
    pub(super) features: Vec<Feature>,
    /// How many there are on all pages, where there are pages.
    pub(super) total: Option<usize>,
}

/// A flag. Which of the fields are there depends on where it comes from.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Feature {
    pub(super) name: String,
    #[serde(default, rename = "type", deserialize_with = "or_empty")]
    pub(super) kind: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) description: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) created_at: Option<String>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) archived: bool,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) tags: Vec<Tag>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) dependencies: Vec<Dependency>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) environments: Vec<FeatureEnvironment>,
    /// Why the source does not give what it lists.
    #[serde(skip)]
    pub(super) not_given: Option<String>,
    /// Of all environments, in versions that do not keep them by environment.
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) variants: Vec<Variant>,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Tag {
    #[serde(default, deserialize_with = "text")]
    pub(super) value: String,
}

/// What a flag asks of another one.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Dependency {
    pub(super) feature: String,
    /// Whether the other one has to be on, which it has to be unless this says otherwise.
    pub(super) enabled: Option<bool>,
    /// Variants of which it has to have one.
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) variants: Vec<String>,
}

/// A flag in an environment.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct FeatureEnvironment {
    pub(super) name: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) enabled: bool,
    /// Absent from lists that leave them out.
    pub(super) strategies: Option<Vec<Strategy>>,
    pub(super) variants: Option<Vec<Variant>>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Strategy {
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) id: String,
    pub(super) name: String,
    /// The flag it belongs to, where it does not come with it.
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) feature_name: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) disabled: bool,
    pub(super) sort_order: Option<f64>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) parameters: BTreeMap<String, Text>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) constraints: Vec<Constraint>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) segments: Vec<i64>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) variants: Vec<Variant>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Constraint {
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) context_name: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) operator: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) values: Vec<Text>,
    #[serde(default, deserialize_with = "text")]
    pub(super) value: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) inverted: bool,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) case_insensitive: bool,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Variant {
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) name: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) weight: f64,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) stickiness: String,
    pub(super) payload: Option<Payload>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) overrides: Vec<Override>,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Payload {
    #[serde(default, rename = "type", deserialize_with = "or_empty")]
    pub(super) kind: String,
    #[serde(default, deserialize_with = "text")]
    pub(super) value: String,
}

/// Contexts that get a variant whatever the weights.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Override {
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) context_name: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) values: Vec<Text>,
}

/// Everything about the flags of one environment.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Export {
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) feature_strategies: Vec<Strategy>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) feature_environments: Vec<ExportedState>,
    /// Absent where another request has to be made for them.
    pub(super) feature_tags: Option<Vec<ExportedTag>>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) dependencies: Vec<ExportedDependencies>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ExportedState {
    pub(super) feature_name: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) enabled: bool,
    pub(super) variants: Option<Vec<Variant>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ExportedTag {
    pub(super) feature_name: String,
    #[serde(default, deserialize_with = "text")]
    pub(super) tag_value: String,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct ExportedDependencies {
    pub(super) feature: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) dependencies: Vec<Dependency>,
}

/// A text, which some versions write as the number or boolean that it looks like.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Text(pub(super) String);

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
