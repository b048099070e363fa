//! Explanations, which compile an environment.

use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    attacker::{Attacker, Prepared},
    measure::Abuse,
};

/// Many explanations at once in an environment that is large.
pub struct ManyAtOnce;

impl Abuse for ManyAtOnce {
    const NAME: &str = "explain";

    async fn prepare(attacker: &Attacker) -> Self {
        let values: Vec<String> = (0..10_000)
            .map(|number| format!("value-{number}"))
            .collect();
        let rules: Vec<Value> = (0..4)
            .map(|_| json!({"conditions": [{"attribute": "a", "operator": "contains", "values": values}], "value": true}))
            .collect();
        for number in 0..20 {
            let key = format!("e{number}");
            attacker.make_flag(&key, "boolean").await;
            let state = json!({"enabled": true, "rules": rules});
            let stored = attacker
                .managed(Method::PUT, &attacker.state(&key))
                .json(&state);
            attacker.prepare(stored).await;
        }
        Self
    }

    async fn attack(&self, attacker: &Attacker) {
        let project = &attacker.project;
        let question = Attacker::body(&json!({
            "project_id": project.id, "env_id": project.dev, "flag_key": "e0",
            "context": {"key": "u", "attributes": {"a": "a".repeat(16_000)}},
        }));
        attacker
            .flood(60, |_| {
                attacker
                    .managed(Method::POST, "/v1/explain")
                    .prepared(&question)
            })
            .await;
    }
}
