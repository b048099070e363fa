//! Flag files, in YAML and JSON.

use files::{document::Document, project::Project, tree::File};
use serde_json::Value;
use time::macros::datetime;

pub(crate) fn run(bytes: &[u8]) {
    let (kind, rest) = crate::choice(bytes);
    let text = crate::text(rest);
    if kind % 2 == 0 {
        document(&text);
    } else {
        let file = File {
            name: "flags.yaml".to_owned(),
            text: text.into_owned(),
        };
        let now = datetime!(2026-05-01 00:00 UTC);
        if let Err(problems) = Project::of_files(&[file], now) {
            assert!(!problems.is_empty());
            assert!(problems.is_sorted());
        }
    }
}

/// JSON means what JSON says.
fn document(text: &str) {
    let Ok(document) = Document::parse(text) else {
        return;
    };
    if let Ok(json) = serde_json::from_str::<Value>(text) {
        assert!(is_same(document.value(), &json), "{document:?}\n{json}");
    }
}

/// As numbers are compared: `-0` is 0.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || one.as_f64() == other.as_f64()
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other)
                    .all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let in_other = |(key, one): (&String, &Value)| {
                other.get(key).is_some_and(|other| is_same(one, other))
            };
            one.len() == other.len() && one.iter().all(in_other)
        }
        _ => one == other,
    }
}
