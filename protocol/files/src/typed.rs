//! From a document to types, with the places of what does not fit.

use definition::input::nearest;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::Segment;

use crate::{
    document::Document,
    path::{Path, Step},
    problem::Problem,
};

/// Reads what is at a path as a type.
///
/// # Errors
///
/// Nothing is there, or something in it does not fit the type: a problem at the place of just that, which names its path.
pub fn deserialize<T: DeserializeOwned>(document: &Document, path: &Path) -> Result<T, Problem> {
    let Some(value) = document.get(path) else {
        return Err(document.problem(path, format!("{path} is missing")));
    };
    // The path is followed only where it is told.
    if let Ok(made) = T::deserialize(value) {
        return Ok(made);
    }
    serde_path_to_error::deserialize(value).map_err(|error| {
        let mut place = path.clone();
        for segment in error.path() {
            let step = match segment {
                Segment::Seq { index } => Step::Index(*index),
                Segment::Map { key } => Step::Key(key.clone()),
                Segment::Enum { variant } => Step::Key(variant.clone()),
                Segment::Unknown => break,
            };
            place.push(step);
            // The tag of an enum need not be a key, and what is missing has no place.
            if document.get(&place).is_none() {
                place.pop();
                break;
            }
        }
        let mut message = match place.steps() {
            [] => error.inner().to_string(),
            _ => format!("{place}: {}", error.inner()),
        };
        if message.ends_with("expected a boolean") && document.get(&place).is_some_and(was_boolean)
        {
            message.push_str(": write true or false");
        }
        document.problem(&place, message)
    })
}

/// Whether readers of YAML 1.1 take a text for a boolean.
fn was_boolean(value: &Value) -> bool {
    let words = ["y", "yes", "n", "no", "on", "off", "true", "false"];
    value
        .as_str()
        .is_some_and(|text| words.iter().any(|word| text.eq_ignore_ascii_case(word)))
}

/// The keys of the map at a path that are not among the known ones, each as a problem at its place, which names the known key
/// that is nearest to it. None if no map is there.
pub fn unknown_fields(document: &Document, path: &Path, known: &[&str]) -> Vec<Problem> {
    let keys = document.keys(path).into_iter();
    keys.filter(|key| !known.contains(key))
        .map(|key| {
            let meant = meant(key, known);
            let place = document.key_place(&path.clone().key(key));
            Problem::at(
                document.name(),
                place,
                format!("unknown field {key:?}{meant}"),
            )
        })
        .collect()
}

/// The name that may be meant by a misspelt one, as the end of a message; empty if none is near.
pub fn meant(name: &str, known: &[&str]) -> String {
    nearest(name, known).map_or_else(String::new, |near| format!(", did you mean {near:?}?"))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    const TEXT: &str = "\
key: checkout
environments:
  production:
    enabled: yes
    rules:
      - key: beta
        percentage: many
        descripton: x
";

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only its reading is tested")]
    struct Rule {
        key: String,
        percentage: u32,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its reading is tested")]
    struct Strict {
        key: String,
    }

    fn path(text: &str) -> Path {
        text.parse().unwrap()
    }

    fn refused<T: DeserializeOwned>(text: &str, at: &str) -> String {
        let document = Document::parse_named("f.yaml", text).unwrap();
        let Err(problem) = deserialize::<T>(&document, &path(at)) else {
            panic!("{at} fits");
        };
        problem.to_string()
    }

    #[test]
    fn what_does_not_fit_a_type_has_its_place() {
        assert_eq!(
            refused::<Vec<Rule>>(TEXT, "environments.production.rules"),
            r#"f.yaml:7:21: environments.production.rules[0].percentage: invalid type: string "many", expected u32"#
        );
        assert_eq!(
            refused::<bool>(TEXT, "environments.production.enabled"),
            r#"f.yaml:4:14: environments.production.enabled: invalid type: string "yes", expected a boolean: write true or false"#
        );
        assert_eq!(
            refused::<bool>(TEXT, "environments.staging.enabled"),
            "f.yaml:2:1: environments.staging.enabled is missing"
        );
        assert_eq!(
            refused::<u8>("x", ""),
            "f.yaml:1:1: invalid type: string \"x\", expected u8"
        );
    }

    #[test]
    fn a_missing_field_is_placed_at_what_misses_it() {
        let text = "rules:\n  - key: a\n    percentage: 1\n  - key: b\n";
        assert_eq!(
            refused::<Vec<Rule>>(text, "rules"),
            "f.yaml:4:5: rules[1]: missing field `percentage`"
        );
    }

    #[test]
    fn a_field_that_serde_does_not_know_is_placed_at_its_value() {
        let text = "- key: a\n- key: b\n  more: 1\n";
        let refused = refused::<Vec<Strict>>(text, "");
        assert!(
            refused.starts_with("f.yaml:3:9: [1].more: unknown field `more`"),
            "{refused}"
        );
    }

    #[test]
    fn what_fits_is_read() {
        let document = Document::parse(TEXT).unwrap();
        assert_eq!(
            deserialize::<String>(&document, &path("key")),
            Ok("checkout".to_owned())
        );
    }

    #[test]
    fn unknown_fields_have_places_and_suggestions() {
        let document = Document::parse_named("f.yaml", TEXT).unwrap();
        let at = path("environments.production.rules[0]");
        let problems = unknown_fields(&document, &at, &["key", "description"]);
        let written: Vec<_> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(
            written,
            [
                r#"f.yaml:7:9: unknown field "percentage""#,
                r#"f.yaml:8:9: unknown field "descripton", did you mean "description"?"#,
            ]
        );
        assert_eq!(unknown_fields(&document, &path("key"), &[]), []);
    }
}
