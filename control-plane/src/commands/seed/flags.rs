//! The demo's flags: one of each kind that is worth trying.

use anyhow::Context;
use control_plane::ids::EnvId;
use serde_json::{Value, json};

use super::api::Api;

/// The flag that the printed example asks for.
pub(super) const FIRST: &str = "new-dashboard";

/// Creates the flags that are not there, with a state in every environment. What somebody changed meanwhile stays.
pub(super) async fn create(
    api: &Api,
    project_id: &str,
    environments: impl Iterator<Item = EnvId> + Clone,
) -> anyhow::Result<()> {
    let base = format!("/v1/projects/{project_id}");
    api.create(&format!("{base}/segments"), beta_testers())
        .await?;
    for (flag, state) in flags() {
        let key = flag["key"].as_str().context("a key")?.to_owned();
        if api.create(&format!("{base}/flags"), flag).await? {
            for env_id in environments.clone() {
                api.put(
                    &format!("{base}/flags/{key}/environments/{env_id}"),
                    state.clone(),
                )
                .await?;
            }
        }
    }
    Ok(())
}

fn beta_testers() -> Value {
    json!({
        "key": "beta-testers",
        "name": "Beta testers",
        "rules": [{"attribute": "email", "operator": "endsWith", "values": ["@halyard.test"]}],
    })
}

fn flags() -> [(Value, Value); 4] {
    [
        (
            json!({"key": FIRST, "name": "New dashboard", "description": "A plain switch"}),
            json!({"enabled": true}),
        ),
        (
            json!({"key": "instant-search", "name": "Instant search",
                   "description": "For beta testers, and for a quarter of everybody else"}),
            json!({
                "enabled": true,
                "rules": [{"segment_keys": ["beta-testers"], "value": true}],
                "percentage_rollout": 2500,
            }),
        ),
        (
            json!({"key": "banner", "name": "Banner", "flag_type": "string", "default_value": "Welcome",
                   "description": "A text that depends on the country"}),
            json!({
                "enabled": true,
                "rules": [{
                    "conditions": [{"attribute": "country", "operator": "in", "values": ["AT", "CH", "DE"]}],
                    "value": "Willkommen",
                }],
            }),
        ),
        (
            json!({"key": "checkout", "name": "Checkout", "flag_type": "ab", "default_value": "classic",
                   "description": "An experiment with two variants"}),
            json!({
                "enabled": true,
                "variants": [
                    {"key": "control", "value": "classic", "weight": 5000},
                    {"key": "treatment", "value": "one-page", "weight": 5000},
                ],
            }),
        ),
    ]
}
