//! Where what is there is neither what a change was drafted on nor what it asks for.

use std::collections::BTreeMap;

use serde_json::Value;

use super::parts::{Fields, Part, Thing};
use base::refusal::Conflict;

/// Compares the parts as they were drafted with those of the same change now.
pub fn find(drafted: &[Part], now: &[Part]) -> Vec<Conflict> {
    let now: BTreeMap<_, _> = now.iter().map(|part| (&part.thing, part)).collect();
    let mut conflicts = Vec::new();
    for part in drafted {
        let current = now.get(&part.thing).and_then(|part| part.before.as_ref());
        match (&part.before, current) {
            (Some(base), Some(current)) => conflicts.extend(of_fields(part, base, current)),
            (None, None) => {}
            (Some(_), None) if part.after.is_none() => {}
            (None, Some(current)) if part.after.as_ref().is_some_and(|it| has(current, it)) => {}
            (base, current) => conflicts.push(conflict(
                part,
                None,
                [base.as_ref(), part.after.as_ref(), current].map(whole),
            )),
        }
    }
    conflicts
}

/// The things that a change was to alter, and that are gone.
pub fn gone(drafted: &[Part], is_there: impl Fn(&Thing) -> bool) -> Vec<Conflict> {
    let altered = drafted
        .iter()
        .filter(|part| part.before.is_some() && part.after.is_some());
    let gone = altered.filter(|part| !is_there(&part.thing));
    let told = gone.map(|part| {
        let sides = [part.before.as_ref(), part.after.as_ref(), None];
        conflict(part, None, sides.map(whole))
    });
    told.collect()
}

fn of_fields<'a>(
    part: &'a Part,
    base: &'a Fields,
    current: &'a Fields,
) -> impl Iterator<Item = Conflict> + 'a {
    let value = |side: Option<&Fields>, name: &str| {
        let value = side.and_then(|side| side.get(name));
        value.cloned().unwrap_or_default()
    };
    let named = base.keys().filter(|name| current.contains_key(*name));
    named.filter_map(move |name| {
        let [was, is] = [base, current].map(|side| value(Some(side), name));
        let proposed = value(part.after.as_ref(), name);
        let is_asked_for = part.after.is_some() && same(name, &is, &proposed);
        (!same(name, &is, &was) && !is_asked_for)
            .then(|| conflict(part, Some(name), [was, proposed, is]))
    })
}

fn conflict(
    part: &Part,
    field: Option<&String>,
    [base, proposed, current]: [Value; 3],
) -> Conflict {
    Conflict {
        kind: part.thing.kind.as_str(),
        key: part.thing.key.clone(),
        env_slug: part.thing.env_slug.clone(),
        field: field.cloned(),
        base,
        proposed,
        current,
    }
}

/// Whether a thing has all of these fields.
fn has(current: &Fields, fields: &Fields) -> bool {
    let mut fields = fields.iter();
    fields.all(|(name, value)| same(name, current.get(name).unwrap_or(&Value::Null), value))
}

/// Whether two values of a field mean the same: equal rules that were stored again have other ids.
fn same(name: &str, one: &Value, other: &Value) -> bool {
    let without_ids = |value: &Value| {
        let mut value = value.clone();
        let rules = value.as_array_mut().into_iter().flatten();
        for rule in rules.filter_map(Value::as_object_mut) {
            rule.remove("id");
        }
        value
    };
    one == other || name == "rules" && without_ids(one) == without_ids(other)
}

fn whole(fields: Option<&Fields>) -> Value {
    fields.map_or(Value::Null, |fields| Value::Object(fields.clone()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn part(before: Value, after: Value) -> Part {
        serde_json::from_value(json!({
            "kind": "state", "key": "checkout", "env_slug": "production", "action": "update", "version": 3,
            "before": before, "after": after, "sentences": [],
        }))
        .unwrap()
    }

    /// The fields in conflict, once the state has become `current`.
    fn found(before: Value, after: Value, current: Value) -> Vec<Value> {
        let drafted = part(before, after.clone());
        let found = find(&[drafted], &[part(current, after)]);
        found.into_iter().map(|one| json!(one.field)).collect()
    }

    #[test]
    fn a_field_is_in_conflict_when_it_became_something_else_than_is_asked_for() {
        let (was, asked) = (
            json!({"enabled": false, "rules": []}),
            json!({"enabled": true, "rules": []}),
        );
        assert!(found(was.clone(), asked.clone(), was.clone()).is_empty());
        assert!(
            found(
                was.clone(),
                asked.clone(),
                json!({"enabled": true, "rules": []})
            )
            .is_empty()
        );
        let other = json!({"enabled": false, "rules": [{"id": "r", "value": true}]});
        assert_eq!(found(was, asked, other), [json!("rules")]);
    }

    #[test]
    fn rules_with_other_ids_are_the_same() {
        let rules = |id: &str| json!({"rules": [{"id": id, "value": true}]});
        assert!(found(rules("a"), json!({"rules": []}), rules("b")).is_empty());
    }

    #[test]
    fn a_thing_that_went_or_came_is_in_conflict_as_a_whole() {
        let state = || json!({"enabled": true});
        assert_eq!(
            found(state(), json!({"enabled": false}), Value::Null),
            [Value::Null]
        );
        assert_eq!(
            found(Value::Null, state(), json!({"enabled": false})),
            [Value::Null]
        );
        assert!(found(Value::Null, state(), state()).is_empty());
        assert!(found(state(), Value::Null, Value::Null).is_empty());
        assert_eq!(
            found(state(), Value::Null, json!({"enabled": false})),
            [json!("enabled")]
        );
    }
}
