//! Evaluations that take as much work as they may, asked with several keys over many connections.

use bytes::Bytes;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    attacker::{Attacker, Prepared},
    measure::Abuse,
};

const CONNECTIONS: usize = 200;
const KEYS: usize = 8;

/// A question, and the keys with which it is asked.
struct Asked {
    keys: Vec<String>,
    path: String,
    question: Bytes,
}

impl Asked {
    async fn new(attacker: &Attacker, path: &str, question: &Value) -> Self {
        Self {
            keys: attacker.more_keys(KEYS).await,
            path: path.to_owned(),
            question: Attacker::body(question),
        }
    }

    async fn one_flag(attacker: &Attacker, flag: &str, context: &Value) -> Self {
        attacker.is_spent(flag, context).await;
        let question = json!({"flag_key": flag, "context": context});
        Self::new(attacker, "/v1/evaluate", &question).await
    }

    async fn flood(&self, attacker: &Attacker) {
        let ask = |number: usize| {
            let key = &self.keys[number % KEYS];
            let request = attacker.sdk_with(key, &self.path);
            request.prepared(&self.question)
        };
        attacker.flood(CONNECTIONS, ask).await;
    }
}

/// A version that only its last byte tells from others, as long as a text may be nearly.
fn long_version() -> Value {
    let text = format!("1.2.3-{}b", "a.".repeat(8_000));
    json!({"key": "u", "attributes": {"text": text}})
}

fn newer(conditions: usize) -> Value {
    let condition = json!({"attribute": "text", "operator": "gt", "values": ["9.9.9"]});
    json!(vec![condition; conditions])
}

async fn make(attacker: &Attacker, flag: &str, rules: Value) {
    attacker.make_flag(flag, "boolean").await;
    let stored = attacker
        .managed(Method::PUT, &attacker.state(flag))
        .json(&json!({"enabled": true, "rules": rules}));
    assert!(attacker.is_accepted(stored).await, "the state of {flag}");
}

/// One flag that compares long versions, which takes the most time for its steps.
pub struct LongVersions(Asked);

impl Abuse for LongVersions {
    const NAME: &str = "work-long-versions";

    async fn prepare(attacker: &Attacker) -> Self {
        let rule = json!({"match_type": "any", "conditions": newer(100), "value": true});
        make(attacker, "v", json!([rule])).await;
        Self(Asked::one_flag(attacker, "v", &long_version()).await)
    }

    async fn attack(&self, attacker: &Attacker) {
        self.0.flood(attacker).await;
    }
}

/// One flag that names as many large segments as it may.
pub struct LargeSegments(Asked);

impl Abuse for LargeSegments {
    const NAME: &str = "work-segments";

    async fn prepare(attacker: &Attacker) -> Self {
        let path = format!("/v1/projects/{}/segments", attacker.project.id);
        // Each takes nearly what a segment may.
        let keys: Vec<String> = (0..100).map(|number| format!("s{number}")).collect();
        for key in &keys {
            let segment = json!({"key": key, "name": key, "match_type": "any", "rules": newer(6)});
            let made = attacker.managed(Method::POST, &path).json(&segment);
            assert!(attacker.is_accepted(made).await, "the segment {key}");
        }
        make(
            attacker,
            "s",
            json!([{"segment_keys": keys, "value": true}]),
        )
        .await;
        Self(Asked::one_flag(attacker, "s", &long_version()).await)
    }

    async fn attack(&self, attacker: &Attacker) {
        self.0.flood(attacker).await;
    }
}

/// One flag that looks for many texts in a long one.
pub struct LongLists(Asked);

impl Abuse for LongLists {
    const NAME: &str = "work-lists";

    async fn prepare(attacker: &Attacker) -> Self {
        let values: Vec<String> = (0..1_000).map(|number| format!("abab{number}")).collect();
        let condition = json!({"attribute": "text", "operator": "contains", "values": values});
        let rule = json!({"match_type": "any", "conditions": vec![condition; 10], "value": true});
        make(attacker, "l", json!([rule])).await;
        let context = json!({"key": "u", "attributes": {"text": "ab".repeat(8_000)}});
        Self(Asked::one_flag(attacker, "l", &context).await)
    }

    async fn attack(&self, attacker: &Attacker) {
        self.0.flood(attacker).await;
    }
}

/// All flags of an environment, each of which takes as much work as it may.
pub struct WholeAnswers(Asked);

impl Abuse for WholeAnswers {
    const NAME: &str = "work-whole-answers";

    async fn prepare(attacker: &Attacker) -> Self {
        let context = long_version();
        let rule = json!({"match_type": "any", "conditions": newer(30), "value": true});
        for number in 0..300 {
            make(attacker, &format!("w{number}"), json!([rule])).await;
        }
        attacker.is_spent("w299", &context).await;
        let path = format!("/v1/client/{}/flags", attacker.project.dev);
        Self(Asked::new(attacker, &path, &json!({"context": context})).await)
    }

    async fn attack(&self, attacker: &Attacker) {
        self.0.flood(attacker).await;
    }
}
