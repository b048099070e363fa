//! What most of these tests begin with: an organization, a flag that is on, a key, an edge that serves it.

use harness::places::Release;
use harness::tunnel::Tunnel;
use harness::{Caller, Control, Edge, Response, Stack, User, eventually};
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
        Self::start_of(Release::Current, edge_settings).await
    }

    /// With the control plane and the edge of a release.
    pub async fn start_of(release: Release, edge_settings: &[(&'static str, &str)]) -> Self {
        Self::start_as(release, &[], edge_settings).await
    }

    /// With settings of the control plane.
    pub async fn start_at(control_settings: &[(&'static str, &str)]) -> Self {
        Self::start_as(Release::Current, control_settings, &[]).await
    }

    async fn start_as(
        release: Release,
        control_settings: &[(&'static str, &str)],
        edge_settings: &[(&'static str, &str)],
    ) -> Self {
        // On a machine that is busy with other tests an edge may need longer than the default to answer.
        let settings = [
            ("SNAPSHOT_WAIT", "3s"),
            ("WEBHOOK_ALLOWED_CIDRS", "127.0.0.0/8"),
        ];
        let settings = [&settings[..], control_settings].concat();
        let mut stack = Stack::start_of(release, &settings).await;
        let owner = stack.signup("acme").await;
        let project = owner.default_project().await;
        let key = owner.api_key(&project.dev).await;
        let flags = format!("/v1/projects/{}/flags", project.id);
        let flag =
            json!({"key": FLAG, "name": "Greeting", "flag_type": "string", "default_value": "off"});
        owner.create(&flags, flag).await;
        let mut edge = stack.enrolled_edge(edge_settings);
        edge.process.install(release);
        edge.start().await;
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

    /// Another control plane, which sees no more of the database once the tunnel hangs.
    pub async fn blind_control(&self) -> (Tunnel, Control) {
        let (tunnel, database) = Tunnel::to_database(self.stack.database().url()).await;
        let settings = [("DATABASE_URL", database.as_str())];
        let control = self.stack.another_control_with("blind", &settings).await;
        (tunnel, control)
    }

    /// Archives the flag and then deletes its project, and waits for both at an edge.
    pub async fn expect_deletions_at(&self, sdk: &Caller) {
        let project = format!("/v1/projects/{}", self.project);
        let archive = format!("{project}/flags/{FLAG}/archive");
        let archived = self.owner.post(&archive, Value::Null).await;
        archived.expect_status(204);
        let answer = sdk.post("/v1/evaluate", question()).await;
        answer.expect(
            200,
            json!({"flag_key": FLAG, "value": null, "reason": "NOT_FOUND", "variant_key": ""}),
        );
        self.owner.remove(&project).await;
        eventually("the key of a deleted project is refused", || async {
            let answer = sdk.post("/v1/evaluate", question()).await;
            (answer.status == 401).then_some(())
        })
        .await;
    }

    /// Makes the flag serve `value`, at the control plane; the answer of the write.
    pub async fn serve(&self, value: &str) -> Response {
        let path = self.state_path();
        self.owner.change(&path, state_serving(value)).await
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
    let answer = sdk.act("/v1/evaluate", question()).await;
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
