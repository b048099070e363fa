//! The changes that a write would make.

use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use base::ids::EnvId;

/// Members that every write changes, or that do not depend on it.
const UNCOUNTED: [&str; 3] = ["id", "created_at", "updated_at"];

/// The answer to a write with `dry_run=true`: it changed nothing.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DryRun {
    /// `true`
    dry_run: bool,
    /// The changes: the first 200, or fewer where they have more than 1 MiB.
    changes: Vec<PlannedChange>,
    /// The number of all changes.
    total: usize,
}

/// A change of a flag, of its state in an environment, of a segment, or of an environment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct PlannedChange {
    /// The flag; `null` for a segment or an environment.
    #[schema(required)]
    pub flag_key: Option<String>,
    /// The segment; `null` for anything else.
    #[schema(required)]
    pub segment_key: Option<String>,
    /// The environment of a state; `null` for anything else, and where it would be created.
    #[schema(required)]
    pub env_id: Option<EnvId>,
    /// The environment, also where it would be created; `null` for a flag's own fields and for a segment.
    #[schema(required)]
    pub env_slug: Option<String>,
    /// The names of the fields that would change.
    pub changed: Vec<String>,
    /// Their values now; `null` where nothing is stored.
    #[schema(required)]
    pub before: Option<Map<String, Value>>,
    /// Their values afterwards; `null` where nothing would be stored.
    #[schema(required)]
    pub after: Option<Map<String, Value>>,
}

impl DryRun {
    /// Changes listed at most.
    pub const MOST: usize = 200;
    /// Bytes of listed changes.
    const MAX_BYTES: usize = 1024 * 1024;

    /// Lists the first of these changes; the others are not computed.
    pub fn of(total: usize, changes: impl Iterator<Item = PlannedChange>) -> Self {
        let mut bytes = 0;
        let fits = |change: &PlannedChange| {
            let is_first = bytes == 0;
            bytes += change.bytes();
            is_first || bytes <= Self::MAX_BYTES
        };
        Self {
            dry_run: true,
            changes: changes.take(Self::MOST).take_while(fits).collect(),
            total,
        }
    }
}

impl PlannedChange {
    /// Compares what is shown of a thing before and after. `None` if nothing differs.
    pub fn between(before: Option<Value>, after: Option<Value>) -> Option<Self> {
        let [mut before, mut after] = [before, after].map(members);
        let value_of = |members: &Option<Map<String, Value>>, name: &str| {
            let value = members.as_ref().and_then(|members| members.get(name));
            value.filter(|value| !is_unset(value)).cloned()
        };
        let all = [&before, &after].into_iter().flatten().flat_map(Map::keys);
        let mut changed: Vec<_> = all
            .filter(|name| value_of(&before, name) != value_of(&after, name))
            .cloned()
            .collect();
        changed.sort_unstable();
        changed.dedup();
        for members in [&mut before, &mut after].into_iter().flatten() {
            members.retain(|name, _| changed.binary_search(name).is_ok());
        }
        (!changed.is_empty()).then(|| Self {
            changed,
            before,
            after,
            ..Self::default()
        })
    }

    /// A thing that would be created.
    pub fn created(shown: &impl Serialize) -> Self {
        let after = serde_json::to_value(shown).ok();
        Self::between(None, after).unwrap_or_else(|| Self {
            after: Some(Map::new()),
            ..Self::default()
        })
    }

    fn bytes(&self) -> usize {
        serde_json::to_vec(self).map_or(0, |text| text.len())
    }
}

fn members(shown: Option<Value>) -> Option<Map<String, Value>> {
    let Some(Value::Object(mut members)) = shown else {
        return None;
    };
    members.retain(|name, _| !UNCOUNTED.contains(&name.as_str()));
    Some(members)
}

/// Whether it says no more than that nothing is there.
fn is_unset(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Number(_) | Value::Bool(true) | Value::Object(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn between(before: Value, after: Value) -> Option<Value> {
        let change = PlannedChange::between(Some(before), Some(after))?;
        Some(json!([change.changed, change.before, change.after]))
    }

    #[test]
    fn only_fields_that_differ_are_shown() {
        let before = json!({"id": 1, "updated_at": "a", "enabled": false, "rules": [], "percentage_rollout": 5});
        let after = json!({"id": 1, "updated_at": "b", "enabled": true, "rules": [], "percentage_rollout": null});
        assert_eq!(between(before.clone(), before.clone()), None);
        assert_eq!(
            between(before, after),
            Some(json!([
                ["enabled", "percentage_rollout"],
                {"enabled": false, "percentage_rollout": 5},
                {"enabled": true, "percentage_rollout": null},
            ]))
        );
    }

    #[test]
    fn of_a_new_thing_that_is_shown_which_is_set() {
        let made = json!({"id": 1, "key": "f", "default_value": false, "tags": [], "description": "", "name": "F"});
        let change = PlannedChange::created(&made);
        assert_eq!(change.changed, ["key", "name"]);
        assert_eq!(change.before, None);
        assert_eq!(json!(change.after), json!({"key": "f", "name": "F"}));
    }

    #[test]
    fn long_lists_are_cut_and_counted() {
        let changes = |count: usize, length: usize| {
            let change = PlannedChange::created(&json!({"name": "a".repeat(length)}));
            DryRun::of(count, std::iter::repeat_n(change, count))
        };
        let many = changes(1_000, 1);
        assert_eq!((many.changes.len(), many.total), (DryRun::MOST, 1_000));
        let long = changes(10, 400_000);
        assert_eq!((long.changes.len(), long.total), (2, 10));
        assert_eq!(changes(2, 2_000_000).changes.len(), 1);
    }
}
