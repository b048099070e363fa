//! What LaunchDarkly sends, as far as it is read. A field of another type than is documented is an error.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::wire::{or_empty, sent};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", bound(deserialize = "T: Deserialize<'de>"))]
pub struct Page<T> {
    #[serde(rename = "_links", default, deserialize_with = "or_empty")]
    pub links: Links,
    #[serde(default)]
    pub total_count: Option<usize>,
    pub items: Vec<T>,
}

sent! {
    "camelCase"

    Links {} {
        next: Option<Link>,
    }

    Link {} {
        href: Option<String>,
    }

    Environment {
        key: String,
    } {
        name: String,
        color: Option<String>,
    }

    Flag {
        key: String,
    } {
        name: String,
        description: String,
        kind: Option<String>,
        /// Milliseconds since 1970.
        creation_date: Option<i64>,
        tags: Vec<String>,
        archived: bool,
        variations: Vec<Variation>,
        defaults: Defaults,
        /// By the key of the environment; only those that were asked for.
        environments: BTreeMap<String, Config>,
    }

    /// A flag of which only the name counts.
    FlagKey {
        key: String,
    } {
        archived: bool,
    }

    Variation {} {
        name: String,
        value: Value,
    }

    Defaults {} {
        off_variation: Option<i64>,
    }

    Config {} {
        on: bool,
        salt: Option<String>,
        off_variation: Option<i64>,
        fallthrough: Option<Serves>,
        targets: Vec<Target>,
        context_targets: Vec<Target>,
        rules: Vec<Rule>,
        prerequisites: Vec<Prerequisite>,
        /// Milliseconds since 1970.
        last_modified: Option<i64>,
    }

    Serves {} {
        variation: Option<i64>,
        rollout: Option<Rollout>,
    }

    Rollout {} {
        variations: Vec<Weighted>,
        bucket_by: String,
        context_kind: String,
        kind: String,
        seed: Option<i64>,
        experiment_allocation: Option<Experiment>,
    }

    /// Its presence makes a rollout an experiment.
    Experiment {} {}

    Weighted {
        variation: i64,
    } {
        /// Of 100,000.
        weight: i64,
    }

    Target {} {
        values: Vec<String>,
        variation: i64,
        context_kind: String,
    }

    Rule {} {
        description: String,
        disabled: bool,
        clauses: Vec<Clause>,
        variation: Option<i64>,
        rollout: Option<Rollout>,
    }

    Clause {} {
        attribute: String,
        op: String,
        values: Vec<Value>,
        negate: bool,
        context_kind: String,
    }

    Prerequisite {
        key: String,
    } {
        variation: i64,
    }

    Segment {
        key: String,
    } {
        name: String,
        description: String,
        /// Milliseconds since 1970.
        creation_date: Option<i64>,
        included: Vec<String>,
        excluded: Vec<String>,
        included_contexts: Vec<Target>,
        excluded_contexts: Vec<Target>,
        rules: Vec<SegmentRule>,
        unbounded: bool,
        deleted: bool,
    }

    SegmentRule {} {
        clauses: Vec<Clause>,
        /// Of 100,000.
        weight: Option<i64>,
    }
}

/// All that is read of a project.
#[derive(Clone, Debug, Default)]
pub struct Project {
    pub environments: Vec<Environment>,
    pub flags: Vec<Flag>,
    pub archived: Vec<String>,
    /// By the key of the environment.
    pub segments: BTreeMap<String, Vec<Segment>>,
}

/// Whether contexts of this kind are those that Halyard knows. An empty kind is the default one.
pub(super) fn is_user(kind: &str) -> bool {
    matches!(kind, "" | "user")
}
