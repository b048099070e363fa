//! The engine of Unleash's SDKs, without their counting.

use std::collections::HashMap;

use serde_json::{Value, json};
use unleash_yggdrasil::{Context, EngineState};

use crate::{
    timing::Ask,
    users::{COUNTRIES, PLAN, key_of, users},
};

pub fn asking(flags: usize) -> Ask {
    let features: Vec<_> = (0..flags).map(|number| feature(&key_of(number))).collect();
    let features = json!({"version": 2, "features": features});
    let features = serde_json::from_value(features).expect("features of Unleash");
    let engine = EngineState::default();
    let warnings = engine.apply_client_features(features);
    assert!(warnings.is_none_or(|warnings| warnings.is_empty()));
    let contexts: Vec<_> = users()
        .map(|user| {
            let properties = [
                ("plan", user.plan.to_owned()),
                ("country", user.country.to_owned()),
                ("email", user.email),
            ];
            let properties = properties.map(|(name, value)| (name.to_owned(), value));
            Context {
                user_id: Some(user.key),
                session_id: None,
                environment: None,
                app_name: None,
                current_time: None,
                remote_address: None,
                properties: Some(HashMap::from(properties)),
            }
        })
        .collect();
    let key = key_of(flags / 2);
    Box::new(move |user| engine.is_enabled(&key, &contexts[user], &None))
}

fn feature(key: &str) -> Value {
    let constraint = |name, values| json!({"contextName": name, "operator": "IN", "values": values, "inverted": false, "caseInsensitive": false});
    let strategy = json!({
        "name": "flexibleRollout",
        "parameters": {"rollout": "50", "stickiness": "userId", "groupId": key},
        "constraints": [constraint("country", json!(COUNTRIES)), constraint("plan", json!([PLAN]))],
    });
    json!({"name": key, "enabled": true, "strategies": [strategy]})
}
