//! Webhooks: what owners and admins set up, and what receivers get.

mod bounds;
mod chat;
mod contents;
mod crud;
mod delivery;
mod events;
mod guard;
mod order;
mod outbox;
mod pace;
mod queue;
mod redelivery;
mod refusals;
mod replicas;
mod resources;

use std::time::Duration;

use harness::{Answer, App, Receiver, User, eventually};
use serde_json::{Value, json};
use time::OffsetDateTime;

/// Receivers of tests are on this machine, which webhooks may not call unless the operator says so.
const LOOPBACK: (&str, &str) = ("WEBHOOK_ALLOWED_CIDRS", "127.0.0.0/8");

/// Where links in bodies lead.
const DASHBOARD: &str = "https://flags.example.com";

/// An organization with a flag, and somebody who receives its webhooks.
struct Scene {
    app: App,
    owner: User,
    receiver: Receiver,
    /// The path of its flags, below which is that of the flag `checkout`.
    flags: String,
    project: String,
    dev: String,
    staging: String,
    flag_id: String,
}

impl Scene {
    async fn set() -> Self {
        Self::set_with(&[]).await
    }

    async fn set_with(settings: &[(&str, &str)]) -> Self {
        let app =
            App::start_with(&[&[LOOPBACK, ("DASHBOARD_URL", DASHBOARD)], settings].concat()).await;
        let owner = app.proven("acme").await;
        app.set_plan(&owner, "enterprise").await;
        let project = owner.default_project().await;
        let flags = format!("/v1/projects/{}/flags", project.id);
        let flag = json!({"key": "checkout", "name": "Checkout"});
        let flag = owner.create(&flags, flag).await;
        Self {
            flag_id: flag.text("/id"),
            app,
            owner,
            receiver: Receiver::start(),
            flags,
            project: project.id,
            dev: project.dev,
            staging: project.staging,
        }
    }

    /// A webhook that leads to the receiver, at this path; its path in the API.
    async fn webhook(&self, path: &str, more: Value) -> String {
        let mut body = json!({"name": "Chat", "url": self.receiver.url(path)});
        let fields = body.as_object_mut().unwrap();
        fields.extend(more.as_object().unwrap().clone());
        let created = self.owner.create("/v1/webhooks", body).await;
        format!("/v1/webhooks/{}", created.text("/id"))
    }

    /// Changes the state of the flag in dev: one event.
    async fn toggle(&self, enabled: bool) {
        let state = format!("{}/checkout/environments/{}", self.flags, self.dev);
        let body = json!({"enabled": enabled});
        self.owner.change(&state, body).await;
    }

    /// The bodies that came at this path, in their order.
    fn bodies(&self, path: &str) -> Vec<Value> {
        let received = self.receiver.received();
        let here = received.iter().filter(|one| one.path == path);
        here.map(harness::Received::json).collect()
    }

    /// Asks for a test delivery.
    async fn test(&self, webhook: &str) {
        let path = format!("{webhook}/test");
        self.owner.post(&path, Value::Null).await.expect_status(202);
    }

    fn pass(&self, seconds: u64) {
        self.app.clock.advance(Duration::from_secs(seconds));
    }

    /// Makes an event whose first attempt is answered with 500; the second waits.
    async fn first_attempt_fails(&self) {
        self.receiver.answers([Answer::Status(500)]);
        self.toggle(true).await;
        self.until_pending(1).await;
        self.pass(1);
        self.receiver.until(1).await;
        self.due_at().await;
    }

    /// Waits until nothing is on its way, letting the first second of what was just committed pass.
    async fn settle(&self) {
        self.until_shared_out().await;
        self.pass(1);
        self.until_pending(0).await;
    }

    /// Waits until what was committed is in the queues of those who listen.
    async fn until_shared_out(&self) {
        eventually("all events are shared out", async || {
            (self.number("SELECT COUNT(*) FROM webhook_events").await == 0).then_some(())
        })
        .await;
    }

    /// Waits until so many deliveries are on their way.
    async fn until_pending(&self, number: i64) {
        self.until_shared_out().await;
        eventually(&format!("{number} deliveries wait"), async || {
            let pending = "SELECT COUNT(*) FROM webhook_queue";
            (self.number(pending).await == number).then_some(())
        })
        .await;
    }

    /// When the only lane that has something to do is due next; waits until nobody works on it.
    async fn due_at(&self) -> OffsetDateTime {
        eventually("nobody works on the lane", async || {
            let due = sqlx::query_scalar(
                "SELECT due_at FROM webhook_lanes WHERE due_at IS NOT NULL AND lease IS NULL",
            );
            due.fetch_optional(self.app.pool()).await.unwrap()
        })
        .await
    }

    async fn number(&self, query: &'static str) -> i64 {
        let number = sqlx::query_scalar(query);
        number.fetch_one(self.app.pool()).await.unwrap()
    }

    /// The deliveries of a webhook, the newest first.
    async fn deliveries(&self, webhook: &str) -> Vec<Value> {
        let path = format!("{webhook}/deliveries?limit=100");
        let answer = self.owner.get(&path).await;
        answer.expect_status(200);
        answer.body["data"].as_array().unwrap().clone()
    }

    /// Waits until so many deliveries of a webhook have ended.
    async fn until_delivered(&self, webhook: &str, number: usize) -> Vec<Value> {
        eventually(&format!("{number} deliveries have ended"), async || {
            let deliveries = self.deliveries(webhook).await;
            (deliveries.len() >= number).then_some(deliveries)
        })
        .await
    }
}
