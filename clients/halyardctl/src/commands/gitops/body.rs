//! Changes as the service takes them.

use serde_json::{Map, Value, json};

use super::changes::{Action, Change, Changes, Kind};
use crate::api::{Request, operations};

/// The request that makes the changes, at the version that they were found at.
pub(super) fn request(project: &str, changes: &Changes) -> Request {
    let request = Request::new(&operations::APPLY_CONTENT, &[project]);
    let request = request.if_match(Some(&changes.version.to_string()));
    let fields = edits(changes).into_iter();
    fields.fold(request, |request, (name, field)| {
        request.field(&name, Some(field))
    })
}

/// The changes as a body of `applyContent`.
pub(super) fn edits(changes: &Changes) -> Map<String, Value> {
    let mut body = Body::default();
    for change in &changes.list {
        body.add(change);
    }
    let removed = named([
        ("environments", body.gone_environments),
        ("segments", body.gone_segments),
        ("flags", body.gone_flags),
    ]);
    let flags = body.flags.into_iter().map(|(_, flag)| Value::from(flag));
    let mut edits = named([
        ("environments", body.environments),
        ("segments", body.segments),
        ("flags", flags.collect()),
    ]);
    if !removed.is_empty() {
        edits.insert("remove".to_owned(), removed.into());
    }
    edits
}

/// The lists that have something, by name.
fn named<T: Into<Value>>(lists: [(&str, Vec<T>); 3]) -> Map<String, Value> {
    let filled = lists.into_iter().filter(|(_, list)| !list.is_empty());
    filled
        .map(|(name, list)| (name.to_owned(), Value::from(list)))
        .collect()
}

#[derive(Default)]
struct Body {
    environments: Vec<Value>,
    segments: Vec<Value>,
    /// Each with its key; states follow their flag.
    flags: Vec<(String, Map<String, Value>)>,
    gone_environments: Vec<String>,
    gone_segments: Vec<String>,
    gone_flags: Vec<String>,
}

impl Body {
    fn add(&mut self, change: &Change) {
        let key = change.thing.key.clone();
        let mut fields = change.fields.clone();
        match (change.thing.kind, change.action) {
            (Kind::Environment, Action::Remove) => self.gone_environments.push(key),
            (Kind::Segment, Action::Remove) => self.gone_segments.push(key),
            (Kind::Flag, Action::Remove) => self.gone_flags.push(key),
            (Kind::Environment, _) => {
                fields.insert("slug".to_owned(), key.into());
                self.environments.push(fields.into());
            }
            (Kind::Segment, _) => {
                fields.insert("key".to_owned(), key.into());
                self.segments.push(fields.into());
            }
            (Kind::Flag, _) => self.flag(&key).extend(fields),
            (Kind::State, _) => {
                let slug = change.thing.environment.clone().unwrap_or_default();
                let flag = self.flag(&key);
                let states = flag.entry("states").or_insert_with(|| json!({}));
                if let Some(states) = states.as_object_mut() {
                    states.insert(slug, fields.into());
                }
            }
        }
    }

    /// The flag with this key, the last one if it was met before.
    fn flag(&mut self, key: &str) -> &mut Map<String, Value> {
        if self.flags.last().is_none_or(|(last, _)| last != key) {
            let flag = Map::from_iter([("key".to_owned(), Value::from(key))]);
            self.flags.push((key.to_owned(), flag));
        }
        let last = self.flags.len() - 1;
        &mut self.flags[last].1
    }
}
