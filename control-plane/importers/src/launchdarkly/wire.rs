//! What LaunchDarkly sends, as far as it is read. Whatever it leaves out or sends as `null` reads as empty; a field of another
//! type than is documented is an error.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A page of a list.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", bound(deserialize = "T: Deserialize<'de>"))]
pub struct Page<T> {
    #[serde(rename = "_links", default, deserialize_with = "or_empty")]
    pub links: Links,
    #[serde(default)]
    pub total_count: Option<usize>,
    pub items: Vec<T>,
}

#[derive(Debug, Default, Deserialize)]
pub struct Links {
    #[serde(default)]
    pub next: Option<Link>,
}

#[derive(Debug, Default, Deserialize)]
pub struct Link {
    #[serde(default)]
    pub href: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct Environment {
    pub key: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub name: String,
    #[serde(default)]
    pub color: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Flag {
    pub key: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub name: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub description: String,
    #[serde(default)]
    pub kind: Option<String>,
    /// Milliseconds since 1970.
    #[serde(default)]
    pub creation_date: Option<i64>,
    #[serde(default, deserialize_with = "or_empty")]
    pub tags: Vec<String>,
    #[serde(default, deserialize_with = "or_empty")]
    pub archived: bool,
    #[serde(default, deserialize_with = "or_empty")]
    pub variations: Vec<Variation>,
    #[serde(default, deserialize_with = "or_empty")]
    pub defaults: Defaults,
    /// By the key of the environment; only those that were asked for.
    #[serde(default, deserialize_with = "or_empty")]
    pub environments: BTreeMap<String, Config>,
}

/// A flag of which only the name counts.
#[derive(Debug, Deserialize)]
pub struct FlagKey {
    pub key: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub archived: bool,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct Variation {
    #[serde(default)]
    pub value: Value,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Defaults {
    #[serde(default)]
    pub off_variation: Option<i64>,
}

/// A flag in an environment.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Config {
    #[serde(default, deserialize_with = "or_empty")]
    pub on: bool,
    #[serde(default)]
    pub off_variation: Option<i64>,
    #[serde(default)]
    pub fallthrough: Option<Serves>,
    #[serde(default, deserialize_with = "or_empty")]
    pub targets: Vec<Target>,
    #[serde(default, deserialize_with = "or_empty")]
    pub context_targets: Vec<Target>,
    #[serde(default, deserialize_with = "or_empty")]
    pub rules: Vec<Rule>,
    #[serde(default, deserialize_with = "or_empty")]
    pub prerequisites: Vec<Prerequisite>,
    /// Milliseconds since 1970.
    #[serde(default)]
    pub last_modified: Option<i64>,
}

/// What is served: one variation, or a rollout.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Serves {
    #[serde(default)]
    pub variation: Option<i64>,
    #[serde(default)]
    pub rollout: Option<Rollout>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Rollout {
    #[serde(default, deserialize_with = "or_empty")]
    pub variations: Vec<Weighted>,
    #[serde(default, deserialize_with = "or_empty")]
    pub bucket_by: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub context_kind: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub kind: String,
    #[serde(default)]
    pub experiment_allocation: Option<Experiment>,
}

/// Says by its presence that a rollout is an experiment.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Experiment {}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct Weighted {
    pub variation: i64,
    /// Of 100,000.
    #[serde(default, deserialize_with = "or_empty")]
    pub weight: i64,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Target {
    #[serde(default, deserialize_with = "or_empty")]
    pub values: Vec<String>,
    #[serde(default, deserialize_with = "or_empty")]
    pub variation: i64,
    #[serde(default, deserialize_with = "or_empty")]
    pub context_kind: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct Rule {
    #[serde(default, deserialize_with = "or_empty")]
    pub description: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub disabled: bool,
    #[serde(default, deserialize_with = "or_empty")]
    pub clauses: Vec<Clause>,
    #[serde(default)]
    pub variation: Option<i64>,
    #[serde(default)]
    pub rollout: Option<Rollout>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Clause {
    #[serde(default, deserialize_with = "or_empty")]
    pub attribute: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub op: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub values: Vec<Value>,
    #[serde(default, deserialize_with = "or_empty")]
    pub negate: bool,
    #[serde(default, deserialize_with = "or_empty")]
    pub context_kind: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct Prerequisite {
    pub key: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub variation: i64,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Segment {
    pub key: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub name: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub description: String,
    /// Milliseconds since 1970.
    #[serde(default)]
    pub creation_date: Option<i64>,
    #[serde(default, deserialize_with = "or_empty")]
    pub included: Vec<String>,
    #[serde(default, deserialize_with = "or_empty")]
    pub excluded: Vec<String>,
    #[serde(default, deserialize_with = "or_empty")]
    pub included_contexts: Vec<Target>,
    #[serde(default, deserialize_with = "or_empty")]
    pub excluded_contexts: Vec<Target>,
    #[serde(default, deserialize_with = "or_empty")]
    pub rules: Vec<SegmentRule>,
    #[serde(default, deserialize_with = "or_empty")]
    pub unbounded: bool,
    #[serde(default, deserialize_with = "or_empty")]
    pub deleted: bool,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct SegmentRule {
    #[serde(default, deserialize_with = "or_empty")]
    pub clauses: Vec<Clause>,
    /// Of 100,000.
    #[serde(default)]
    pub weight: Option<i64>,
}

/// All that is read of a project.
#[derive(Clone, Debug, Default)]
pub struct Project {
    pub environments: Vec<Environment>,
    pub flags: Vec<Flag>,
    /// Keys of flags that are archived.
    pub archived: Vec<String>,
    /// By the key of the environment.
    pub segments: BTreeMap<String, Vec<Segment>>,
}

fn or_empty<'de, D, T>(input: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::deserialize(input)?.unwrap_or_default())
}

/// Whether contexts of this kind are those that Halyard knows. An empty kind is the default one.
pub fn is_user(kind: &str) -> bool {
    matches!(kind, "" | "user")
}
