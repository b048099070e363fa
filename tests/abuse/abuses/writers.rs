//! Writers that wait for each other.

use reqwest::Method;
use serde_json::json;

use crate::attacker::Attacker;
use crate::measure::Abuse;

/// Many writes at once to one project, whose lock they wait for.
pub struct OfOneProject;

impl Abuse for OfOneProject {
    const NAME: &str = "writers";

    async fn prepare(attacker: &Attacker) -> Self {
        let flag = json!({"key": "w", "name": "W", "flag_type": "json"});
        let made = attacker
            .managed(Method::POST, &attacker.flags())
            .json(&flag);
        assert!(attacker.is_accepted(made).await, "a flag");
        Self
    }

    async fn attack(&self, attacker: &Attacker) {
        let long = "v".repeat(60_000);
        attacker
            .flood(60, |number| {
                let body =
                    json!({"enabled": true, "default_value": {"long": long, "number": number}});
                attacker
                    .managed(Method::PUT, &attacker.state("w"))
                    .json(&body)
            })
            .await;
    }
}
