//! The engine of Flagsmith's SDK. It evaluates all flags for a user whenever it is asked for one.

use flagsmith_flag_engine::{
    engine::get_evaluation_result, engine_eval::context::EngineEvaluationContext,
};
use serde_json::{Map, Value, json};

use crate::{
    timing::Ask,
    users::{COUNTRIES, PLAN, User, key_of, users},
};

/// Segments, each of which is for a tenth of the flags: conditions and percentages are theirs.
const SEGMENTS: usize = 10;

pub fn asking(flags: usize) -> Ask {
    // With the user in it, of which the SDK makes a copy for each.
    let contexts: Vec<EngineEvaluationContext> = users()
        .map(|user| serde_json::from_value(context(flags, &user)).expect("a context of Flagsmith"))
        .collect();
    let key = key_of(flags / 2);
    Box::new(move |user| {
        let result = get_evaluation_result(&contexts[user]);
        result.flags.get(&key).is_some_and(|flag| flag.enabled)
    })
}

fn context(flags: usize, user: &User) -> Value {
    let features: Map<_, _> = (0..flags)
        .map(|number| (key_of(number), feature(number, false)))
        .collect();
    let segments: Map<_, _> = (0..SEGMENTS)
        .map(|number| (number.to_string(), segment(number, flags)))
        .collect();
    json!({
        "environment": {"key": "environment", "name": "production"},
        "features": features,
        "segments": segments,
        "identity": {
            "identifier": user.key,
            "key": user.key,
            "traits": {"plan": user.plan, "country": user.country, "email": user.email},
        },
    })
}

fn feature(number: usize, enabled: bool) -> Value {
    json!({"key": number.to_string(), "name": key_of(number), "enabled": enabled, "value": "", "priority": 1.0})
}

fn segment(number: usize, flags: usize) -> Value {
    let condition = |operator, property, value| json!({"operator": operator, "property": property, "value": value});
    let overrides: Vec<_> = (0..flags)
        .filter(|flag| flag % SEGMENTS == number)
        .map(|flag| feature(flag, true))
        .collect();
    let conditions = [
        condition("IN", "country", json!(COUNTRIES)),
        condition("EQUAL", "plan", json!(PLAN)),
        condition("PERCENTAGE_SPLIT", "$.identity.key", json!("50")),
    ];
    json!({
        "key": number.to_string(),
        "name": format!("segment-{number}"),
        "overrides": overrides,
        "rules": [{"type": "ALL", "conditions": conditions}],
    })
}
