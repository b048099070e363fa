//! The edits that undo an applied set.

use serde_json::{Map, Value, json};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::{
    input::Edits,
    model::{ChangeSet, Status},
    preview::Planned,
};
use crate::content::{
    conflicts,
    parts::{Fields, Kind, Part, PartAction},
};
use base::refusal::{Conflicts, Refusal};

const MOVED: &str =
    "what the change set changed has been changed since: undo it by hand where it still applies";

/// The edits after which everything is as it was before the set. What it created goes, but flags, which are archived: their history
/// stays.
///
/// # Errors
/// If the set is not applied, or removed an environment: its keys are gone.
pub fn undo(applied: &ChangeSet, now: OffsetDateTime) -> Result<Edits, Refusal> {
    if applied.status != Status::Applied {
        return Err(Refusal::conflict(
            "only an applied change set can be undone",
        ));
    }
    let mut edits = Lists::default();
    for part in applied.parts() {
        edits.add(part, now)?;
    }
    let given = edits.into_changes();
    if given.is_empty() {
        return Err(Refusal::conflict("the change set changed nothing"));
    }
    Ok(Edits::stored(given)?)
}

/// Refuses to undo a set over what has changed since it was applied.
pub fn check(applied: &ChangeSet, planned: &Planned, shows_values: bool) -> Result<(), Refusal> {
    let turned: Vec<_> = applied.parts().iter().map(turned).collect();
    let conflicts = conflicts::find(&turned, &planned.parts);
    if conflicts.is_empty() {
        return Ok(());
    }
    let conflicts = Conflicts::new(MOVED, conflicts, planned.version(), shows_values);
    Err(Refusal::Conflicts(Box::new(conflicts)))
}

/// The part that leads back.
fn turned(part: &Part) -> Part {
    Part {
        before: part.after.clone(),
        after: part.before.clone(),
        ..part.clone()
    }
}

#[derive(Default)]
struct Lists {
    environments: Vec<Value>,
    segments: Vec<Value>,
    /// In the order of the set, each with its states.
    flags: Vec<Fields>,
    removed_segments: Vec<Value>,
    removed_environments: Vec<Value>,
}

impl Lists {
    fn add(&mut self, part: &Part, now: OffsetDateTime) -> Result<(), Refusal> {
        let key = part.thing.key.as_str();
        let before = part.before.clone().unwrap_or_default();
        match (part.thing.kind, part.action) {
            (_, PartAction::Keep) => {}
            (Kind::Environment, PartAction::Create) => self.removed_environments.push(json!(key)),
            (Kind::Environment, PartAction::Update) => {
                self.environments.push(named("slug", key, before).into());
            }
            (Kind::Environment, PartAction::Remove) => {
                return Err(Refusal::conflict(format!(
                    "the change set removed the environment {key}, which cannot be brought back"
                )));
            }
            (Kind::Segment, PartAction::Create) => self.removed_segments.push(json!(key)),
            (Kind::Segment, PartAction::Update | PartAction::Remove) => {
                self.segments.push(named("key", key, before).into());
            }
            (Kind::Flag, PartAction::Create) => {
                self.flag(key).insert("archived".to_owned(), true.into());
            }
            (Kind::Flag, PartAction::Update | PartAction::Remove) => {
                let mut before = before;
                let states = before.get_mut("states").and_then(Value::as_object_mut);
                for state in states.into_iter().flat_map(Map::values_mut) {
                    if let Some(state) = state.as_object_mut() {
                        forget_passed(state, now);
                    }
                }
                if part.action == PartAction::Update {
                    before.remove("flag_type");
                }
                self.flag(key).append(&mut before);
            }
            (Kind::State, action) => self.state(part, action, before, now),
        }
        Ok(())
    }

    /// A state that was not there becomes one that says nothing; one of a new flag goes with it.
    fn state(&mut self, part: &Part, action: PartAction, before: Fields, now: OffsetDateTime) {
        let Some(slug) = &part.thing.env_slug else {
            return;
        };
        let flag = self.flag(&part.thing.key);
        if flag.get("archived") == Some(&Value::Bool(true)) {
            return;
        }
        let mut state = if action == PartAction::Create {
            initial()
        } else {
            before
        };
        forget_passed(&mut state, now);
        let states = flag.entry("states").or_insert_with(|| json!({}));
        if let Some(states) = states.as_object_mut() {
            states.insert(slug.clone(), state.into());
        }
    }

    /// The entry of a flag.
    fn flag(&mut self, key: &str) -> &mut Fields {
        let is_it = |flag: &Fields| flag.get("key").and_then(Value::as_str) == Some(key);
        let place = self.flags.iter().position(is_it).unwrap_or_else(|| {
            self.flags.push(named("key", key, Map::new()));
            self.flags.len() - 1
        });
        &mut self.flags[place]
    }

    fn into_changes(self) -> Fields {
        let mut changes = Map::new();
        let flags = self.flags.into_iter();
        let flags: Vec<Value> = flags.filter(|it| it.len() > 1).map(Value::Object).collect();
        for (name, list) in [
            ("environments", self.environments),
            ("segments", self.segments),
            ("flags", flags),
        ] {
            if !list.is_empty() {
                changes.insert(name.to_owned(), list.into());
            }
        }
        let mut removed = Map::new();
        for (name, list) in [
            ("segments", self.removed_segments),
            ("environments", self.removed_environments),
        ] {
            if !list.is_empty() {
                removed.insert(name.to_owned(), list.into());
            }
        }
        if !removed.is_empty() {
            changes.insert("remove".to_owned(), removed.into());
        }
        changes
    }
}

fn named(name: &str, text: &str, fields: Fields) -> Fields {
    let mut all = Map::new();
    all.insert(name.to_owned(), text.into());
    all.extend(fields.into_iter().filter(|(other, _)| other != name));
    all
}

fn initial() -> Fields {
    let state = json!({
        "enabled": false, "default_value": null, "rules": [], "percentage_rollout": null, "variants": [], "bucketing": null,
        "scheduled_enable_at": null, "scheduled_disable_at": null,
    });
    match state {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// A time that has passed would fire at once.
fn forget_passed(state: &mut Fields, now: OffsetDateTime) {
    for name in ["scheduled_enable_at", "scheduled_disable_at"] {
        let Some(value) = state.get_mut(name) else {
            continue;
        };
        let at = value
            .as_str()
            .map(|text| OffsetDateTime::parse(text, &Rfc3339));
        if at.is_some_and(|at| at.is_ok_and(|at| at <= now)) {
            *value = Value::Null;
        }
    }
}
