//! The manifest of OpenFeature: `{"flags": {"KEY": {"flagType": …, "defaultValue": …, "description": …}}}`.

use files::{Document, Path, Problem, meant};
use serde_json::{Map, Value, json};

use super::model::{Flag, Kind};

/// Where its schema is published.
const SCHEMA: &str =
    "https://raw.githubusercontent.com/open-feature/cli/main/schema/v0/flag-manifest.json";

/// Reads a manifest; `name` is that of its file.
///
/// # Errors
/// Everything that is wrong with it, in the order of the text.
pub(super) fn read(name: &str, text: &str) -> Result<Vec<Flag>, Vec<Problem>> {
    let document = Document::parse_named(name, text)?;
    let all = Path::root().key("flags");
    if !document.get(&all).is_some_and(Value::is_object) {
        return Err(vec![
            document.problem(&all, "expected flags by key, under `flags`"),
        ]);
    }
    let mut flags = Vec::new();
    let mut problems = Vec::new();
    for key in document.keys(&all) {
        match flag(&document, key, &all.clone().key(key)) {
            Ok(flag) => flags.push(flag),
            Err(found) => problems.extend(found),
        }
    }
    problems.sort();
    if problems.is_empty() {
        Ok(flags)
    } else {
        Err(problems)
    }
}

fn flag(document: &Document, key: &str, at: &Path) -> Result<Flag, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut wrong = |at: &Path, message: String| problems.push(document.problem(at, message));
    let field = |name: &str| at.clone().key(name);
    if key.is_empty() {
        wrong(at, "a flag needs a key".to_owned());
    }
    if !document.get(at).is_some_and(Value::is_object) {
        wrong(at, "expected flagType and defaultValue".to_owned());
        return Err(problems);
    }
    let kind = match document.get(&field("flagType")) {
        None => Err("flagType is required".to_owned()),
        Some(found) => kind(found),
    };
    let kind = kind.map_err(|why| wrong(&field("flagType"), why)).ok();
    let default = document.get(&field("defaultValue"));
    match (kind, default) {
        (_, None) => wrong(at, "defaultValue is required".to_owned()),
        (Some(kind), Some(value)) => {
            if let Err(wanted) = fits(kind, value) {
                let why = format!("defaultValue must be {wanted}, as the flag is");
                wrong(&field("defaultValue"), why);
            }
        }
        (None, Some(_)) => {}
    }
    let description = match document.get(&field("description")) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(_) => {
            wrong(&field("description"), "description must be text".to_owned());
            String::new()
        }
    };
    match (kind, default) {
        (Some(kind), Some(default)) if problems.is_empty() => Ok(Flag {
            key: key.to_owned(),
            kind,
            default: default.clone(),
            description,
            file: document.name().to_owned(),
            place: document.key_place(at),
        }),
        _ => Err(problems),
    }
}

fn kind(found: &Value) -> Result<Kind, String> {
    let names = Kind::ALL.map(|(name, _)| name);
    let text = found.as_str().unwrap_or_default();
    let known = Kind::ALL.iter().find(|(name, _)| *name == text);
    known.map(|(_, kind)| *kind).ok_or_else(|| {
        let meant = meant(text, &names);
        format!("flagType must be one of {}{meant}", names.join(", "))
    })
}

/// Whether a value is of a kind; what it should be if it is not.
fn fits(kind: Kind, value: &Value) -> Result<(), &'static str> {
    let (fits, wanted) = match kind {
        Kind::Boolean => (value.is_boolean(), "a boolean"),
        Kind::String => (value.is_string(), "a string"),
        Kind::Integer => (value.is_i64(), "an integer of 64 bits"),
        Kind::Float => (value.is_number(), "a number"),
        Kind::Object => (
            value.is_object() || value.is_array() || value.is_null(),
            "an object or an array",
        ),
    };
    if fits { Ok(()) } else { Err(wanted) }
}

/// The manifest of some flags, which are in the order of their keys.
pub(super) fn write(flags: &[Flag]) -> String {
    let mut all = Map::new();
    for flag in flags {
        let mut one = json!({"flagType": flag.kind.name(), "defaultValue": flag.default});
        if !flag.description.is_empty() {
            one["description"] = flag.description.as_str().into();
        }
        all.insert(flag.key.clone(), one);
    }
    format!("{:#}\n", json!({"$schema": SCHEMA, "flags": all}))
}
