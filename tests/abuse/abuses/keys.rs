//! API keys that are replaced again and again.

use reqwest::Method;
use serde_json::json;

use crate::{attacker::Attacker, measure::Abuse};

/// Creations and revocations at full rate, each of which changes what edges hold.
pub struct Rotations;

impl Abuse for Rotations {
    const NAME: &str = "keys";

    async fn prepare(_: &Attacker) -> Self {
        Self
    }

    async fn attack(&self, attacker: &Attacker) {
        let keys = format!("/v1/environments/{}/api-keys", attacker.project.dev);
        let one_after_the_other = async || {
            loop {
                let request = attacker
                    .managed(Method::POST, &keys)
                    .json(&json!({"name": "k"}));
                let Ok(answer) = request.send().await else {
                    continue;
                };
                let body: serde_json::Value = answer.json().await.unwrap_or_default();
                let Some(id) = body["id"].as_str() else {
                    attacker.send(attacker.managed(Method::GET, &keys)).await;
                    continue;
                };
                let rotate = format!("/v1/api-keys/{id}/rotate");
                let now = json!({"grace_period_hours": 0});
                attacker
                    .send(attacker.managed(Method::POST, &rotate).json(&now))
                    .await;
            }
        };
        futures_util::future::join_all((0..16).map(|_| one_after_the_other())).await;
    }
}
