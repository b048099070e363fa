//! What Unleash sends. Fields that are not needed are not read. The list that an answer is about has to be there: an answer without
//! it is not one of Unleash.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::Value;

use crate::wire::sent;

sent! {
    "camelCase"

    Projects {
        projects: Vec<Project>,
    } {}

    Overview {
        name: String,
    } {}

    Project {
        id: String,
    } {}

    Environments {
        environments: Vec<Environment>,
    } {}

    Environment {
        name: String,
    } {
        /// Whether it belongs to the project. Absent where environments are not listed by project.
        visible: Option<bool>,
    }

    Segments {
        segments: Vec<Segment>,
    } {}

    Segment {
        id: i64,
    } {
        name: String,
        description: String,
        /// Absent where all projects may use it.
        project: Option<String>,
        constraints: Vec<Constraint>,
        created_at: Option<String>,
    }

    Features {
        features: Vec<Feature>,
    } {
        /// How many there are on all pages, where there are pages.
        total: Option<usize>,
    }

    /// A flag. Which of the fields are there depends on where it comes from.
    Feature {
        name: String,
    } {
        #[serde(rename = "type")]
        kind: String,
        description: String,
        created_at: Option<String>,
        archived: bool,
        tags: Vec<Tag>,
        dependencies: Vec<Dependency>,
        environments: Vec<FeatureEnvironment>,
        /// Why the source does not give what it lists.
        #[serde(skip)]
        not_given: Option<String>,
        /// Of all environments, in versions that do not keep them by environment.
        variants: Vec<Variant>,
    }

    Tag {} {
        value: Text,
    }

    /// What a flag asks of another one.
    Dependency {
        feature: String,
    } {
        /// Whether the other one has to be on; it has to unless this is `false`.
        enabled: Option<bool>,
        /// Variants of which it has to have one.
        variants: Vec<String>,
    }

    FeatureEnvironment {
        name: String,
    } {
        enabled: bool,
        /// Absent from lists that leave them out.
        strategies: Option<Vec<Strategy>>,
        variants: Option<Vec<Variant>>,
    }

    Strategy {
        name: String,
    } {
        id: String,
        /// The flag it belongs to, where it does not come with it.
        feature_name: String,
        disabled: bool,
        sort_order: Option<f64>,
        parameters: BTreeMap<String, Text>,
        constraints: Vec<Constraint>,
        segments: Vec<i64>,
        variants: Vec<Variant>,
    }

    Constraint {} {
        context_name: String,
        operator: String,
        values: Vec<Text>,
        value: Text,
        inverted: bool,
        case_insensitive: bool,
    }

    Variant {} {
        name: String,
        weight: f64,
        stickiness: String,
        payload: Option<Payload>,
        overrides: Vec<Override>,
    }

    Payload {} {
        #[serde(rename = "type")]
        kind: String,
        value: Text,
    }

    /// Contexts that get a variant whatever the weights.
    Override {} {
        context_name: String,
        values: Vec<Text>,
    }

    /// Everything about the flags of one environment.
    Export {} {
        feature_strategies: Vec<Strategy>,
        feature_environments: Vec<ExportedState>,
        /// Absent where another request has to be made for them.
        feature_tags: Option<Vec<ExportedTag>>,
        dependencies: Vec<ExportedDependencies>,
    }

    ExportedState {
        feature_name: String,
    } {
        enabled: bool,
        variants: Option<Vec<Variant>>,
    }

    ExportedTag {
        feature_name: String,
    } {
        tag_value: Text,
    }

    ExportedDependencies {
        feature: String,
    } {
        dependencies: Vec<Dependency>,
    }
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
        assert_eq!(constraint.value, Text("5".into()));
        assert_eq!(constraint.values, [Text("true".into()), Text("a".into())]);
    }
}
