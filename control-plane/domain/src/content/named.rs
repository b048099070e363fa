//! The things that a body of definitions names, and the fields that it gives them.

use serde_json::Value;

use super::parts::{Fields, STATES, Thing};

/// The things that a body names, and the fields that it gives them.
pub(super) fn named(changes: &Fields) -> Vec<(Thing, Vec<&str>)> {
    let list = |name: &str| {
        let list = changes.get(name).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_object)
    };
    let mut named = Vec::new();
    for env in list("environments") {
        if let Some(slug) = text(env, "slug") {
            named.push((Thing::environment(slug), names(env, &["slug"])));
        }
    }
    for segment in list("segments") {
        if let Some(key) = text(segment, "key") {
            named.push((Thing::segment(key), names(segment, &["key"])));
        }
    }
    for flag in list("flags") {
        let Some(key) = text(flag, "key") else {
            continue;
        };
        let own = names(flag, &["key", STATES]);
        let states = flag.get(STATES).and_then(Value::as_object);
        let states: Vec<_> = states.into_iter().flatten().collect();
        if !own.is_empty() || states.is_empty() {
            named.push((Thing::flag(key), own));
        }
        for (slug, state) in states {
            let names = state.as_object().map(|state| names(state, &[]));
            named.push((Thing::state(key, slug), names.unwrap_or_default()));
        }
    }
    let removed = |kind: &str| {
        let list = changes.get("remove").and_then(|remove| remove.get(kind));
        let list = list.and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str)
    };
    let flags = removed("flags").map(Thing::flag);
    let segments = removed("segments").map(Thing::segment);
    let environments = removed("environments").map(Thing::environment);
    let gone = flags.chain(segments).chain(environments);
    named.extend(gone.map(|thing| (thing, Vec::new())));
    named
}

fn text<'a>(thing: &'a Fields, name: &str) -> Option<&'a str> {
    thing.get(name).and_then(Value::as_str)
}

fn names<'a>(thing: &'a Fields, except: &[&str]) -> Vec<&'a str> {
    let names = thing.keys().map(String::as_str);
    names.filter(|name| !except.contains(name)).collect()
}
