//! Checks of one thing, with the place of everything that is wrong, and of all things together.

use std::collections::BTreeMap;

use definition::{
    environments::{input::NewEnvironment, model::Environment},
    input::{Invalid, Key},
};
use serde_json::{Map, Value, json};
use time::OffsetDateTime;

use super::{
    Project, Written, compile, cycles,
    layout::{Part, Thing},
    states,
};
use crate::{Document, Path, Place, Problem};

/// Checks a body. Where it is refused, the fields are checked one by one, together with those that every body needs, so that
/// all that is wrong is told and not only the first.
pub(super) fn checked<T>(
    document: &Document,
    at: &Path,
    given: &Value,
    needed: &[&str],
    check: impl Fn(&Value) -> Option<Result<T, Invalid>>,
    problems: &mut Vec<Problem>,
) -> Option<T> {
    let first = match check(given)? {
        Ok(made) => return Some(made),
        Err(first) => first,
    };
    let before = problems.len();
    let fields = given.as_object()?;
    for (field, value) in fields {
        let mut alone: Map<String, Value> = needed
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), harmless(fields, name)?)))
            .collect();
        if alone.get(field) == Some(value) {
            continue;
        }
        alone.insert(field.clone(), value.clone());
        if let Some(Err(invalid)) = check(&Value::Object(alone)) {
            problems.push(told(document, at, Some(field), &invalid.to_string()));
        }
    }
    if problems.len() == before {
        problems.push(told(document, at, None, &first.to_string()));
    }
    None
}

/// A value that is surely right, for a field that others are checked together with.
fn harmless(fields: &Map<String, Value>, name: &str) -> Option<Value> {
    match name {
        "key" | "name" | "slug" => {
            let written = fields.get(name).and_then(Value::as_str);
            let written = Key::parse(written.map(str::to_owned));
            Some(written.map_or_else(|_| "x".into(), |key| key.to_string().into()))
        }
        "rules" => Some(json!([])),
        _ => fields.get(name).cloned(),
    }
}

/// A problem at the place that the words of a check begin with, or else at the field.
pub(super) fn told(document: &Document, at: &Path, field: Option<&str>, words: &str) -> Problem {
    let named = words.split_whitespace().next().unwrap_or_default();
    let named = named.trim_end_matches(':');
    let named: Path = named.parse().unwrap_or_default();
    let steps = named.steps().iter().cloned();
    let full: Path = at.steps().iter().cloned().chain(steps).collect();
    let of_field = field.map(|field| at.clone().key(field));
    let begins = of_field
        .as_ref()
        .is_none_or(|field| full.steps().starts_with(field.steps()));
    let place = if begins {
        full
    } else {
        of_field.unwrap_or_default()
    };
    document.problem(&place, words)
}

/// Puts the parts together: every key once, every state in an environment that there is, no circle.
pub(super) fn assemble(
    parts: Vec<Part>,
    now: OffsetDateTime,
    problems: &mut Vec<Problem>,
) -> Project {
    let mut project = Project::default();
    let mut is_listed = false;
    let mut flags: BTreeMap<String, states::Read> = BTreeMap::new();
    let mut wrong = Vec::new();
    for Part { place, thing } in parts {
        match thing {
            Thing::Environments(list) => {
                is_listed = true;
                for (place, written) in list {
                    let slug = &written.made.slug;
                    if project
                        .environments
                        .iter()
                        .any(|one| one.made.slug == *slug)
                    {
                        let message = format!("the environment {slug} is listed twice");
                        problems.push(Problem::at(&written.file, place, message));
                    }
                    project.environments.push(written);
                }
            }
            Thing::Segment(written) => {
                if let Some(other) = project.segments.get(&written.made.key) {
                    let message =
                        format!("the segment {} is in {} too", other.made.key, other.file);
                    problems.push(Problem::at(&written.file, place, message));
                }
                project.segments.insert(written.made.key.clone(), written);
            }
            Thing::Flag(read) => {
                let key = read.written.flag.made.key.clone();
                if let Some(other) = flags.get(&key) {
                    let other = &other.written.flag.file;
                    let message = format!("the flag {key} is in {other} too");
                    problems.push(Problem::at(&read.written.flag.file, place, message));
                }
                flags.insert(key, *read);
            }
            Thing::Wrong(file, places) => wrong.push((file, places)),
        }
    }
    let right = flags.values();
    let right = right.map(|read| (&read.written.flag.file, &read.places));
    let named = right.chain(wrong.iter().map(|(file, places)| (file, places)));
    if is_listed {
        let listed = |slug: &str| project.environments.iter().any(|one| one.made.slug == slug);
        for (file, places) in named {
            for (slug, place) in places {
                if !listed(slug) {
                    let message = format!("there is no environment {slug}");
                    problems.push(Problem::at(file, *place, message));
                }
            }
        }
    } else {
        project.environments = named_by_states(named, now, problems);
    }
    let mut required_at = BTreeMap::new();
    for (key, read) in flags {
        required_at.insert(key.clone(), read.prerequisites);
        project.flags.insert(key, read.written);
    }
    for (key, circle) in cycles::find(&project.flags) {
        let file = &project.flags[&key].flag.file;
        let message = format!("prerequisites must not form a cycle: {circle}");
        problems.push(Problem::at(file, required_at[&key], message));
    }
    project
}

/// The environments that states name, where no list says which there are.
fn named_by_states<'a>(
    named: impl Iterator<Item = (&'a String, &'a BTreeMap<String, Place>)>,
    now: OffsetDateTime,
    problems: &mut Vec<Problem>,
) -> Vec<Written<Environment>> {
    let mut found = BTreeMap::new();
    for (file, places) in named {
        for (slug, place) in places {
            if found.contains_key(slug) {
                continue;
            }
            let given = json!({"slug": slug, "name": slug});
            let new: Option<NewEnvironment> = serde_json::from_value(given).ok();
            match new.map(|new| new.check(now)) {
                Some(Ok(mut made)) => {
                    made.id = compile::id("environment", slug).into();
                    let file = String::new();
                    found.insert(slug.clone(), Written { file, made });
                }
                Some(Err(invalid)) => {
                    problems.push(Problem::at(file, *place, invalid.to_string()));
                }
                None => {}
            }
        }
    }
    found.into_values().collect()
}
