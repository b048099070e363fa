//! Definitions as sent by clients: lists of the bodies of the single endpoints.

use std::collections::BTreeMap;

use protocol::{
    objects::{Object, Objects},
    rule::Condition,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use crate::{
    environments::input::{EnvironmentPatch, NewEnvironment},
    flags::{
        input::{FlagPatch, NewFlag},
        model::FlagType,
        states::input::StatePatch,
    },
    segments::{
        document,
        input::{NewSegment, SegmentPatch},
        model::MatchType,
    },
};
use base::input::{Invalid, Patch};

/// Definitions of a project: what is listed is created if it is not there, and else changed in the given fields. All of it, or
/// nothing.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[schema(as = ContentChange)]
pub struct ContentChange {
    /// By their slugs; at most 100.
    #[schema(value_type = Option<Vec<GivenEnvironment>>)]
    pub(super) environments: Option<Objects<GivenEnvironment>>,
    /// By their keys; at most 5,000.
    #[schema(value_type = Option<Vec<GivenSegment>>)]
    pub(super) segments: Option<Objects<GivenSegment>>,
    /// By their keys; at most 20,000.
    #[schema(value_type = Option<Vec<GivenFlag>>)]
    pub(super) flags: Option<Objects<GivenFlag>>,
    /// What is deleted, if it is there.
    #[schema(value_type = Option<Removal>)]
    pub(super) remove: Option<Object<Removal>>,
    /// Why, in one line of at most 500 characters; in place of the `comment` of the query.
    pub comment: Option<String>,
}

/// Things to delete.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[schema(as = ContentRemoval)]
pub(super) struct Removal {
    /// Keys.
    #[schema(value_type = Option<Vec<String>>)]
    pub(super) flags: Option<Vec<String>>,
    /// Keys.
    #[schema(value_type = Option<Vec<String>>)]
    pub(super) segments: Option<Vec<String>>,
    /// Slugs.
    #[schema(value_type = Option<Vec<String>>)]
    pub(super) environments: Option<Vec<String>>,
}

/// An environment; a new one needs its name.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ContentEnvironmentInput)]
pub(super) struct GivenEnvironment {
    /// Required: which one.
    #[schema(value_type = String)]
    pub(super) slug: Option<String>,
    #[serde(default)]
    #[schema(value_type = String, required = false)]
    name: Patch<String>,
    /// `#` and six hex digits.
    #[serde(default)]
    #[schema(value_type = String, required = false)]
    color: Patch<String>,
    /// Whether flag states change by approved requests alone. Only Owner and Admin change it, with a custom role by
    /// `approvals.review`.
    #[serde(default)]
    #[schema(value_type = bool, required = false)]
    protected: Patch<bool>,
    /// 1 to 5. Who changes it is as with `protected`.
    #[serde(default)]
    #[schema(value_type = i32, required = false)]
    required_approvals: Patch<i64>,
}

/// A segment; a new one needs its name and its rules.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ContentSegmentInput)]
pub(super) struct GivenSegment {
    /// Required: which one.
    #[schema(value_type = String)]
    pub(super) key: Option<String>,
    #[serde(default)]
    #[schema(value_type = String, required = false)]
    name: Patch<String>,
    /// `null` empties it.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    description: Patch<String>,
    #[serde(default)]
    #[schema(value_type = MatchType, required = false)]
    match_type: Patch<String>,
    #[serde(default)]
    #[schema(value_type = Vec<document::ConditionInput>, required = false)]
    rules: Patch<Objects<Condition>>,
}

/// A flag with its states; a new one needs its name.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ContentFlagInput)]
pub(super) struct GivenFlag {
    /// Required: which one.
    #[schema(value_type = String)]
    pub(super) key: Option<String>,
    #[serde(default)]
    #[schema(value_type = String, required = false)]
    name: Patch<String>,
    /// `null` empties it.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    description: Patch<String>,
    /// `boolean` when absent for a new flag. That of a flag that is there cannot be another one.
    #[schema(value_type = Option<FlagType>)]
    pub(super) flag_type: Option<String>,
    /// `null` sets the type's own default.
    #[serde(default)]
    #[schema(value_type = Option<Value>)]
    default_value: Patch<Value>,
    #[serde(default)]
    #[schema(value_type = Option<Vec<String>>)]
    tags: Patch<Vec<String>>,
    #[serde(default)]
    #[schema(value_type = Option<Vec<String>>)]
    prerequisites: Patch<Vec<String>>,
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    mutual_exclusion_group: Patch<String>,
    /// Whether it is to stay for ever, so that it is never stale.
    #[serde(default)]
    #[schema(value_type = bool, required = false)]
    permanent: Patch<bool>,
    /// `true` archives it, after all other changes of it; `false` restores it, before them.
    pub(super) archived: Option<bool>,
    /// Its states by the slugs of environments, each with the fields to change.
    #[schema(value_type = Option<BTreeMap<String, StatePatch>>)]
    pub(super) states: Option<BTreeMap<String, Object<StatePatch>>>,
}

/// A value of the body of a creation: `null` counts as absent there.
fn given<T: Clone>(patch: &Patch<T>) -> Option<T> {
    match patch {
        Patch::Keep | Patch::Clear => None,
        Patch::Set(value) => Some(value.clone()),
    }
}

/// Adds a field to the body of an update, if it is given.
fn put<T: Clone>(
    body: &mut Map<String, Value>,
    name: &str,
    patch: &Patch<T>,
    shown: impl FnOnce(T) -> Value,
) {
    let value = match patch {
        Patch::Keep => return,
        Patch::Clear => Value::Null,
        Patch::Set(value) => shown(value.clone()),
    };
    body.insert(name.to_owned(), value);
}

/// The body of an update, as its type reads it.
fn read<T: serde::de::DeserializeOwned>(body: Map<String, Value>) -> Result<T, Invalid> {
    serde_json::from_value(Value::Object(body)).map_err(|error| Invalid::new(error.to_string()))
}

impl GivenEnvironment {
    /// The body of its creation.
    pub(super) fn new_one(&self) -> NewEnvironment {
        NewEnvironment {
            name: given(&self.name),
            slug: self.slug.clone(),
            color: given(&self.color),
            protected: given(&self.protected),
            required_approvals: given(&self.required_approvals),
        }
    }

    /// The body of its update, with the fields for which `differs` says so.
    pub(super) fn patch(
        &self,
        differs: impl Fn(&str) -> bool,
    ) -> Result<EnvironmentPatch, Invalid> {
        let mut body = Map::new();
        put(&mut body, "name", &self.name, |it| json!(it));
        put(&mut body, "color", &self.color, |it| json!(it));
        put(&mut body, "protected", &self.protected, |it| json!(it));
        let approvals = &self.required_approvals;
        put(&mut body, "required_approvals", approvals, |it| json!(it));
        body.retain(|name, _| differs(name));
        read(body)
    }
}

impl GivenSegment {
    /// The body of its creation.
    pub(super) fn new_one(&self) -> NewSegment {
        NewSegment {
            key: self.key.clone(),
            name: given(&self.name),
            description: given(&self.description),
            match_type: given(&self.match_type),
            rules: given(&self.rules),
        }
    }

    /// The body of its update.
    pub(super) fn patch(&self) -> Result<SegmentPatch, Invalid> {
        let mut body = Map::new();
        put(&mut body, "name", &self.name, |it| json!(it));
        put(&mut body, "description", &self.description, |it| json!(it));
        put(&mut body, "match_type", &self.match_type, |it| json!(it));
        put(&mut body, "rules", &self.rules, |Objects(it)| json!(it));
        read(body)
    }
}

impl GivenFlag {
    /// The body of its creation.
    pub(super) fn new_one(&self) -> NewFlag {
        NewFlag {
            key: self.key.clone(),
            name: given(&self.name),
            description: given(&self.description),
            flag_type: self.flag_type.clone(),
            default_value: given(&self.default_value),
            tags: given(&self.tags),
            prerequisites: given(&self.prerequisites),
            mutual_exclusion_group: given(&self.mutual_exclusion_group),
            permanent: given(&self.permanent),
            // Definitions may come from elsewhere, where ids mean nothing.
            owner_id: None,
        }
    }

    /// The body of its update.
    pub(super) fn patch(&self) -> Result<FlagPatch, Invalid> {
        let mut body = Map::new();
        put(&mut body, "name", &self.name, |it| json!(it));
        put(&mut body, "description", &self.description, |it| json!(it));
        put(&mut body, "default_value", &self.default_value, |it| it);
        put(&mut body, "tags", &self.tags, |it| json!(it));
        put(&mut body, "prerequisites", &self.prerequisites, |it| {
            json!(it)
        });
        let group = &self.mutual_exclusion_group;
        put(&mut body, "mutual_exclusion_group", group, |it| json!(it));
        put(&mut body, "permanent", &self.permanent, |it| json!(it));
        read(body)
    }
}

impl ContentChange {
    pub(super) fn environments(&self) -> &[GivenEnvironment] {
        self.environments.as_ref().map_or(&[], |Objects(list)| list)
    }

    pub(super) fn segments(&self) -> &[GivenSegment] {
        self.segments.as_ref().map_or(&[], |Objects(list)| list)
    }

    pub(super) fn flags(&self) -> &[GivenFlag] {
        self.flags.as_ref().map_or(&[], |Objects(list)| list)
    }

    /// The keys of all segments that it names.
    pub(super) fn segment_keys(&self) -> Vec<String> {
        let listed = self.segments().iter().filter_map(|one| one.key.clone());
        let removed = self.remove.iter().flat_map(|remove| &remove.0.segments);
        listed.chain(removed.flatten().cloned()).collect()
    }

    /// The keys of all flags that it names.
    pub(super) fn flag_keys(&self) -> Vec<String> {
        let listed = self.flags().iter().filter_map(|one| one.key.clone());
        let removed = self.remove.iter().flat_map(|remove| &remove.0.flags);
        listed.chain(removed.flatten().cloned()).collect()
    }
}
