//! Which file says what.

use std::{collections::BTreeMap, thread};

use definition::{
    environments::{input::NewEnvironment, model::Environment},
    segments::{input::NewSegment, model::Segment},
};
use serde::Deserialize;
use serde_json::{Map, Value};
use time::OffsetDateTime;

use super::{
    Written,
    check::checked,
    fields::{ENVIRONMENT, PROJECT, unknown_in_segment},
    states,
};
use crate::{Document, Path, Place, Problem, deserialize, tree, unknown_fields};

/// One thing of a file, and where its key stands.
pub(super) struct Part {
    pub(super) place: Place,
    pub(super) thing: Thing,
}

pub(super) enum Thing {
    /// A flag that is not right: its file, and the places of its states by environment.
    Wrong(String, BTreeMap<String, Place>),
    /// That there is a list of environments, possibly an empty one.
    Environments(Vec<(Place, Written<Environment>)>),
    Segment(Written<Segment>),
    Flag(Box<states::Read>),
}

/// Reads every file by itself, on all processors: what it says, and what is wrong with it.
pub(super) fn read_all(
    files: &[tree::File],
    now: OffsetDateTime,
) -> Vec<(Vec<Part>, Vec<Problem>)> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let share = files.len().div_ceil(threads).max(64);
    let read_share =
        |files: &[tree::File]| -> Vec<_> { files.iter().map(|file| read(file, now)).collect() };
    thread::scope(|scope| {
        let shares = files.chunks(share);
        let others: Vec<_> = shares
            .map(|files| scope.spawn(move || read_share(files)))
            .collect();
        let read = others.into_iter().map(|share| share.join());
        read.flat_map(|share| share.expect("reading a file does not panic"))
            .collect()
    })
}

fn read(file: &tree::File, now: OffsetDateTime) -> (Vec<Part>, Vec<Problem>) {
    let mut problems = Vec::new();
    let parsed = Document::parse_named(&file.name, &file.text);
    let parts = match kept(parsed, &mut problems) {
        Some(document) => parts(file, &document, now, &mut problems),
        None => Vec::new(),
    };
    (parts, problems)
}

fn parts(
    file: &tree::File,
    document: &Document,
    now: OffsetDateTime,
    problems: &mut Vec<Problem>,
) -> Vec<Part> {
    let root = Path::root();
    let (folder, name) = file.name.split_once('/').unwrap_or(("", &file.name));
    let stem = name.rsplit('/').next().unwrap_or(name);
    let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
    let part = match (folder, stem) {
        ("flags", _) => flag(document, &root, Key::OfFile(stem), now, problems),
        ("segments", _) => kept(segment(document, &root, Key::OfFile(stem), now), problems),
        ("", "environments") => kept(environments(document, &root, now), problems),
        ("", _) => return whole(document, now, problems),
        // Tests have a format of their own.
        _ => None,
    };
    part.into_iter().collect()
}

/// What was read, if it is right.
fn kept<T>(read: Result<T, Vec<Problem>>, problems: &mut Vec<Problem>) -> Option<T> {
    read.map_err(|wrong| problems.extend(wrong)).ok()
}

/// One file with everything.
fn whole(document: &Document, now: OffsetDateTime, problems: &mut Vec<Problem>) -> Vec<Part> {
    let root = Path::root();
    problems.extend(unknown_fields(document, &root, &PROJECT));
    if !document.value().is_object() {
        problems.push(document.problem(&root, "expected flags by key, under `flags`"));
    }
    let mut parts = Vec::new();
    let environments_at = root.clone().key("environments");
    if document.get(&environments_at).is_some() {
        parts.extend(kept(
            environments(document, &environments_at, now),
            problems,
        ));
    }
    for (field, is_flag) in [("segments", false), ("flags", true)] {
        let all = root.clone().key(field);
        match document.get(&all) {
            None | Some(Value::Null) => {}
            Some(Value::Object(_)) => {
                for key in document.keys(&all) {
                    let at = all.clone().key(key);
                    let key = Key::Given(key);
                    parts.extend(if is_flag {
                        flag(document, &at, key, now, problems)
                    } else {
                        kept(segment(document, &at, key, now), problems)
                    });
                }
            }
            Some(_) => {
                problems.push(document.problem(&all, format!("{field} must be a map by key")));
            }
        }
    }
    parts
}

/// What a thing is called by where it stands.
#[derive(Clone, Copy)]
enum Key<'a> {
    /// The name of the file without its ending.
    OfFile(&'a str),
    /// The key of the map that it stands in.
    Given(&'a str),
}

impl Key<'_> {
    /// The key, which the field `key` may repeat, and must where a name of a file cannot say it.
    fn settle(self, document: &Document, at: &Path) -> Result<String, Problem> {
        let field = at.clone().key("key");
        let written = document.get(&field);
        let place = match self {
            Self::Given(key) | Self::OfFile(key) => key,
        };
        let fits = |key: &str| match self {
            Self::Given(of_map) => key == of_map,
            Self::OfFile(stem) => tree::file_name(key) == stem,
        };
        match written {
            None if fits(place) => Ok(place.to_owned()),
            Some(Value::String(key)) if fits(key) => Ok(key.clone()),
            None => {
                let message = format!("needs the field `key`: {place} does not say it");
                Err(document.problem(at, message))
            }
            Some(Value::String(key)) => {
                let expected = match self {
                    Self::Given(of_map) => format!("key must be {of_map}, as it stands above"),
                    Self::OfFile(_) => {
                        format!(
                            "key must be that of the file: {} belongs to {key}",
                            tree::file_name(key)
                        )
                    }
                };
                Err(document.problem(&field, expected))
            }
            Some(_) => Err(document.problem(&field, "key must be text")),
        }
    }
}

fn flag(
    document: &Document,
    at: &Path,
    key: Key<'_>,
    now: OffsetDateTime,
    problems: &mut Vec<Problem>,
) -> Option<Part> {
    kept(must_be_map(document, at), problems)?;
    let settled = key.settle(document, at).map_err(|problem| vec![problem]);
    let key = kept(settled, problems)?;
    let thing = match states::read(document, at, key, now) {
        Ok(read) => Thing::Flag(Box::new(read)),
        Err(wrong) => {
            problems.extend(wrong.problems);
            Thing::Wrong(document.name().to_owned(), wrong.places)
        }
    };
    Some(Part {
        place: document.key_place(at),
        thing,
    })
}

fn segment(
    document: &Document,
    at: &Path,
    key: Key<'_>,
    now: OffsetDateTime,
) -> Result<Part, Vec<Problem>> {
    must_be_map(document, at)?;
    let key = key.settle(document, at).map_err(|problem| vec![problem])?;
    let given = named(document, at, "key", &key, &[]);
    let mut problems = unknown_in_segment(document, at, &given);
    let check = |given: &Value| {
        let new = NewSegment::deserialize(given).ok()?;
        Some(new.check(now))
    };
    let made = checked(
        document,
        at,
        &given,
        &["key", "name", "rules"],
        check,
        &mut problems,
    );
    if made.is_none()
        && let Err(problem) = deserialize::<NewSegment>(document, at)
    {
        problems.push(problem);
    }
    match made {
        Some(mut made) if problems.is_empty() => {
            made.id = super::compile::id("segment", &key).into();
            Ok(Part {
                place: document.key_place(at),
                thing: Thing::Segment(Written {
                    file: document.name().to_owned(),
                    made,
                }),
            })
        }
        _ => Err(problems),
    }
}

fn environments(document: &Document, at: &Path, now: OffsetDateTime) -> Result<Part, Vec<Problem>> {
    // A file of its own may have the list under its name, so that it looks as it does in one file.
    let below = at.clone().key("environments");
    let at = if document.get(&below).is_some() {
        below
    } else {
        at.clone()
    };
    let Some(Value::Array(list)) = document.get(&at) else {
        return Err(vec![document.problem(&at, "environments must be a list")]);
    };
    let mut problems = Vec::new();
    let mut read = Vec::new();
    for (index, given) in list.iter().enumerate() {
        let at = at.clone().index(index);
        problems.extend(unknown_fields(document, &at, &ENVIRONMENT));
        let slug = at.clone().key("slug");
        if document.get(&slug).is_none() {
            problems.push(document.problem(&at, "slug is required"));
            continue;
        }
        if let Err(problem) = deserialize::<NewEnvironment>(document, &at) {
            problems.push(problem);
            continue;
        }
        let mut given = given.clone();
        if let Value::Object(fields) = &mut given {
            let slug = fields["slug"].clone();
            fields.entry("name").or_insert(slug);
        }
        let check = |given: &Value| {
            let new = NewEnvironment::deserialize(given).ok()?;
            Some(new.check(now))
        };
        let made = checked(
            document,
            &at,
            &given,
            &["slug", "name"],
            check,
            &mut problems,
        );
        if let Some(mut made) = made {
            made.id = super::compile::id("environment", &made.slug).into();
            let written = Written {
                file: document.name().to_owned(),
                made,
            };
            read.push((document.place(&slug), written));
        }
    }
    if problems.is_empty() {
        Ok(Part {
            place: document.key_place(&at),
            thing: Thing::Environments(read),
        })
    } else {
        Err(problems)
    }
}

fn must_be_map(document: &Document, at: &Path) -> Result<(), Vec<Problem>> {
    match document.get(at) {
        Some(Value::Object(_)) => Ok(()),
        _ => Err(vec![document.problem(at, "expected fields")]),
    }
}

/// The fields at a path, without some, and with a key, which is also the name where none is written.
pub(super) fn named(
    document: &Document,
    at: &Path,
    field: &str,
    key: &str,
    without: &[&str],
) -> Value {
    let Some(Value::Object(written)) = document.get(at) else {
        return document.get(at).cloned().unwrap_or_default();
    };
    let kept = written
        .iter()
        .filter(|(name, _)| !without.contains(&name.as_str()));
    let mut fields: Map<String, Value> = kept
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    fields.insert(field.to_owned(), key.into());
    fields.entry("name").or_insert_with(|| key.into());
    Value::Object(fields)
}
