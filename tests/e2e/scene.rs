//! What most of these tests begin with: an organization, a flag that is on, a key, an edge that serves it.

use harness::{Caller, Edge, Response, Stack, User, eventually};
use reqwest::Method;
use serde_json::{Value, json};

/// The flag every scene has: a string, enabled, serving `v0`.
pub const FLAG: &str = "greeting";

pub struct Scene {
    pub stack: Stack,
    pub edge: Edge,
    pub owner: User,
    pub project: String,
    pub env: String,
    pub key: String,
}

impl Scene {
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// With settings of the edge.
    pub async fn start_with(edge_settings: &[(&'static str, &str)]) -> Self {
        // On a machine that is busy with other tests an edge may need longer than the default to answer.
        let mut stack = Stack::start_with(&[("SNAPSHOT_WAIT", "3s")]).await;
        let owner = stack.signup("acme").await;
        let project = owner.default_project().await;
        let key = owner.api_key(&project.dev).await;
        let flags = format!("/v1/projects/{}/flags", project.id);
        let flag =
            json!({"key": FLAG, "name": "Greeting", "flag_type": "string", "default_value": "off"});
        owner.post(&flags, flag).await.expect_status(201);
        let edge = stack.edge_with(edge_settings).await;
        let scene = Self {
            stack,
            edge,
            owner,
            project: project.id,
            env: project.dev,
            key,
        };
        scene.serve("v0").await;
        scene.edge_serves("v0").await;
        scene
    }

    /// Makes the flag serve `value`, at the control plane; the answer of the write.
    pub async fn serve(&self, value: &str) -> Response {
        let answer = self
            .owner
            .put(&self.state_path(), state_serving(value))
            .await;
        answer.expect_status(200);
        answer
    }

    pub fn state_path(&self) -> String {
        format!(
            "/v1/projects/{}/flags/{FLAG}/environments/{}",
            self.project, self.env
        )
    }

    /// An SDK at the separate edge.
    pub fn sdk(&self) -> Caller {
        self.edge.with_key(&self.key)
    }

    /// What the edge says now.
    pub async fn value(&self) -> Value {
        value_at(&self.sdk()).await
    }

    /// Waits until the edge serves `value`.
    pub async fn edge_serves(&self, value: &str) {
        eventually_serves(&self.sdk(), value).await;
    }
}

pub fn state_serving(value: &str) -> Value {
    json!({"enabled": true, "default_value": value})
}

/// What the flag of the scene evaluates to.
///
/// # Panics
/// When the answer is no 200.
pub async fn value_at(sdk: &Caller) -> Value {
    let answer = sdk.post("/v1/evaluate", question()).await;
    answer.expect_status(200);
    answer.body["value"].clone()
}

/// Waits until the flag of the scene evaluates to `value`; refusals on the way are passed over.
pub async fn eventually_serves(sdk: &Caller, value: &str) {
    eventually(&format!("{} serves {value}", sdk.base()), || async {
        let request = sdk.request(Method::POST, "/v1/evaluate").json(&question());
        let answer = sdk.try_send(request).await.ok()?;
        (answer.status == 200 && answer.body["value"] == value).then_some(())
    })
    .await;
}

pub fn question() -> Value {
    json!({"flag_key": FLAG, "context": {"key": "user-1"}})
}

/// What an edge says about itself.
pub async fn readiness(edge: &Edge) -> Value {
    edge.admin().get("/ready").await.body
}
