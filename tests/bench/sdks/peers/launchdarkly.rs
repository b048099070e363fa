//! The engine of LaunchDarkly's SDK, without its events. What it asks for a flag gives away a copy, as the store of the SDK does.

use std::collections::HashMap;

use launchdarkly_server_sdk_evaluation::{
    ContextBuilder, Flag, FlagValue, Segment, Store, evaluate,
};
use serde_json::json;

use crate::{
    timing::Ask,
    users::{COUNTRIES, PLAN, key_of, users},
};

struct Flags(HashMap<String, Flag>);

impl Store for Flags {
    fn flag(&self, key: &str) -> Option<Flag> {
        self.0.get(key).cloned()
    }

    fn segment(&self, _: &str) -> Option<Segment> {
        None
    }
}

pub fn asking(flags: usize) -> Ask {
    let flags_by_key = (0..flags).map(|number| (key_of(number), flag(&key_of(number))));
    let store = Flags(flags_by_key.collect());
    let contexts: Vec<_> = users()
        .map(|user| {
            ContextBuilder::new(user.key)
                .set_string("plan", user.plan)
                .set_string("country", user.country)
                .set_string("email", user.email)
                .build()
                .expect("a context")
        })
        .collect();
    let key = key_of(flags / 2);
    Box::new(move |user| {
        let flag = store.flag(&key).expect("the flag");
        let detail = evaluate(&store, &flag, &contexts[user], None);
        matches!(detail.value, Some(FlagValue::Bool(true)))
    })
}

fn flag(key: &str) -> Flag {
    let clause = |attribute, values| json!({"contextKind": "user", "attribute": attribute, "op": "in", "values": values, "negate": false});
    let half = |variation| json!({"variation": variation, "weight": 50_000});
    let rule = json!({
        "id": "rule",
        "clauses": [clause("country", json!(COUNTRIES)), clause("plan", json!([PLAN]))],
        "rollout": {"contextKind": "user", "variations": [half(0), half(1)]},
        "trackEvents": false,
    });
    let flag = json!({
        "key": key,
        "version": 1,
        "on": true,
        "salt": "salt",
        "targets": [],
        "contextTargets": [],
        "prerequisites": [],
        "rules": [rule],
        "fallthrough": {"variation": 1},
        "offVariation": 1,
        "variations": [true, false],
        "clientSide": false,
        "trackEvents": false,
        "trackEventsFallthrough": false,
    });
    serde_json::from_value(flag).expect("a flag of LaunchDarkly")
}
