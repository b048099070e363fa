//! Reads JSON text into a type, and says in words for people what is wrong with it, and where.

use std::borrow::Cow;

use serde::Deserialize;
use serde_path_to_error::Track;

use crate::{error::ApiError, place::Place, unread::Unread};

/// A longer message would only repeat what the caller sent.
const MAX_MESSAGE: usize = 200;

/// Reads the text; 400 if it is not JSON, or not of this type. Members that the type does not have are told to `unread`, who may
/// refuse them.
pub(crate) fn read<'a, T: Deserialize<'a>>(
    text: &'a [u8],
    unread: Option<&Unread>,
) -> Result<T, ApiError> {
    unread.map_or(Ok(()), Unread::begin)?;
    let mut json = serde_json::Deserializer::from_slice(text);
    let mut track = Track::new();
    let tracked = serde_path_to_error::Deserializer::new(&mut json, &mut track);
    let mut refused = None;
    let mut hear = |path: serde_ignored::Path<'_>| {
        if let (Some(unread), None) = (unread, &refused) {
            refused = unread.hear(Place::from(&path)).err();
        }
    };
    let read = T::deserialize(serde_ignored::Deserializer::new(tracked, &mut hear));
    let read = read.and_then(|value| json.end().map(|()| value));
    if let Some(refusal) = refused {
        return Err(refusal);
    }
    let read = read.map_err(|error| refusal(&error, &Place::from(&track.path())))?;
    unread.map_or(Ok(()), Unread::end)?;
    Ok(read)
}

/// What a parser says of the text, in words for whoever wrote it.
pub(crate) fn refusal(error: &serde_json::Error, place: &Place) -> ApiError {
    let mut message = if error.is_data() {
        wrong_type(&without_position(error), place)
    } else {
        format!("malformed JSON: {error}")
    };
    if let Some((cut, _)) = message.char_indices().nth(MAX_MESSAGE) {
        message.truncate(cut);
    }
    ApiError::bad_request(message)
}

/// The place is said by names, so that line and column say nothing more.
fn without_position(error: &serde_json::Error) -> String {
    let mut said = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    if said.ends_with(&position) {
        said.truncate(said.len() - position.len());
    }
    said
}

fn wrong_type(said: &str, place: &Place) -> String {
    let is_body = place.steps().is_empty();
    if let Some(name) = missing_field(said) {
        return if is_body {
            format!("{name} is required")
        } else {
            format!("{place}.{name} is required")
        };
    }
    // What was found comes first and is the caller's: only what follows the last of these words is ours.
    match said.rsplit_once(", expected ") {
        _ if is_body => format!("invalid body: {said}"),
        Some((_, expected)) => format!("{place} must be {}", in_words(expected)),
        None => format!("{place}: {said}"),
    }
}

fn missing_field(said: &str) -> Option<&str> {
    said.strip_prefix("missing field `")?.strip_suffix('`')
}

/// What a type expects, in the words of JSON.
fn in_words(expected: &str) -> Cow<'_, str> {
    let expected = expected
        .split_once(" with ")
        .map_or(expected, |(kind, _)| kind);
    match expected {
        "i8" | "i16" | "i32" | "i64" => "an integer".into(),
        "u8" | "u16" | "u32" | "u64" | "usize" => "an integer that is not negative".into(),
        "f32" | "f64" => "a number".into(),
        "a borrowed string" => "a string".into(),
        "a sequence" => "a list".into(),
        "a map" => "an object".into(),
        structure if structure.starts_with("struct ") => "an object".into(),
        words => words.into(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::unread::Listener;

    #[derive(Debug, Deserialize)]
    struct Flag {
        name: String,
        #[serde(default)]
        tags: Vec<String>,
        #[serde(default)]
        rules: Option<Vec<Rule>>,
    }

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only how it is read matters")]
    struct Rule {
        value: bool,
        weight: Option<i64>,
        at_most: Option<u8>,
        kind: Option<Kind>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Kind {
        All,
        Any,
    }

    fn refused(text: &str) -> String {
        let refused = read::<Flag>(text.as_bytes(), None).unwrap_err();
        assert_eq!(refused.status().as_u16(), 400);
        refused.message().to_owned()
    }

    #[test]
    fn what_is_wrong_is_named_by_its_place() {
        for (text, message) in [
            (r#"{"name": 5}"#, "name must be a string"),
            (r#"{"name": null}"#, "name must be a string"),
            (r#"{"name": "a", "tags": "b"}"#, "tags must be a list"),
            (
                r#"{"name": "a", "tags": ["b", 1]}"#,
                "tags[1] must be a string",
            ),
            (
                r#"{"name": "a", "rules": [5]}"#,
                "rules[0] must be an object",
            ),
            (
                r#"{"name": "a", "rules": [{"value": "true, expected a list"}]}"#,
                "rules[0].value must be a boolean",
            ),
            (
                r#"{"name": "a", "rules": [{"value": true, "weight": 0.5}]}"#,
                "rules[0].weight must be an integer",
            ),
            (
                r#"{"name": "a", "rules": [{"value": true, "at_most": -1}]}"#,
                "rules[0].at_most must be an integer that is not negative",
            ),
            (
                r#"{"name": "a", "rules": [{"value": true, "kind": "some"}]}"#,
                "rules[0].kind must be `all` or `any`",
            ),
            (
                r#"{"name": "a", "rules": [{}]}"#,
                "rules[0].value is required",
            ),
            ("{}", "name is required"),
        ] {
            assert_eq!(refused(text), message, "{text}");
        }
    }

    #[test]
    fn what_is_no_json_is_named_by_line_and_column() {
        assert_eq!(
            refused("{\"name\": \"a\"\n"),
            "malformed JSON: EOF while parsing an object at line 2 column 0"
        );
        assert_eq!(
            refused("{\"name\": \"a\"} x"),
            "malformed JSON: trailing characters at line 1 column 15"
        );
    }

    #[test]
    fn messages_repeat_only_a_bounded_part_of_the_text() {
        let long = "é".repeat(5_000);
        for text in [
            format!(r#"{{"name": "a", "tags": "{long}"}}"#),
            format!(r#"{{"name": "a", "rules": [{{"value": true, "kind": "{long}"}}]}}"#),
        ] {
            assert!(refused(&text).chars().count() <= MAX_MESSAGE);
        }
    }

    /// Notes what it hears, and refuses what is called `no`.
    #[derive(Default)]
    struct Notes(Mutex<Vec<String>>);

    impl Listener for Notes {
        fn hear(&self, place: Place) -> Result<(), ApiError> {
            let place = place.to_string();
            let refused = place.ends_with("no");
            self.0.lock().unwrap().push(place);
            if refused {
                Err(ApiError::bad_request("no"))
            } else {
                Ok(())
            }
        }
    }

    fn heard(text: &str) -> (Result<Flag, ApiError>, Vec<String>) {
        let notes = Arc::new(Notes::default());
        let unread = Unread::heard_by(Arc::clone(&notes) as Arc<dyn Listener>);
        let read = read(text.as_bytes(), Some(&unread));
        let heard = notes.0.lock().unwrap().clone();
        (read, heard)
    }

    #[test]
    fn what_nothing_reads_is_told_with_its_place() {
        let (read, told) = heard(
            r#"{"nmae": {"deep": 1}, "name": "a", "rules": [{"value": true}, {"value": true, "vale": [1]}]}"#,
        );
        let read = read.unwrap();
        assert_eq!((read.name.as_str(), read.tags.len()), ("a", 0));
        assert!(read.rules.unwrap()[1].value);
        assert_eq!(told, ["nmae", "rules[1].vale"]);
    }

    #[test]
    fn what_the_listener_refuses_refuses_the_body() {
        let (read, told) = heard(r#"{"name": 5, "other": 1, "no": 1, "more": 1}"#);
        assert_eq!(read.unwrap_err().message(), "name must be a string");
        assert!(told.is_empty());
        let (read, told) = heard(r#"{"other": 1, "no": 1, "more": 1, "name": 5}"#);
        assert_eq!(read.unwrap_err().message(), "no");
        assert_eq!(told, ["other", "no"]);
    }

    #[test]
    fn of_a_very_long_name_the_beginning_is_told() {
        let (_, told) = heard(&format!(r#"{{"name": "a", "{}": 1}}"#, "é".repeat(5_000)));
        assert_eq!(told, [format!("{}...", "é".repeat(100))]);
    }
}
