//! Comparing a whole body with what is expected, where some values differ in every run.
//!
//! A placeholder hides a value only from equality: it still says what the value must look like.
//!
//! | Placeholder | Stands for |
//! |---|---|
//! | `[uuid]` | a UUID |
//! | `[time]` | an RFC 3339 time in UTC within a minute of the clock, of at most six digits of a second |
//! | `[text]` | a text that is not empty |
//! | `[hex N]` | N lower-case hex digits |
//! | `[server key]`, `[client key]` | the text of an API key of that type |

use std::collections::BTreeSet;

use serde_json::Value;
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime, UtcOffset};

/// Every difference, as a path and what was found there; empty when `actual` is as expected.
#[must_use]
pub fn differences(expected: &Value, actual: &Value, now: OffsetDateTime) -> Vec<String> {
    let mut found = Vec::new();
    compare(expected, actual, now, "", &mut found);
    found
}

fn compare(
    expected: &Value,
    actual: &Value,
    now: OffsetDateTime,
    path: &str,
    found: &mut Vec<String>,
) {
    match (expected, actual) {
        (Value::Object(expected), Value::Object(actual)) => {
            let keys: BTreeSet<_> = expected.keys().chain(actual.keys()).collect();
            for key in keys {
                let path = format!("{path}.{key}");
                match (expected.get(key), actual.get(key)) {
                    (Some(expected), Some(actual)) => compare(expected, actual, now, &path, found),
                    (Some(_), None) => found.push(format!("{path}: missing")),
                    (None, _) => found.push(format!("{path}: not expected")),
                }
            }
        }
        (Value::Array(expected), Value::Array(actual)) => {
            if expected.len() != actual.len() {
                let (wanted, got) = (expected.len(), actual.len());
                found.push(format!("{path}: {got} elements instead of {wanted}"));
            }
            for (index, (expected, actual)) in expected.iter().zip(actual).enumerate() {
                compare(expected, actual, now, &format!("{path}[{index}]"), found);
            }
        }
        (Value::String(placeholder), actual) if is_placeholder(placeholder) => {
            if !actual
                .as_str()
                .is_some_and(|text| stands_for(placeholder, text, now))
            {
                found.push(format!("{path}: {actual} is no {placeholder}"));
            }
        }
        (expected, actual) if expected == actual => {}
        (expected, actual) => found.push(format!("{path}: {actual} instead of {expected}")),
    }
}

fn is_placeholder(text: &str) -> bool {
    matches!(
        text,
        "[uuid]" | "[time]" | "[text]" | "[server key]" | "[client key]"
    ) || hex_digits(text).is_some()
}

fn stands_for(placeholder: &str, text: &str, now: OffsetDateTime) -> bool {
    match placeholder {
        "[uuid]" => uuid::Uuid::try_parse(text).is_ok_and(|id| id.to_string() == text),
        "[time]" => OffsetDateTime::parse(text, &Rfc3339).is_ok_and(|time| {
            time.offset() == UtcOffset::UTC
                && time.nanosecond() % 1_000 == 0
                && text.ends_with('Z')
                && (time - now).abs() < Duration::MINUTE
        }),
        "[text]" => !text.is_empty(),
        "[server key]" => text
            .strip_prefix("srv_")
            .is_some_and(|rest| is_hex(rest, 48)),
        "[client key]" => text
            .strip_prefix("cli_")
            .is_some_and(|rest| is_hex(rest, 48)),
        _ => hex_digits(placeholder).is_some_and(|length| is_hex(text, length)),
    }
}

fn hex_digits(placeholder: &str) -> Option<usize> {
    placeholder
        .strip_prefix("[hex ")?
        .strip_suffix(']')?
        .parse()
        .ok()
}

fn is_hex(text: &str, length: usize) -> bool {
    text.len() == length
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-05-04 12:00 UTC);

    #[test]
    fn placeholders_stand_for_what_they_name() {
        let expected = json!({"id": "[uuid]", "at": "[time]", "name": "[text]", "hash": "[hex 4]"});
        let actual = json!({
            "id": "0199d6c5-0a3f-7c41-8d1c-111111111111",
            "at": "2026-05-04T12:00:30.5Z",
            "name": "x",
            "hash": "09af",
        });
        assert_eq!(differences(&expected, &actual, NOW), [""; 0]);
    }

    #[test]
    fn placeholders_verify_what_they_hide() {
        let cases = [
            ("[uuid]", "x"),
            ("[time]", "2026-05-04T12:02:00Z"),
            ("[time]", "2026-05-04T13:00:00+01:00"),
            ("[text]", ""),
            ("[hex 4]", "09AF"),
            (
                "[server key]",
                "cli_000000000000000000000000000000000000000000000000",
            ),
        ];
        for (placeholder, text) in cases {
            let found = differences(&json!([placeholder]), &json!([text]), NOW);
            assert_eq!(found, [format!("[0]: \"{text}\" is no {placeholder}")]);
        }
        assert_eq!(differences(&json!("[uuid]"), &json!(null), NOW).len(), 1);
    }

    #[test]
    fn every_difference_is_named_by_its_path() {
        let expected = json!({"a": 1, "b": [1, 2], "c": {"d": null}});
        let actual = json!({"a": 2, "b": [1], "c": {"e": null}});
        assert_eq!(
            differences(&expected, &actual, NOW),
            [
                ".a: 2 instead of 1",
                ".b: 1 elements instead of 2",
                ".c.d: missing",
                ".c.e: not expected"
            ]
        );
    }
}
