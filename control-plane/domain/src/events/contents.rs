//! What an event says to webhooks besides its type and ids: its subject, and what changed.
//!
//! Values are bounded, since an event is stored until each webhook has it: large ones are left out.

use std::{borrow::Cow, io};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::Event;

/// Bytes of the values before a change, and of those after it.
const MAX_VALUES: usize = 8 * 1024;

/// Bytes of the values of one transaction's events: an import has thousands.
pub const MAX_OF_A_UNIT: usize = 1024 * 1024;

/// What the rest of an event takes, its names included.
const REST: usize = 512;

/// Fields that are no change, are personal, or are part of a secret.
const UNLISTED: [&str; 7] = [
    "id",
    "org_id",
    "email",
    "key_prefix",
    "created_at",
    "updated_at",
    "last_used_at",
];

/// Subject and changed values of an event.
#[derive(Debug)]
pub struct Contents {
    pub(super) about: About,
    pub(super) before: Option<Value>,
    pub(super) after: Option<Value>,
    /// Whether values were left out.
    pub(super) truncated: bool,
    /// Bytes without values.
    pub(super) brief_bytes: usize,
    pub(super) bytes: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    pub resource: Resource,
    /// The names of the changed fields.
    pub changed: Vec<String>,
    /// Why the change was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// What an event is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Resource {
    /// The word before the dot of the event type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its id.
    pub id: String,
    /// The key of a flag or segment, the slug of a project or environment.
    pub key: Option<String>,
    /// What people call it.
    pub name: Option<String>,
}

impl Contents {
    /// Those of an event, with values of up to `room` bytes, which shrinks.
    pub fn of(event: &Event, room: &mut usize) -> Self {
        let (before, after) = (members(&event.before), members(&event.after));
        let changed = changed(before.as_deref(), after.as_deref());
        let mut contents = Self::about(About {
            resource: resource(event),
            changed,
            comment: event.comment().map(str::to_owned),
        });
        let names = &contents.about.changed;
        let mut truncated = false;
        let [before, after] = [before, after].map(|state| {
            let (values, length) = values(names, state.as_deref()?, &mut truncated);
            Some((values, length))
        });
        let length: usize = [&before, &after]
            .into_iter()
            .flatten()
            .map(|(_, length)| length)
            .sum();
        if length > *room {
            truncated = true;
        } else {
            *room -= length;
            contents.bytes += length;
            contents.before = before.map(|(values, _)| values.into());
            contents.after = after.map(|(values, _)| values.into());
        }
        contents.truncated = truncated;
        contents
    }

    /// Contents without values.
    pub fn about(about: About) -> Self {
        let bytes = REST + length(&about, usize::MAX).unwrap_or_default();
        Self {
            about,
            before: None,
            after: None,
            truncated: false,
            brief_bytes: bytes,
            bytes,
        }
    }
}

fn resource(event: &Event) -> Resource {
    let text = |name: &str| {
        let states = [&event.after, &event.before];
        let mut found = states.into_iter().flatten();
        found.find_map(|state| Some(state.get(name)?.as_str()?.to_owned()))
    };
    let email = text("email");
    Resource {
        kind: event.action.resource_type().to_owned(),
        id: event.subject.id(),
        key: text("key").or_else(|| text("slug")),
        name: text("name")
            .filter(|name| Some(name) != email.as_ref())
            .or_else(|| text("change_type")),
    }
}

/// The fields of a state. A list of environment permissions is one field.
fn members(state: &Option<Value>) -> Option<Cow<'_, Map<String, Value>>> {
    match state.as_ref()? {
        Value::Object(members) => Some(Cow::Borrowed(members)),
        list => {
            let members = Map::from_iter([("permissions".to_owned(), list.clone())]);
            Some(Cow::Owned(members))
        }
    }
}

/// The fields that differ. One that is not set counts as absent, so that only the fields that were set differ from nothing.
fn changed(before: Option<&Map<String, Value>>, after: Option<&Map<String, Value>>) -> Vec<String> {
    let set = |state: Option<&Map<String, Value>>, name: &str| {
        let value = state?.get(name).filter(|value| !is_unset(value))?;
        Some(value.clone())
    };
    let is_address = |name: &str| {
        let states = [before, after];
        let mut states = states.into_iter().flatten();
        name == "name"
            && states
                .any(|state| state.contains_key("email") && state.get("email") == state.get("name"))
    };
    let mut names: Vec<_> = [before, after]
        .into_iter()
        .flatten()
        .flat_map(Map::keys)
        .filter(|name| !UNLISTED.contains(&name.as_str()) && !is_address(name))
        .cloned()
        .collect();
    names.sort_unstable();
    names.dedup();
    names.retain(|name| set(before, name) != set(after, name));
    names
}

fn is_unset(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) | Value::Number(_) => false,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
    }
}

/// The named values of a state, without those that exceed the bound, and their length.
fn values(
    names: &[String],
    state: &Map<String, Value>,
    truncated: &mut bool,
) -> (Map<String, Value>, usize) {
    let mut kept = Map::new();
    let mut left = MAX_VALUES;
    for name in names {
        let value = state.get(name).unwrap_or(&Value::Null);
        let limit = left.saturating_sub(name.len() + 4);
        match length(value, limit) {
            Some(length) => {
                left = limit - length;
                kept.insert(name.clone(), value.clone());
            }
            None => *truncated = true,
        }
    }
    (kept, MAX_VALUES - left)
}

/// The length as JSON; `None` if it exceeds the limit, beyond which nothing is measured.
fn length(value: &impl Serialize, limit: usize) -> Option<usize> {
    let mut counted = Counted { length: 0, limit };
    serde_json::to_writer(&mut counted, value).ok()?;
    Some(counted.length)
}

struct Counted {
    length: usize,
    limit: usize,
}

impl io::Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.length = self.length.saturating_add(bytes.len());
        if self.length > self.limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use time::OffsetDateTime;

    use super::*;
    use crate::events::{Action, Subject};
    use base::ids::{FlagId, MemberId};

    fn event(before: Option<Value>, after: Option<Value>) -> Event {
        let subject = Subject::Flag(FlagId::new(OffsetDateTime::UNIX_EPOCH));
        Event {
            before,
            after,
            ..Event::new(Action::FlagUpdated, subject)
        }
    }

    fn contents(before: Option<Value>, after: Option<Value>) -> Contents {
        let mut room = MAX_OF_A_UNIT;
        Contents::of(&event(before, after), &mut room)
    }

    #[test]
    fn only_fields_that_differ_are_listed() {
        let before = json!({"id": 1, "name": "Old", "tags": [], "updated_at": "a"});
        let after = json!({"id": 1, "name": "New", "tags": [], "updated_at": "b"});
        let made = contents(Some(before), Some(after));
        assert_eq!(made.about.changed, ["name"]);
        assert_eq!(made.before, Some(json!({"name": "Old"})));
        assert_eq!(made.after, Some(json!({"name": "New"})));
        assert!(!made.truncated);
    }

    #[test]
    fn what_was_not_set_is_no_change_from_nothing() {
        let state = json!({"id": 1, "enabled": true, "rules": [], "default_value": null, "percentage_rollout": 0});
        let made = contents(None, Some(state.clone()));
        assert_eq!(made.about.changed, ["enabled", "percentage_rollout"]);
        assert_eq!(made.before, None);
        let gone = contents(Some(state), None);
        assert_eq!(gone.about.changed, made.about.changed);
        assert_eq!((gone.before, gone.after), (made.after, None));
    }

    #[test]
    fn values_beyond_the_bound_are_left_out_and_the_others_kept() {
        let state =
            |rules: &str| json!({"enabled": rules == "b", "rules": rules.repeat(MAX_VALUES)});
        let made = contents(Some(state("a")), Some(state("b")));
        assert_eq!(made.about.changed, ["enabled", "rules"]);
        assert_eq!(made.before, Some(json!({"enabled": false})));
        assert_eq!(made.after, Some(json!({"enabled": true})));
        assert!(made.truncated);
        assert!(made.bytes < 2 * MAX_VALUES + 2 * REST);
    }

    #[test]
    fn many_events_of_one_transaction_share_a_bound() {
        let mut room = 1_000;
        let event = event(None, Some(json!({"rules": "x".repeat(600)})));
        let first = Contents::of(&event, &mut room);
        let second = Contents::of(&event, &mut room);
        assert!(first.after.is_some() && !first.truncated);
        assert!(second.after.is_none() && second.truncated);
        assert_eq!(second.about.changed, ["rules"]);
        assert_eq!(second.bytes, second.brief_bytes);
    }

    #[test]
    fn an_address_is_neither_a_name_nor_a_change() {
        let invited =
            json!({"id": 1, "email": "a@b.example", "name": "a@b.example", "role": "viewer"});
        let subject = Subject::Member(MemberId::new(OffsetDateTime::UNIX_EPOCH));
        let event = Event::created(Action::MemberInvited, subject, &invited);
        let mut room = MAX_OF_A_UNIT;
        let made = Contents::of(&event, &mut room);
        assert_eq!(made.after, Some(json!({"role": "viewer"})));
        assert_eq!(made.about.resource.name, None);
    }
}
