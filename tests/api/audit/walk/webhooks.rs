//! Webhooks. What their entries show of an address is less than what owners see: their own tests say it.

use harness::{User, eventually};
use serde_json::{Value, json};

use super::{Refused, States, Step, Walk};

impl Walk {
    pub(super) async fn webhooks(&mut self, owner: &User) {
        let body = json!({"name": "Chat", "url": "https://192.0.2.1/hooks", "secret": "signs-what-is-sent"});
        let step = |endpoint, path: &str, body, status, refused, writes| Step {
            endpoint,
            path: path.to_owned(),
            by: Some(owner),
            body,
            status,
            refused,
            writes,
            states: States::Any,
        };
        let refused = Some(Refused::Body(json!({"name": "Chat"}), 400));
        let created = step(
            "POST /v1/webhooks",
            "/v1/webhooks",
            body,
            201,
            refused,
            &["webhook.created"],
        );
        let (created, _) = self.step(created).await;
        let path = format!("/v1/webhooks/{}", created.text("/id"));

        let endpoint = "PUT /v1/webhooks/{webhookID}";
        let body = json!({"enabled": false, "secret": "signs-from-now-on"});
        let refused = Some(Refused::Body(json!({"enabled": null}), 400));
        self.step(step(
            endpoint,
            &path,
            body,
            200,
            refused,
            &["webhook.updated"],
        ))
        .await;

        let endpoint = "POST /v1/webhooks/{webhookID}/test";
        let test = format!("{path}/test");
        self.step(step(endpoint, &test, Value::Null, 202, None, &[]))
            .await;

        // Shared out by a job, which would otherwise change tables while the next step looks at them.
        eventually("the test is in the queue", async || {
            let events = sqlx::query_scalar("SELECT COUNT(*) FROM webhook_events");
            let events: i64 = events.fetch_one(self.app.pool()).await.unwrap();
            (events == 0).then_some(())
        })
        .await;

        let endpoint = "DELETE /v1/webhooks/{webhookID}";
        self.step(step(
            endpoint,
            &path,
            Value::Null,
            204,
            None,
            &["webhook.deleted"],
        ))
        .await;
    }
}
