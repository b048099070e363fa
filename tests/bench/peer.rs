//! A peer's engine in the same run: that of Unleash, which its servers and SDKs are built on.

use std::collections::HashMap;
use std::hint::black_box;

use serde_json::json;
use unleash_yggdrasil::{Context, EngineState};

use crate::{
    in_process::{apart, time_evaluation},
    report::{Figures, Report},
    tenant::context,
};

pub const NAME: &str = "peer";

const USERS: usize = 64;
const FLAG: &str = "feature";

/// Two conditions and a rollout, there and here.
pub fn run(report: &mut Report) {
    let (theirs, ours) = apart(|timer| {
        let engine = engine();
        let contexts: Vec<_> = (0..USERS).map(their_context).collect();
        let enabled = contexts
            .iter()
            .filter(|context| engine.is_enabled(FLAG, context, &None));
        let enabled = enabled.count();
        // Some of those whom the conditions admit.
        assert!((1..USERS / 2).contains(&enabled), "{enabled}");
        let mut users = contexts.iter().cycle();
        let theirs = timer.time("peer", || {
            let context = users.next().expect("an endless list");
            black_box(engine.is_enabled(FLAG, black_box(context), &None));
        });
        (theirs, time_evaluation(timer, "beside-peer"))
    });
    report.tell_of_others(
        NAME,
        "the same evaluation by Unleash's engine",
        "ns",
        theirs,
        Figures::from([("ours ns", ours), ("times ours", theirs / ours)]),
    );
}

fn engine() -> EngineState {
    let constraint = |name, values| json!({"contextName": name, "operator": "IN", "values": values, "inverted": false, "caseInsensitive": false});
    let strategy = json!({
        "name": "flexibleRollout",
        "parameters": {"rollout": "50", "stickiness": "userId", "groupId": FLAG},
        "constraints": [constraint("plan", json!(["pro", "enterprise"])), constraint("country", json!(["DE"]))],
    });
    let feature = json!({"name": FLAG, "enabled": true, "strategies": [strategy]});
    let features = json!({"version": 2, "features": [feature]});
    let engine = EngineState::default();
    let warnings = engine
        .apply_client_features(serde_json::from_value(features).expect("features of Unleash"));
    assert!(warnings.is_none_or(|warnings| warnings.is_empty()));
    engine
}

fn their_context(user: usize) -> Context {
    let ours = context(user);
    let text = |name: &str| {
        ours["attributes"][name]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let properties = ["plan", "country", "email"].map(|name| (name.to_owned(), text(name)));
    Context {
        user_id: ours["key"].as_str().map(str::to_owned),
        session_id: None,
        environment: None,
        app_name: None,
        current_time: None,
        remote_address: None,
        properties: Some(HashMap::from(properties)),
    }
}
