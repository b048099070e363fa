//! Regular expressions: what they compile to, and what they cost at each evaluation.

use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    attacker::{Attacker, Prepared},
    measure::Abuse,
};

/// Rules with so many patterns like this, which differ in nothing that could be shared.
fn state(patterns: usize, pattern: impl Fn(usize) -> String) -> Value {
    let conditions: Vec<Value> = (0..patterns)
        .map(
            |number| json!({"attribute": "text", "operator": "regex", "values": [pattern(number)]}),
        )
        .collect();
    let rules: Vec<Value> = conditions
        .chunks(100)
        .map(|some| json!({"match_type": "any", "conditions": some, "value": true}))
        .collect();
    json!({"enabled": true, "rules": rules})
}

/// Beyond this many bytes no pattern is tried.
fn context() -> Value {
    json!({"key": "u", "attributes": {"text": "x".repeat(4_096)}})
}

/// States of a few kilobytes that take as much memory at every edge as is accepted.
pub struct Compiled;

impl Abuse for Compiled {
    const NAME: &str = "patterns-compiled";

    async fn prepare(attacker: &Attacker) -> Self {
        for number in 0..20 {
            attacker.make_flag(&format!("p{number}"), "boolean").await;
        }
        Self
    }

    async fn attack(&self, attacker: &Attacker) {
        attacker
            .flood(8, |number| {
                // From what compiles to a megabyte each down to what is ordinary.
                let repeated = 800 >> (number / 20 % 8);
                let body = state(200, |pattern| format!("{number}_{pattern}_.{{{repeated}}}"));
                let path = attacker.state(&format!("p{}", number % 20));
                attacker.managed(Method::PUT, &path).json(&body)
            })
            .await;
    }
}

/// The most expensive patterns that are accepted, tried on the longest texts that any pattern is tried on.
pub struct LongTexts;

impl Abuse for LongTexts {
    const NAME: &str = "patterns-long-texts";

    async fn prepare(attacker: &Attacker) -> Self {
        attacker.make_flag("p", "boolean").await;
        for (patterns, repeated) in [
            (100, 400),
            (100, 100),
            (100, 40),
            (100, 10),
            (30, 10),
            (10, 10),
            (1, 10),
        ] {
            let body = state(patterns, |pattern| {
                format!("(x+x+)+{pattern}_.{{{repeated}}}y")
            });
            let request = attacker
                .managed(Method::PUT, &attacker.state("p"))
                .json(&body);
            if attacker.is_accepted(request).await {
                attacker.is_spent("p", &context()).await;
                return Self;
            }
        }
        panic!("no pattern was accepted");
    }

    async fn attack(&self, attacker: &Attacker) {
        let question = Attacker::body(&json!({"flag_key": "p", "context": context()}));
        attacker
            .flood(8, |_| attacker.sdk("/v1/evaluate").prepared(&question))
            .await;
    }
}
