//! Grants: what moves in a protected environment without approval, within a budget.

mod clauses;
mod giving;
mod holders;
mod races;
mod tags;

use harness::{Caller, Response, Setup, User};
use serde_json::{Value, json};

/// A protected production with the flag `shop`, tagged `web`, whose rollout and rule stand at 10 %, and a developer.
struct Stage {
    setup: Setup,
    developer: User,
    /// Paths of the grants, and of the flag's state.
    grants: String,
    state: String,
}

impl Stage {
    async fn new() -> Self {
        let setup = Setup::new().await;
        let Setup { owner, project, .. } = &setup;
        let grants = format!("/v1/projects/{}/grants", project.id);
        let flag = json!({"key": "shop", "name": "Shop", "tags": ["web"]});
        owner.create(&setup.flags(), flag).await;
        let state = format!("{}/shop/environments/production", setup.flags());
        owner.change(&state, stored()).await;
        let production = format!("/v1/projects/{}/environments/production", project.id);
        owner.change(&production, json!({"protected": true})).await;
        let developer = setup.app.member(owner, "developer").await;
        Self {
            setup,
            developer,
            grants,
            state,
        }
    }

    /// A grant of the developer: 10 points in 10 minutes for `web`, with these members in place of its own.
    async fn body(&self, others: Value) -> Value {
        let mut body = json!({
            "name": "Rollouts", "env_id": self.setup.project.production,
            "holder": {"kind": "member", "id": self.setup.owner.member_id_of(&self.developer.email).await},
            "tags": ["web"], "max_raise": 1000, "window_seconds": 600,
        });
        for (name, value) in others.as_object().unwrap() {
            body[name] = value.clone();
        }
        body
    }

    /// The owner gives it; returns its path.
    async fn give(&self, others: Value) -> String {
        let body = self.body(others).await;
        let given = self.setup.owner.create(&self.grants, body).await;
        format!("{}/{}", self.grants, given.text("/id"))
    }

    /// The developer sets the rollout.
    async fn roll(&self, points: i64) -> Response {
        roll(&self.developer, &self.state, points).await
    }

    async fn left(&self, grant: &str) -> Value {
        self.setup.owner.get(grant).await.body["left"].clone()
    }

    async fn rollout(&self) -> Value {
        self.setup.owner.get(&self.state).await.body["percentage_rollout"].clone()
    }
}

/// The state that the flag begins with.
fn stored() -> Value {
    json!({"enabled": true, "percentage_rollout": 1000, "rules": [{"id": "r", "percentage": 1000, "value": true}]})
}

async fn roll(caller: &Caller, state: &str, points: i64) -> Response {
    caller
        .put(state, json!({"percentage_rollout": points}))
        .await
}

/// Checks that the refusal is for want of approval, and that its only grant refuses by this clause.
#[track_caller]
fn expect_clause(refused: &Response, clause: &str, message: &str) {
    refused.expect_status(403);
    assert_eq!(refused.body["error"], "approval_required");
    assert_eq!(refused.body["approval"]["path"], "/v1/approvals");
    let grants = refused.body["grants"].as_array().unwrap();
    assert_eq!(grants.len(), 1, "{grants:?}");
    assert_eq!(grants[0]["clause"], clause, "{grants:?}");
    assert_eq!(grants[0]["message"], message);
    assert_eq!(grants[0]["name"], "Rollouts");
}
