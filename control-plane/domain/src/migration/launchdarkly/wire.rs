//! What LaunchDarkly sends, as far as it is read. Whatever it leaves out or sends as `null` reads as empty; a field of another
//! type than is documented is an error.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A page of a list.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", bound(deserialize = "T: Deserialize<'de>"))]
pub(super) struct Page<T> {
    #[serde(rename = "_links", default, deserialize_with = "or_empty")]
    pub(super) links: Links,
    #[serde(default)]
    pub(super) total_count: Option<usize>,
    pub(super) items: Vec<T>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Links {
    #[serde(default)]
    pub(super) next: Option<Link>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Link {
    #[serde(default)]
    pub(super) href: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Environment {
    pub(super) key: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) name: String,
    #[serde(default)]
    pub(super) color: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Flag {
    pub(super) key: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) name: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) description: String,
    #[serde(default)]
    pub(super) kind: Option<String>,
    /// Milliseconds since 1970.
    #[serde(default)]
    pub(super) creation_date: Option<i64>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) tags: Vec<String>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) archived: bool,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) variations: Vec<Variation>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) defaults: Defaults,
    /// By the key of the environment; only those that were asked for.
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) environments: BTreeMap<String, Config>,
}

/// A flag of which only the name counts.
#[derive(Debug, Deserialize)]
pub(super) struct FlagKey {
    pub(super) key: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) archived: bool,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Variation {
    #[serde(default)]
    pub(super) value: Value,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Defaults {
    #[serde(default)]
    pub(super) off_variation: Option<i64>,
}

/// A flag in an environment.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Config {
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) on: bool,
    #[serde(default)]
    pub(super) off_variation: Option<i64>,
    #[serde(default)]
    pub(super) fallthrough: Option<Serves>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) targets: Vec<Target>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) context_targets: Vec<Target>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) rules: Vec<Rule>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) prerequisites: Vec<Prerequisite>,
    /// Milliseconds since 1970.
    #[serde(default)]
    pub(super) last_modified: Option<i64>,
}

/// What is served: one variation, or a rollout.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Serves {
    #[serde(default)]
    pub(super) variation: Option<i64>,
    #[serde(default)]
    pub(super) rollout: Option<Rollout>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Rollout {
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) variations: Vec<Weighted>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) bucket_by: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) context_kind: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) kind: String,
    #[serde(default)]
    pub(super) experiment_allocation: Option<Experiment>,
}

/// Says by its presence that a rollout is an experiment.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Experiment {}

#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Weighted {
    pub(super) variation: i64,
    /// Of 100,000.
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) weight: i64,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Target {
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) values: Vec<String>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) variation: i64,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) context_kind: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Rule {
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) description: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) disabled: bool,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) clauses: Vec<Clause>,
    #[serde(default)]
    pub(super) variation: Option<i64>,
    #[serde(default)]
    pub(super) rollout: Option<Rollout>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Clause {
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) attribute: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) op: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) values: Vec<Value>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) negate: bool,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) context_kind: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Prerequisite {
    pub(super) key: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) variation: i64,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Segment {
    pub(super) key: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) name: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) description: String,
    /// Milliseconds since 1970.
    #[serde(default)]
    pub(super) creation_date: Option<i64>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) included: Vec<String>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) excluded: Vec<String>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) included_contexts: Vec<Target>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) excluded_contexts: Vec<Target>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) rules: Vec<SegmentRule>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) unbounded: bool,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) deleted: bool,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct SegmentRule {
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) clauses: Vec<Clause>,
    /// Of 100,000.
    #[serde(default)]
    pub(super) weight: Option<i64>,
}

/// All that is read of a project.
#[derive(Clone, Debug, Default)]
pub(super) struct Project {
    pub(super) environments: Vec<Environment>,
    pub(super) flags: Vec<Flag>,
    /// Keys of flags that are archived.
    pub(super) archived: Vec<String>,
    /// By the key of the environment.
    pub(super) segments: BTreeMap<String, Vec<Segment>>,
}

fn or_empty<'de, D, T>(input: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::deserialize(input)?.unwrap_or_default())
}

/// Whether contexts of this kind are those that Halyard knows. An empty kind is the default one.
pub(super) fn is_user(kind: &str) -> bool {
    matches!(kind, "" | "user")
}
