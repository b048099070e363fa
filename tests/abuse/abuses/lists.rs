//! Lists that are freed of duplicates.

use bytes::Bytes;
use reqwest::Method;
use serde_json::json;

use crate::{
    attacker::{Attacker, Prepared},
    measure::Abuse,
};

/// As many short and different texts as fit into a body.
pub struct Duplicates {
    tags: Bytes,
    prerequisites: Bytes,
}

impl Abuse for Duplicates {
    const NAME: &str = "lists";

    async fn prepare(attacker: &Attacker) -> Self {
        let many: Vec<String> = (0..60_000).map(|number| format!("t{number}")).collect();
        attacker.make_flag("l", "boolean").await;
        Self {
            tags: Attacker::body(&json!({"tags": many})),
            prerequisites: Attacker::body(&json!({"prerequisites": many})),
        }
    }

    async fn attack(&self, attacker: &Attacker) {
        let path = format!("{}/l", attacker.flags());
        attacker
            .flood(8, |number| {
                let body = [&self.tags, &self.prerequisites][number % 2];
                attacker.managed(Method::PUT, &path).prepared(body)
            })
            .await;
    }
}
