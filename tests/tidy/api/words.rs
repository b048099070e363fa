//! Words for somebody who has nothing but the document.

use harness::documented;
use regex::Regex;
use serde_json::Value;

use super::assert_each;
use crate::assert_none;

/// What only somebody with our papers could follow.
const ELSEWHERE: &str = r"(?i)\bcontract('s)?\b|\bdecisions?\b (\d|row)|\bchapters?\b|\.md\b|\bissue \d|\bthe papers\b|\bstruct\b|\bhandler\b";

/// The descriptions and summaries in a part of the document, with where they are.
fn texts<'a>(value: &'a Value, at: &str, found: &mut Vec<(String, &'a str)>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                let at = format!("{at}/{name}");
                match field {
                    Value::String(text) if ["description", "summary"].contains(&name.as_str()) => {
                        found.push((at, text));
                    }
                    Value::Object(_) | Value::Array(_) if name != "example" => {
                        texts(field, &at, found);
                    }
                    _ => {}
                }
            }
        }
        Value::Array(items) => {
            for (place, item) in items.iter().enumerate() {
                texts(item, &format!("{at}/{place}"), found);
            }
        }
        _ => {}
    }
}

fn complaints(value: &Value) -> Vec<String> {
    let elsewhere = Regex::new(ELSEWHERE).unwrap();
    let mut found = Vec::new();
    texts(value, "", &mut found);
    found
        .into_iter()
        .filter(|(_, text)| elsewhere.is_match(text))
        .map(|(at, text)| format!("{at}: {text}"))
        .collect()
}

#[test]
fn nothing_refers_to_what_is_outside_of_the_document() {
    assert_none(&complaints(documented::document()));
    let outside = serde_json::json!({"description": "See the contract, 3.2."});
    assert_eq!(complaints(&outside).len(), 1);
}

#[test]
fn every_operation_is_summed_up() {
    assert_each(|operation| {
        let summary = operation.says["summary"].as_str().unwrap_or_default();
        (summary.is_empty()).then(|| "begin its handler with a doc comment".to_owned())
    });
}
