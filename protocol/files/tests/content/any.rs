//! Any content that the API takes.

use files::content::{Content, Environment, Flag, Segment, State};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Text without controls at its ends, with what YAML has to quote in it.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z0-9 .:#'\"\\[{-]{0,12}[a-z]",
        Just("yes".to_owned()),
        Just("1e3".to_owned())
    ]
}

fn key() -> impl Strategy<Value = String> {
    "[a-zA-Z][a-zA-Z0-9_.-]{0,8}"
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text().prop_map(Value::from),
        prop::collection::btree_map(text(), text(), 1..3).prop_map(|map| json!(map)),
    ]
}

fn condition() -> impl Strategy<Value = Value> {
    (text(), prop::collection::vec(text(), 1..4))
        .prop_map(|(name, values)| json!({"attribute": name, "operator": "in", "values": values}))
}

fn rule(place: usize) -> impl Strategy<Value = Value> {
    (
        prop::option::of(-3..3_i64),
        text(),
        prop::collection::vec(condition(), 0..2),
        prop::collection::btree_set(key(), 0..2),
        prop_oneof![Just(10_000), 0..10_000_i64],
        prop::option::of(value()),
        prop::bool::ANY,
    )
        .prop_map(move |(priority, description, conditions, segments, percentage, value, any)| {
            let mut rule = json!({
                "id": format!("rule-{place}"), "priority": priority, "description": description, "conditions": conditions,
                "segment_keys": segments, "percentage": percentage, "match_type": if any { "any" } else { "all" },
            });
            if let Some(value) = value {
                rule["value"] = value;
            }
            rule
        })
}

prop_compose! {
    fn state()(
        enabled in any::<bool>(),
        default_value in prop::option::of(value()),
        rules in (0..3_usize).prop_flat_map(|count| (0..count).map(rule).collect::<Vec<_>>()),
        percentage_rollout in prop::option::of(0..=10_000_i64),
        weight in prop::option::of(0..=10_000_i64),
        served in value(),
        due in prop::option::of(0..4_000_000_000_i64),
    ) -> State {
        let variants = weight.map_or(json!([]), |weight| {
            json!([{"key": "a", "weight": weight, "value": served}, {"key": "b", "weight": 10_000 - weight}])
        });
        let mut state: State = serde_json::from_value(json!({
            "enabled": enabled, "default_value": default_value, "rules": rules, "percentage_rollout": percentage_rollout,
            "variants": variants,
        })).unwrap();
        state.scheduled_enable_at = due.map(|due| time::OffsetDateTime::from_unix_timestamp(due).unwrap());
        state.complete();
        state
    }
}

prop_compose! {
    fn flag()(
        name in text(),
        description in text(),
        default_value in value(),
        tags in prop::collection::btree_set(text(), 0..3),
        group in prop_oneof![Just(String::new()), text()],
        permanent in any::<bool>(),
        archived in any::<bool>(),
        states in prop::collection::vec(state(), 0..=2),
    ) -> Flag {
        let mut flag: Flag = serde_json::from_value(json!({
            "key": "", "name": name, "description": description, "flag_type": "ab", "default_value": default_value,
            "tags": tags, "mutual_exclusion_group": group, "permanent": permanent, "archived": archived,
        })).unwrap();
        flag.states = ["staging", "dev"].map(str::to_owned).into_iter().zip(states).collect();
        flag
    }
}

prop_compose! {
    fn segment()(name in text(), rules in prop::collection::vec(condition(), 0..3), any in any::<bool>()) -> Segment {
        let match_type = if any { "any" } else { "all" };
        serde_json::from_value(json!({"key": "", "name": name, "match_type": match_type, "rules": rules})).unwrap()
    }
}

fn environment(slug: &str, protected: bool) -> Environment {
    let required_approvals = if protected { 2 } else { 1 };
    Environment {
        slug: slug.to_owned(),
        name: slug.to_uppercase(),
        color: "#6B7280".to_owned(),
        protected,
        required_approvals,
    }
}

prop_compose! {
    pub(crate) fn content()(
        flags in prop::collection::btree_map(key(), flag(), 0..3),
        segments in prop::collection::btree_map(key(), segment(), 0..3),
        protected in any::<bool>(),
    ) -> Content {
        let named = |(key, flag): (String, Flag)| (key.clone(), Flag { key, ..flag });
        let of_segment = |(key, segment): (String, Segment)| (key.clone(), Segment { key, ..segment });
        Content {
            environments: vec![environment("staging", protected), environment("dev", false)],
            segments: segments.into_iter().map(of_segment).collect(),
            flags: flags.into_iter().map(named).collect(),
        }
    }
}
