//! How much an entry keeps of the states before and after a change.
//!
//! All of it where that is little, which is nearly always. Of a larger state each long member is left out. It has a mark in its
//! place: its length, and its hash, by which a reader who has the text can prove that it is the one.

use std::io::{self, Write};

use serde_json::{Value, json, ser::Formatter};
use sha2::{Digest, Sha256};

/// Bytes of both states of an entry together. A state of a hundred ordinary rules has about 20 KiB.
pub const MAX_STATES: usize = 32 * 1024;

/// Bytes of an entry's metadata.
const MAX_METADATA: usize = 4 * 1024;

/// Shorter parts stay: a mark would take as much.
const SMALL: usize = 256;

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
            [before, after] = [before, after].map(|state| up_to(MAX_STATES / 2, state));
            kept = length_of(&before) + length_of(&after);
        }
        let metadata = noting(up_to(MAX_METADATA, metadata), whole - kept.min(whole));
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

/// All of it if that is at most `max` bytes; else its short members, such as ids, by which entries are found, and marks of the
/// others; else a mark.
fn up_to(max: usize, value: Option<Value>) -> Option<Value> {
    let value = value?;
    if length(&value) <= max {
        return Some(value);
    }
    let short = match &value {
        Value::Object(members) => members
            .iter()
            .map(|(name, member)| (name.clone(), brief(member)))
            .collect(),
        _ => mark(&value),
    };
    Some(if length(&short) <= max {
        short
    } else {
        mark(&value)
    })
}

fn noting(metadata: Option<Value>, omitted: usize) -> Option<Value> {
    if omitted == 0 {
        return metadata;
    }
    let mut metadata = metadata.unwrap_or_else(|| json!({}));
    metadata["omitted_bytes"] = json!(omitted);
    Some(metadata)
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

    #[test]
    fn small_states_are_kept_whole() {
        let (before, after) = (json!({"a": 1}), json!({"a": 2}));
        let kept = Details::bounded(Some(before.clone()), Some(after.clone()), None);
        assert_eq!((kept.before, kept.after), (Some(before), Some(after)));
        assert_eq!((kept.metadata, kept.bytes), (None, 14));
    }

    #[test]
    fn of_a_large_state_the_short_members_are_kept() {
        let rules = |value: &str| json!(vec![json!({"value": value.repeat(300)}); 100]);
        let state = |enabled, rules: &Value| json!({"enabled": enabled, "rules": rules});
        let (old, new) = (rules("old"), rules("new"));
        let (before, after) = (state(true, &old), state(false, &new));
        let metadata = Some(json!({"env_id": "e"}));
        let kept = Details::bounded(Some(before.clone()), Some(after.clone()), metadata);
        assert_eq!(kept.before, Some(state(true, &mark(&old))));
        assert_eq!(kept.after, Some(state(false, &mark(&new))));
        let metadata = kept.metadata.unwrap();
        assert_eq!(metadata["env_id"], "e");
        assert!(metadata["omitted_bytes"].as_u64().unwrap() > 40_000);
        assert_eq!(kept.brief.before, Some(mark(&before)));
        assert_eq!(kept.brief.after, Some(mark(&after)));
        let marks = length(&mark(&before)) + length(&mark(&after));
        assert_eq!(kept.brief.omitted, length(&before) + length(&after) - marks);
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
