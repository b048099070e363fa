//! How much an entry keeps of the states before and after a change.
//!
//! All of it where that is little, which is nearly always. Of larger ones what both states share is left out first, and then
//! the largest members. Whatever is left out has a mark in its place: how long it was, and its hash, by which somebody who
//! has the text can prove that it is the one.

use std::{
    collections::HashSet,
    io::{self, Write},
};

use serde_json::{Value, json, ser::Formatter};
use sha2::{Digest, Sha256};

/// Bytes of both states of an entry together. A state of a hundred ordinary rules has about 20 KiB; of a change of one of
/// them, the one is kept.
pub const MAX_STATES: usize = 32 * 1024;

/// Bytes of an entry's metadata.
const MAX_METADATA: usize = 4 * 1024;

/// Shorter parts stay: a mark would take as much.
const SMALL: usize = 256;

/// What an entry keeps.
#[derive(Debug)]
pub struct Details {
    /// The state before, or what is left of it.
    pub before: Option<Value>,
    /// The state after, or what is left of it.
    pub after: Option<Value>,
    /// Anything else worth knowing. Only here an entry says that something was left out: marks in states could be their data.
    pub metadata: Option<Value>,
    /// How much all of this is.
    pub bytes: usize,
    /// What an entry beyond the day's budget keeps in place of it.
    pub brief: Brief,
}

/// An entry that keeps no states, unless they are about as short as their marks.
#[derive(Debug)]
pub struct Brief {
    /// The state before, or its mark.
    pub before: Option<Value>,
    /// The state after, or its mark.
    pub after: Option<Value>,
    /// How much of the states is left out.
    pub omitted: usize,
}

impl Details {
    /// Leaves out what is too much.
    pub fn bounded(
        mut before: Option<Value>,
        mut after: Option<Value>,
        metadata: Option<Value>,
    ) -> Self {
        let whole = length_of(&before) + length_of(&after);
        let brief = Brief::of(&before, &after, whole);
        let mut kept = whole;
        if whole > MAX_STATES {
            let originals = [before.clone(), after.clone()];
            if let (Some(before), Some(after)) = (&mut before, &mut after) {
                leave_out_shared(before, after);
            }
            leave_out_largest([&mut before, &mut after], originals);
            kept = length_of(&before) + length_of(&after);
        }
        let metadata = metadata.map(|metadata| match length(&metadata) {
            0..=MAX_METADATA => metadata,
            _ => without_long_members(metadata),
        });
        let metadata = noting(metadata, whole - kept.min(whole));
        Self {
            bytes: kept + length_of(&metadata),
            before,
            after,
            metadata,
            brief,
        }
    }
}

impl Brief {
    fn of(before: &Option<Value>, after: &Option<Value>, whole: usize) -> Self {
        let [before, after] = [before, after].map(|state| state.as_ref().map(brief));
        let kept = length_of(&before) + length_of(&after);
        Self {
            before,
            after,
            omitted: whole - kept.min(whole),
        }
    }
}

/// What stands for a value that is left out. The hash is of the value as compact JSON whose members are sorted by name.
pub fn mark(value: &Value) -> Value {
    let text = value.to_string();
    let hash = hex::encode(Sha256::digest(&text));
    json!({"omitted": {"bytes": text.len(), "sha256": hash}})
}

/// The value, if it is about as short as its mark, else the mark.
fn brief(value: &Value) -> Value {
    if length(value) > SMALL {
        mark(value)
    } else {
        value.clone()
    }
}

/// Marks the long members and keeps the others, such as ids, by which entries are found; or marks all of it.
fn without_long_members(mut metadata: Value) -> Value {
    let whole = mark(&metadata);
    for member in metadata
        .as_object_mut()
        .into_iter()
        .flat_map(|members| members.values_mut())
    {
        *member = brief(member);
    }
    match length(&metadata) {
        0..=MAX_METADATA => metadata,
        _ => whole,
    }
}

fn noting(metadata: Option<Value>, omitted: usize) -> Option<Value> {
    if omitted == 0 {
        return metadata;
    }
    let mut metadata = metadata.unwrap_or_else(|| json!({}));
    metadata["omitted_bytes"] = json!(omitted);
    Some(metadata)
}

/// Marks what is the same in both, wherever it is: of a list, the items that both have.
fn leave_out_shared(before: &mut Value, after: &mut Value) {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            for (name, before) in before {
                let Some(after) = after.get_mut(name) else {
                    continue;
                };
                if before != after {
                    leave_out_shared(before, after);
                } else if length(before) > SMALL {
                    *before = mark(before);
                    *after = before.clone();
                }
            }
        }
        (Value::Array(before), Value::Array(after)) => {
            let marks = |items: &[Value]| -> Vec<Option<String>> {
                let long = |item: &Value| length(item) > SMALL;
                let mark = |item| long(item).then(|| mark(item).to_string());
                items.iter().map(mark).collect()
            };
            let (marks_before, marks_after) = (marks(before), marks(after));
            let had: HashSet<_> = marks_before.iter().flatten().collect();
            let has: HashSet<_> = marks_after.iter().flatten().collect();
            let shared: HashSet<_> = had.intersection(&has).copied().collect();
            let items = before.iter_mut().zip(&marks_before);
            for (item, its_mark) in items.chain(after.iter_mut().zip(&marks_after)) {
                if its_mark.as_ref().is_some_and(|mark| shared.contains(mark)) {
                    *item = mark(item);
                }
            }
        }
        _ => {}
    }
}

/// Marks members of the states until what is left fits, the largest first, and whole states that have no such members. Marks are
/// of the originals, of which the states may lack parts already.
fn leave_out_largest(states: [&mut Option<Value>; 2], originals: [Option<Value>; 2]) {
    let (mut states, originals): (Vec<_>, Vec<_>) = states
        .into_iter()
        .zip(originals)
        .filter_map(|(state, original)| Some((state.as_mut()?, original?)))
        .unzip();
    let mut total: usize = states.iter().map(|state| length(&**state)).sum();
    let mut members = Vec::new();
    for (place, state) in states.iter().enumerate() {
        for (name, value) in state.as_object().into_iter().flatten() {
            members.push((length(value), place, name.clone()));
        }
    }
    members.sort_unstable();
    while total > MAX_STATES
        && let Some((size, place, name)) = members.pop()
        && size > SMALL
    {
        let left = mark(&originals[place][&name]);
        total = total - size + length(&left);
        states[place][&name] = left;
    }
    if total > MAX_STATES {
        for (state, original) in states.into_iter().zip(&originals) {
            *state = mark(original);
        }
    }
}

fn length_of(part: &Option<Value>) -> usize {
    part.as_ref().map_or(0, length)
}

/// The length of a value as Postgres writes it, but for the blanks: numbers have no exponent there.
fn length(value: &impl serde::Serialize) -> usize {
    let mut counted = Counted(0);
    let mut serializer = serde_json::Serializer::with_formatter(&mut counted, PlainNumbers);
    value
        .serialize(&mut serializer)
        .expect("values serialize, and whoever counts takes everything");
    counted.0
}

struct Counted(usize);

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct PlainNumbers;

impl Formatter for PlainNumbers {
    fn write_f64<W: ?Sized + Write>(&mut self, writer: &mut W, number: f64) -> io::Result<()> {
        write!(writer, "{number}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(id: usize, value: &str) -> Value {
        json!({"id": format!("rule {id}"), "value": value})
    }

    #[test]
    fn small_states_are_kept_whole() {
        let (before, after) = (json!({"a": 1}), json!({"a": 2}));
        let kept = Details::bounded(Some(before.clone()), Some(after.clone()), None);
        assert_eq!((kept.before, kept.after), (Some(before), Some(after)));
        assert_eq!((kept.metadata, kept.bytes), (None, 14));
    }

    #[test]
    fn of_a_large_state_the_rule_that_changed_is_kept() {
        let long = "x".repeat(300);
        let state = |changed: &str| {
            let mut rules: Vec<_> = (0..99).map(|id| rule(id, &long)).collect();
            rules.insert(50, rule(99, changed));
            json!({"enabled": true, "default_value": long.repeat(20), "rules": rules})
        };
        let (before, after) = (state("old"), state("new"));
        let kept = Details::bounded(
            Some(before.clone()),
            Some(after.clone()),
            Some(json!({"env_id": "e"})),
        );
        for (kept, whole) in [(kept.before.unwrap(), before), (kept.after.unwrap(), after)] {
            assert_eq!(kept["enabled"], true);
            assert_eq!(kept["default_value"], mark(&whole["default_value"]));
            assert_eq!(kept["rules"][50], whole["rules"][50]);
            assert_eq!(kept["rules"][0], mark(&whole["rules"][0]));
        }
        let metadata = kept.metadata.unwrap();
        assert_eq!(metadata["env_id"], "e");
        assert!(metadata["omitted_bytes"].as_u64().unwrap() > 40_000);
    }

    #[test]
    fn long_metadata_keeps_its_ids() {
        let long = json!(vec!["x"; 2_000]);
        let metadata = json!({"env_id": "e", "warnings": long});
        let kept = Details::bounded(None, None, Some(metadata));
        let expected = json!({"env_id": "e", "warnings": mark(&long)});
        assert_eq!(kept.metadata, Some(expected));

        let many: serde_json::Map<_, _> = (0..1_000).map(|at| (at.to_string(), json!(1))).collect();
        let kept = Details::bounded(None, None, Some(json!(many)));
        assert_eq!(kept.metadata, Some(mark(&json!(many))));
    }

    #[test]
    fn whatever_the_states_are_what_is_kept_is_bounded() {
        let long = "x".repeat(MAX_STATES);
        let many: serde_json::Map<_, _> = (0..10_000)
            .map(|number| (number.to_string(), json!(1)))
            .collect();
        for state in [
            json!({"id": "a", "default_value": &long, "rules": [&long, &long]}),
            json!({&long: 1}),
            json!(many),
            json!(long),
            json!(vec![1; 20_000]),
            json!({"a": vec![1e308; 1_000]}),
        ] {
            let kept = Details::bounded(None, Some(state.clone()), Some(state.clone()));
            assert!(kept.bytes <= MAX_STATES + MAX_METADATA + SMALL, "{state}");
            let kept = Details::bounded(Some(state.clone()), Some(json!({"id": 1})), None);
            assert!(kept.bytes <= MAX_STATES + SMALL, "{state}");
            assert!(kept.metadata.is_some());
        }
    }

    #[test]
    fn every_mark_has_the_hash_of_the_part_as_it_was() {
        let long = "x".repeat(1_000);
        // Some rules are in both states, and those that are not are still too much.
        let state = |of: &str| {
            let shared = (0..20).map(|id| rule(id, &long));
            let own = (20..60).map(|id| rule(id, &format!("{of}{long}")));
            json!({"enabled": true, "rules": shared.chain(own).collect::<Vec<_>>()})
        };
        let (before, after) = (state("old"), state("new"));
        let kept = Details::bounded(Some(before.clone()), Some(after.clone()), None);
        for (kept, whole) in [(kept.before, &before), (kept.after, &after)] {
            let expected = json!({"enabled": true, "rules": mark(&whole["rules"])});
            assert_eq!(kept, Some(expected));
        }
        assert_eq!(kept.brief.before, Some(mark(&before)));
        assert_eq!(kept.brief.after, Some(mark(&after)));
        let marks = length(&mark(&before)) + length(&mark(&after));
        assert_eq!(kept.brief.omitted, length(&before) + length(&after) - marks);

        // Where no member is large, the state is marked with what both have.
        let many = |of: &str| {
            let members = (0..2_000).map(|number| (number.to_string(), json!(of.repeat(10))));
            let mut state: serde_json::Map<_, _> = members.collect();
            state.insert("shared".to_owned(), json!(long));
            Value::Object(state)
        };
        let (before, after) = (many("old"), many("new"));
        let kept = Details::bounded(Some(before.clone()), Some(after.clone()), None);
        assert_eq!(kept.before, Some(mark(&before)));
        assert_eq!(kept.after, Some(mark(&after)));
    }

    #[test]
    fn a_mark_has_the_hash_of_the_compact_text() {
        assert_eq!(
            mark(&json!({"b": 1, "a": [true]})),
            json!({"omitted": {
                "bytes": 18,
                "sha256": hex::encode(Sha256::digest(r#"{"a":[true],"b":1}"#)),
            }})
        );
    }
}
