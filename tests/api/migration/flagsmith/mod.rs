//! Imports from Flagsmith: what is read, and that answers stay what they were.

mod answers;
mod identities;
mod reading;
mod source;

use harness::{App, User};
use serde_json::{Value, json};

/// An organization with an empty project.
struct Target {
    app: App,
    owner: User,
    project: String,
}

impl Target {
    async fn new() -> Self {
        let (app, owner) = App::with_owner_and(&[("RATE_MIGRATION", "0")]).await;
        let project = owner.post("/v1/projects", json!({"name": "Shop"})).await;
        Self {
            project: project.text("/id"),
            owner,
            app,
        }
    }

    /// Everything in a list of the project.
    async fn list(&self, things: &str) -> Vec<Value> {
        let mut all = Vec::new();
        loop {
            let path = format!(
                "/v1/projects/{}/{things}?limit=100&offset={}",
                self.project,
                all.len()
            );
            let page = self.owner.get(&path).await;
            page.expect_status(200);
            all.extend(page.body["data"].as_array().unwrap().clone());
            if page.body["has_more"] == false {
                return all;
            }
        }
    }
}

/// A small project: a toggle, a text and a split, in two environments, with an identity that overrides each.
fn small_project() -> Value {
    let held = |value: &str| json!({"type": "unicode", "string_value": value, "integer_value": null, "boolean_value": null});
    let nothing = json!({"type": "unicode", "string_value": null, "integer_value": null, "boolean_value": null});
    let feature = |id: u64, name: &str, kind: &str, initial: Value, options: Value| {
        json!({
            "id": id, "name": name, "type": kind, "default_enabled": false, "initial_value": initial, "description": null,
            "created_date": "2024-05-06T07:08:09.123456Z", "tags": [1], "is_archived": false, "multivariate_options": options,
        })
    };
    let options = json!([{
        "id": 7, "type": "unicode", "string_value": "new", "integer_value": null, "boolean_value": null,
        "default_percentage_allocation": 30.0, "key": null,
    }]);
    let state = |feature: u64, enabled: bool, value: &Value, shares: Value| {
        json!({
            "id": 1, "feature": feature, "enabled": enabled, "identity": null, "feature_segment": null,
            "feature_state_value": value, "multivariate_feature_state_values": shares,
        })
    };
    let environment = |id: u64, name: &str, key: &str, enabled: bool| {
        let shares =
            json!([{"id": 1, "multivariate_feature_option": 7, "percentage_allocation": 30.0}]);
        let states = json!([
            state(1, enabled, &nothing, json!([])),
            state(2, true, &held("blue"), json!([])),
            state(3, true, &held("old"), shares),
        ]);
        let mut overrides = json!([
            state(1, !enabled, &nothing, json!([])),
            // What an older value left behind.
            state(
                2,
                true,
                &json!({"type": "unicode", "string_value": "green", "integer_value": 5, "boolean_value": null}),
                json!([])
            ),
            state(3, true, &held("older"), json!([])),
        ]);
        for row in overrides.as_array_mut().unwrap() {
            row["identity"] = json!({"id": 41, "identifier": "alice"});
        }
        json!({"id": id, "name": name, "api_key": key, "states": states, "overrides": overrides})
    };
    json!({
        "environments": [environment(31, "Production", "prod-key", true), environment(32, "QA Europe", "qa-key", true)],
        "features": [
            feature(1, "toggle", "STANDARD", Value::Null, json!([])),
            feature(2, "colour", "STANDARD", json!("red"), json!([])),
            feature(3, "layout", "MULTIVARIATE", json!("old"), options),
        ],
        "segments": [{
            "id": 5, "name": "Germans", "description": "who are there", "feature": null,
            "rules": [{"type": "ALL", "conditions": [], "rules": [{"type": "ANY", "rules": [], "conditions": [
                {"property": "country", "operator": "IN", "value": "DE,AT", "description": null},
            ]}]}],
        }],
        "tags": [{"id": 1, "label": "team x", "color": "#fff"}],
    })
}
