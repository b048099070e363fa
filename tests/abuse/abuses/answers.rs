//! Answers that are large.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use crate::{attacker::Attacker, measure::Abuse};

/// A state of nearly a megabyte.
fn large_state(number: usize) -> Value {
    let rules: Vec<Value> = (0..14)
        .map(|rule| json!({"value": {"number": number, "rule": rule, "text": "v".repeat(60_000)}}))
        .collect();
    json!({"enabled": true, "rules": rules})
}

/// Makes an audit trail of large changes.
async fn fill_the_trail(attacker: &Attacker) {
    attacker.make_flag("a", "json").await;
    for number in 0..60 {
        let request = attacker.managed(Method::PUT, &attacker.state("a"));
        attacker.prepare(request.json(&large_state(number))).await;
    }
}

const TRAIL: &str = "/v1/audit?limit=100";

/// Pages of the audit trail whose entries are as large as they can be made.
pub struct LargeAuditPages;

impl Abuse for LargeAuditPages {
    const NAME: &str = "audit-pages";

    async fn prepare(attacker: &Attacker) -> Self {
        fill_the_trail(attacker).await;
        Self
    }

    async fn attack(&self, attacker: &Attacker) {
        attacker
            .flood(8, |_| attacker.managed(Method::GET, TRAIL))
            .await;
    }
}

/// Numbers that are short in a body and long in the database.
pub struct LongNumbers;

impl Abuse for LongNumbers {
    const NAME: &str = "numbers";

    async fn prepare(attacker: &Attacker) -> Self {
        attacker.make_flag("n", "json").await;
        Self
    }

    async fn attack(&self, attacker: &Attacker) {
        let numbers = vec!["1e308"; 10_000].join(",");
        let body = format!("{{\"enabled\": true, \"default_value\": [{numbers}]}}");
        attacker
            .flood(8, |number| {
                let request = if number % 4 == 0 {
                    attacker.managed(Method::GET, TRAIL)
                } else {
                    let request = attacker.managed(Method::PUT, &attacker.state("n"));
                    request
                        .header("content-type", "application/json")
                        .body(body.clone())
                };
                request.timeout(Duration::from_secs(30))
            })
            .await;
    }
}
