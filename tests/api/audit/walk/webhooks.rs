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

        self.redeliveries(owner, &path).await;

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

        self.until_shared_out().await;

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

    /// Of a delivery whose next attempt is far away.
    async fn redeliveries(&mut self, owner: &User, path: &str) {
        let delivery: String = self
            .app
            .value(
                "WITH head AS (
                     UPDATE webhook_heads SET last_position = last_position + 1 WHERE org_id = $1::uuid RETURNING org_id, last_position
                 ), stored AS (
                     INSERT INTO webhook_contents
                         (org_id, position, event_type, happened_at, actor_type, subject, truncated, bytes)
                     SELECT org_id, last_position, 'flag.created', '2100-01-01T00:00:00Z', 'system',
                            '{\"resource\": {\"type\": \"flag\", \"id\": \"\"}, \"changed\": []}', false, 100
                     FROM head
                 )
                 INSERT INTO webhook_deliveries
                     (id, webhook_id, org_id, event_type, response_status, success, delivered_at, position)
                 SELECT gen_random_uuid(), webhooks.id, org_id, 'flag.created', 500, false, '2026-01-01T00:00:00Z', last_position
                 FROM head
                 JOIN webhooks USING (org_id)
                 RETURNING id::text",
                &[&owner.org_id],
            )
            .await;
        let one = format!("{path}/deliveries/{delivery}/redeliver");
        let all = format!("{path}/redeliver");
        let since = json!({"since": "2026-01-01T00:00:00Z"});
        for (endpoint, path, body, refused) in [
            (
                "POST /v1/webhooks/{webhookID}/redeliver",
                all,
                since,
                Some(Refused::Body(json!({}), 400)),
            ),
            (
                "POST /v1/webhooks/{webhookID}/deliveries/{deliveryID}/redeliver",
                one,
                Value::Null,
                None,
            ),
        ] {
            // Those that wait would be in the way of the second.
            self.app
                .execute("UPDATE webhook_queue SET redelivery_of = NULL", &[])
                .await;
            let step = Step {
                endpoint,
                path,
                by: Some(owner),
                body,
                status: 202,
                refused,
                writes: &[],
                states: States::Any,
            };
            self.step(step).await;
            self.until_shared_out().await;
        }
    }

    /// Waits for a job, which would otherwise change tables while the next step looks at them.
    async fn until_shared_out(&self) {
        eventually("the events are in the queue", async || {
            let events = sqlx::query_scalar("SELECT COUNT(*) FROM webhook_events");
            let events: i64 = events.fetch_one(self.app.pool()).await.unwrap();
            (events == 0).then_some(())
        })
        .await;
    }
}
