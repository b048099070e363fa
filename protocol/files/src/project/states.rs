//! A flag with its states.

use std::collections::{BTreeMap, HashSet};

use definition::{
    flags::{
        input::NewFlag,
        model::FlagType,
        states::{input::StatePatch, model::FlagState},
    },
    wish::Wish,
};
use serde::Deserialize;
use serde_json::{Value, json};
use time::OffsetDateTime;

use super::{
    Written, WrittenFlag, WrittenState,
    check::{checked, told},
    compile,
    fields::{self, FLAG},
    layout,
};
use crate::{Document, Path, Place, Problem, deserialize, unknown_fields};

/// What is wrong with a flag.
pub(super) struct Wrong {
    pub(super) problems: Vec<Problem>,
    /// Of its states, as of a flag that is right.
    pub(super) places: BTreeMap<String, Place>,
}

/// A flag, and the places that are needed once all flags are known.
pub(super) struct Read {
    pub(super) written: WrittenFlag,
    /// Of each state, by the slug of its environment.
    pub(super) places: BTreeMap<String, Place>,
    /// Of the prerequisites.
    pub(super) prerequisites: Place,
}

pub(super) fn read(
    document: &Document,
    at: &Path,
    key: String,
    now: OffsetDateTime,
) -> Result<Read, Wrong> {
    let mut problems = unknown_fields(document, at, &FLAG);
    let archived = match document.get(&at.clone().key("archived")) {
        None => false,
        Some(Value::Bool(archived)) => *archived,
        Some(_) => {
            let at = at.clone().key("archived");
            problems.push(document.problem(&at, "archived must be true or false"));
            false
        }
    };
    let given = layout::named(document, at, "key", &key, &["environments", "archived"]);
    let check = |given: &Value| {
        let new: NewFlag = NewFlag::deserialize(given).ok()?;
        Some(new.check(now))
    };
    let needed = ["key", "name", "flag_type"];
    let flag = checked(document, at, &given, &needed, check, &mut problems);
    if flag.is_none()
        && let Err(problem) = deserialize::<NewFlag>(document, at)
    {
        problems.push(problem);
    }
    let flag_type = match &flag {
        Some(flag) => Some(flag.flag_type),
        None => FlagType::parse(given.get("flag_type").and_then(Value::as_str)).ok(),
    };
    let mut states = BTreeMap::new();
    let mut places = BTreeMap::new();
    let all = at.clone().key("environments");
    match document.get(&all) {
        None | Some(Value::Null) => {}
        Some(Value::Object(by_slug)) => {
            for (slug, given) in by_slug {
                let at = all.clone().key(slug);
                places.insert(slug.clone(), document.key_place(&at));
                let read = state(document, &at, given, flag_type, now, &mut problems);
                if let Some(state) = read {
                    states.insert(slug.clone(), Box::new(state));
                }
            }
        }
        Some(_) => {
            let message = "environments must be a map of states by environment";
            problems.push(document.problem(&all, message));
        }
    }
    match flag {
        Some(mut made) if problems.is_empty() => {
            made.id = compile::id("flag", &key).into();
            let file = document.name().to_owned();
            Ok(Read {
                written: WrittenFlag {
                    flag: Written { file, made },
                    archived,
                    states,
                },
                places,
                prerequisites: document.place(&at.clone().key("prerequisites")),
            })
        }
        _ => Err(Wrong { problems, places }),
    }
}

fn state(
    document: &Document,
    at: &Path,
    given: &Value,
    flag_type: Option<FlagType>,
    now: OffsetDateTime,
    problems: &mut Vec<Problem>,
) -> Option<WrittenState> {
    if !given.is_object() {
        problems.push(document.problem(at, "expected the fields of a state"));
        return None;
    }
    let before = problems.len();
    problems.extend(fields::unknown_in_state(document, at, given));
    let patch = match deserialize::<StatePatch>(document, at) {
        Ok(patch) => patch,
        Err(problem) => {
            problems.push(problem);
            return None;
        }
    };
    // Without a type nothing can be said of the values.
    let flag_type = flag_type?;
    let check = |given: &Value| {
        let patch: StatePatch = StatePatch::deserialize(given).ok()?;
        Some(patch.check(flag_type, now))
    };
    match patch.check(flag_type, now) {
        Ok(wish) => {
            let mut made = wish.apply(&None);
            let unnamed = name_rules(&mut made, given);
            (problems.len() == before).then_some(WrittenState { made, unnamed })
        }
        Err(first) => {
            let (rules, others): (Vec<_>, Vec<_>) = given
                .as_object()?
                .iter()
                .partition(|(field, _)| *field == "rules");
            for (field, value) in others {
                if let Some(Err(invalid)) = check(&json!({field: value})) {
                    problems.push(told(document, at, Some(field), &invalid.to_string()));
                }
            }
            for (_, rules) in rules {
                each_rule(document, at, rules, check, problems);
            }
            if problems.len() == before {
                problems.push(told(document, at, None, &first.to_string()));
            }
            None
        }
    }
}

/// Checks the rules one by one, and then all of them.
fn each_rule<T>(
    document: &Document,
    at: &Path,
    rules: &Value,
    check: impl Fn(&Value) -> Option<Result<T, definition::input::Invalid>>,
    problems: &mut Vec<Problem>,
) {
    let before = problems.len();
    for (place, rule) in rules.as_array().into_iter().flatten().enumerate() {
        if let Some(Err(invalid)) = check(&json!({"rules": [rule]})) {
            let words = invalid.to_string();
            let words = words.replacen("rules[0]", &format!("rules[{place}]"), 1);
            problems.push(told(document, at, Some("rules"), &words));
        }
    }
    if problems.len() == before
        && let Some(Err(invalid)) = check(&json!({"rules": rules}))
    {
        problems.push(told(document, at, Some("rules"), &invalid.to_string()));
    }
}

/// Gives rules that are written without an id one that is the same at every reading, their number; returns their places.
fn name_rules(state: &mut FlagState, given: &Value) -> Vec<usize> {
    let written = given.get("rules").and_then(Value::as_array);
    let is_named = |rule: &Value| {
        let id = rule.get("id").and_then(Value::as_str);
        id.is_some_and(|id| !id.is_empty())
    };
    let rules = written.into_iter().flatten().enumerate();
    let unnamed: Vec<usize> = rules
        .filter(|(_, rule)| !is_named(rule))
        .map(|(place, _)| place)
        .collect();
    if unnamed.is_empty() {
        return unnamed;
    }
    let rules = state.rules.iter().enumerate();
    let mut taken: HashSet<String> = rules
        .filter(|(place, _)| !unnamed.contains(place))
        .map(|(_, rule)| rule.id.clone())
        .collect();
    for place in &unnamed {
        let mut numbers = (place + 1..).map(|number| number.to_string());
        let free = numbers.find(|id| !taken.contains(id)).unwrap_or_default();
        taken.insert(free.clone());
        state.rules[*place].id = free;
    }
    state.compiled_bytes = state.measure();
    unnamed
}
