//! What these tests begin with.

use harness::{Caller, Edge, Stack, User};
use reqwest::Method;
use serde_json::json;

use super::collector::{Collector, Span};
use crate::scene::{FLAG, eventually_serves, state_serving};

/// The collector's.
pub const TOKEN: &str = "collector-token-that-is-secret";

/// A control plane, a relay, an edge below that, and a collector of all three.
pub struct Scene {
    pub collector: Collector,
    pub stack: Stack,
    pub owner: User,
    pub project: String,
    pub env: String,
    pub key: String,
    pub relay: Edge,
    pub leaf: Edge,
}

impl Scene {
    pub async fn start() -> Self {
        let collector = Collector::start();
        let mut settings = collector.settings();
        let headers = format!("authorization=Bearer {TOKEN}");
        settings.push(("OTEL_EXPORTER_OTLP_HEADERS", headers));
        settings.push(("LOG_FORMAT", "json".to_owned()));
        settings.push(("LOG_LEVEL", "debug".to_owned()));
        let settings: Vec<_> = settings
            .iter()
            .map(|(name, value)| (*name, &**value))
            .collect();
        let control = [
            ("WEBHOOK_ALLOWED_CIDRS", "127.0.0.0/8"),
            ("SNAPSHOT_WAIT", "3s"),
        ];
        let mut stack = Stack::start_with(&[&settings[..], &control].concat()).await;
        let owner = stack.proven("acme").await;
        let project = owner.default_project().await;
        let key = owner.api_key(&project.dev).await;
        let flags = format!("/v1/projects/{}/flags", project.id);
        let flag =
            json!({"key": FLAG, "name": "Greeting", "flag_type": "string", "default_value": "off"});
        owner.create(&flags, flag).await;
        let quic = stack.quic().to_owned();
        let mut relay = stack.enrolled_relay_below(&[&quic], None);
        for (name, value) in &settings {
            relay.process.set(name, value);
        }
        relay.start().await;
        let mut leaf = stack.enrolled_edge_below(&[&relay.relay_address()], &settings);
        leaf.start().await;
        let (project, env) = (project.id, project.dev);
        let scene = Self {
            collector,
            stack,
            owner,
            project,
            env,
            key,
            relay,
            leaf,
        };
        scene.serve("v0", None).await;
        eventually_serves(&scene.sdk(), "v0").await;
        scene
    }

    pub fn sdk(&self) -> Caller {
        self.leaf.with_key(&self.key)
    }

    /// Makes the flag serve a value; the version.
    pub async fn serve(&self, value: &str, traceparent: Option<&str>) -> String {
        let path = format!(
            "/v1/projects/{}/flags/{FLAG}/environments/{}",
            self.project, self.env
        );
        let mut request = self
            .owner
            .request(Method::PUT, &path)
            .json(&state_serving(value));
        if let Some(traceparent) = traceparent {
            request = request.header("traceparent", traceparent);
        }
        let answer = self.owner.send(request).await;
        answer.expect_status(200);
        answer.header("x-snapshot-version").to_owned()
    }

    pub async fn step(&self, version: &str, name: &str, is_it: impl Fn(&Span) -> bool) -> Span {
        let is_of_version = |span: &Span| {
            span.name == name
                && span.attribute("halyard.version").as_deref() == Some(version)
                && span.attribute("halyard.environment.id").as_deref() == Some(&self.env)
        };
        let what = format!("{name} of {version}");
        self.collector
            .span(&what, |span| is_of_version(span) && is_it(span))
            .await
    }
}
