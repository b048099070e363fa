//! Writers that wait for each other.

use reqwest::Method;
use serde_json::json;

use crate::{attacker::Attacker, measure::Abuse};

/// Many writes at once to one project, whose lock they wait for.
pub struct OfOneProject;

impl Abuse for OfOneProject {
    const NAME: &str = "writers";

    async fn prepare(attacker: &Attacker) -> Self {
        attacker.make_flag("w", "json").await;
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
