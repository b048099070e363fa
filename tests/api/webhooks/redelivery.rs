//! Deliveries that are made again, and what the list says about each.

use harness::Answer;
use serde_json::{Value, json};

use super::Scene;

/// One attempt for each delivery.
const ONCE: (&str, &str) = ("WEBHOOK_RETRY_WAITS", "1s");

impl Scene {
    /// A delivery that failed, as the list shows it.
    async fn failed(&self, webhook: &str, status: u16) -> Value {
        let ended = self.deliveries(webhook).await.len();
        self.receiver.answers([Answer::Status(status)]);
        self.toggle(ended % 2 == 0).await;
        self.settle().await;
        self.until_delivered(webhook, ended + 1).await.remove(0)
    }

    async fn redeliver(&self, webhook: &str, delivery: &Value) -> harness::Response {
        let id = delivery["id"].as_str().unwrap();
        let path = format!("{webhook}/deliveries/{id}/redeliver");
        self.owner.post(&path, Value::Null).await
    }

    async fn redeliver_since(&self, webhook: &str, since: &str) -> harness::Response {
        let path = format!("{webhook}/redeliver");
        self.owner.post(&path, json!({"since": since})).await
    }
}

const LONG_AGO: &str = "2026-01-01T00:00:00Z";

#[tokio::test]
async fn a_delivery_is_made_again_with_the_same_body_under_a_new_id() {
    let scene = Scene::set_with(&[ONCE]).await;
    let webhook = scene.webhook("/a", json!({"secret": "s3cret"})).await;
    let failed = scene.failed(&webhook, 500).await;
    // The flag has another name by now, and the body the one of then.
    let flag = format!("{}/checkout", scene.flags);
    let other = json!({"events": ["flag.deleted"]});
    scene.owner.change(&webhook, other).await;
    scene.owner.change(&flag, json!({"name": "Renamed"})).await;
    let answer = scene.redeliver(&webhook, &failed).await;
    answer.expect(202, json!({"message": "redelivery queued"}));
    scene.settle().await;

    let received = scene.receiver.received();
    assert_eq!(received.len(), 2);
    assert_eq!(received[0].body, received[1].body);
    assert!(received[1].is_signed_with("s3cret"));
    let id = received[1].header("x-webhook-delivery");
    assert_ne!(id, received[0].header("x-webhook-delivery"));
    let deliveries = scene.deliveries(&webhook).await;
    assert_eq!(deliveries.len(), 2);
    let expected = json!({
        "id": id, "event_type": "flag.updated", "response_status": 200, "success": true,
        "delivered_at": deliveries[0]["delivered_at"], "redelivery_of": failed["id"], "attempts": 1,
        "duration_ms": null, "error": null, "response_body": null,
    });
    assert_eq!(deliveries[0], expected);
    // Also what succeeded, and what was itself made again.
    let again = scene.redeliver(&webhook, &deliveries[0]).await;
    again.expect_status(202);
    scene.settle().await;
    assert_eq!(scene.receiver.received()[2].body, received[0].body);
}

#[tokio::test]
async fn what_failed_since_a_time_is_made_again_once_in_its_order() {
    let scene = Scene::set_with(&[ONCE]).await;
    let webhook = scene.webhook("/a", json!({})).await;
    scene.failed(&webhook, 500).await;
    scene.pass(60);
    let middle = "2026-05-04T12:00:30Z";
    scene.failed(&webhook, 500).await;
    scene.failed(&webhook, 200).await;
    scene.failed(&webhook, 404).await;
    scene.receiver.hold();
    let queued = |number: u64| json!({"message": "redeliveries queued", "queued": number});
    let answer = scene.redeliver_since(&webhook, middle).await;
    answer.expect(202, queued(2));
    // Those wait already.
    let answer = scene.redeliver_since(&webhook, LONG_AGO).await;
    answer.expect(202, queued(1));
    scene
        .redeliver_since(&webhook, LONG_AGO)
        .await
        .expect(202, queued(0));
    scene.receiver.release();
    scene.settle().await;
    scene
        .redeliver_since(&webhook, LONG_AGO)
        .await
        .expect(202, queued(0));

    let received = scene.receiver.received();
    let bodies: Vec<_> = received.iter().map(|one| one.body.clone()).collect();
    assert_eq!(bodies.len(), 7);
    assert_eq!(
        bodies[4..],
        [bodies[1].clone(), bodies[3].clone(), bodies[0].clone()]
    );
    assert_eq!(scene.deliveries(&webhook).await.len(), 7);
}

#[tokio::test]
async fn an_event_that_was_dropped_can_be_made_again() {
    let scene = Scene::set_with(&[ONCE, ("WEBHOOK_QUEUE_SIZE", "1")]).await;
    let webhook = scene.webhook("/a", json!({})).await;
    scene.receiver.hold();
    scene.toggle(true).await;
    scene.until_pending(1).await;
    scene.toggle(false).await;
    let dropped = scene.until_delivered(&webhook, 1).await.remove(0);
    assert_eq!(dropped["error"], "dropped: too many events were waiting");
    assert_eq!(
        (&dropped["attempts"], &dropped["response_status"]),
        (&json!(0), &json!(0))
    );
    let full = "too many events are waiting";
    scene
        .redeliver(&webhook, &dropped)
        .await
        .expect_error(409, full);
    scene
        .redeliver_since(&webhook, LONG_AGO)
        .await
        .expect_error(409, full);
    scene.receiver.release();
    scene.settle().await;
    scene.redeliver(&webhook, &dropped).await.expect_status(202);
    scene.settle().await;
    let bodies = scene.bodies("/a");
    assert_eq!(bodies.len(), 2);
    assert_eq!(bodies[1]["after"], json!({"enabled": false}));
}

#[tokio::test]
async fn a_delivery_that_waits_to_be_repeated_is_409() {
    let scene = Scene::set_with(&[ONCE]).await;
    let webhook = scene.webhook("/a", json!({})).await;
    let failed = scene.failed(&webhook, 500).await;
    scene.receiver.hold();
    // Of two at once one is queued.
    let (one, other) = tokio::join!(
        scene.redeliver(&webhook, &failed),
        scene.redeliver(&webhook, &failed)
    );
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [202, 409]);
    scene.until_pending(1).await;
    let answer = scene.redeliver(&webhook, &failed).await;
    answer.expect_error(409, "the delivery waits to be repeated");
    scene.receiver.release();
    scene.until_pending(0).await;
}

#[tokio::test]
async fn a_disabled_webhook_is_sent_nothing_again() {
    let scene = Scene::set_with(&[ONCE]).await;
    let webhook = scene.webhook("/a", json!({})).await;
    let failed = scene.failed(&webhook, 500).await;
    scene
        .owner
        .change(&webhook, json!({"enabled": false}))
        .await;
    let words = "the webhook is disabled";
    scene
        .redeliver(&webhook, &failed)
        .await
        .expect_error(409, words);
    scene
        .redeliver_since(&webhook, LONG_AGO)
        .await
        .expect_error(409, words);
}

#[tokio::test]
async fn a_delivery_whose_body_is_gone_is_409() {
    let scene = Scene::set_with(&[ONCE]).await;
    let webhook = scene.webhook("/a", json!({})).await;
    let failed = scene.failed(&webhook, 500).await;
    scene.app.execute("DELETE FROM webhook_contents", &[]).await;
    let answer = scene.redeliver(&webhook, &failed).await;
    answer.expect_error(409, "the body is no longer kept");
    let answer = scene.redeliver_since(&webhook, LONG_AGO).await;
    answer.expect(202, json!({"message": "redeliveries queued", "queued": 0}));
}

#[tokio::test]
async fn copies_beyond_the_organizations_bytes_are_409() {
    let scene = Scene::set_with(&[ONCE]).await;
    let webhook = scene.webhook("/a", json!({})).await;
    let failed = scene.failed(&webhook, 500).await;
    scene
        .app
        .execute("UPDATE webhook_heads SET content_bytes = 33554432", &[])
        .await;
    let full = "too many events are waiting";
    scene
        .redeliver(&webhook, &failed)
        .await
        .expect_error(409, full);
    scene
        .redeliver_since(&webhook, LONG_AGO)
        .await
        .expect_error(409, full);
}

#[tokio::test]
async fn deliveries_of_other_webhooks_and_organizations_are_404() {
    let scene = Scene::set_with(&[ONCE]).await;
    let webhook = scene.webhook("/a", json!({})).await;
    let failed = scene.failed(&webhook, 500).await;
    let beside = scene.webhook("/b", json!({})).await;
    let answer = scene.redeliver(&beside, &failed).await;
    answer.expect_error(404, "delivery not found");
    let stranger = scene.app.proven("stranger").await;
    let id = failed["id"].as_str().unwrap();
    let path = format!("{webhook}/deliveries/{id}/redeliver");
    let answer = stranger.post(&path, Value::Null).await;
    answer.expect_error(404, "webhook not found");
    let path = format!("{webhook}/redeliver");
    let answer = stranger.post(&path, json!({"since": LONG_AGO})).await;
    answer.expect_error(404, "webhook not found");
}

#[tokio::test]
async fn since_is_required_and_a_time() {
    let scene = Scene::set().await;
    let webhook = scene.webhook("/a", json!({})).await;
    let path = format!("{webhook}/redeliver");
    let answer = scene.owner.post(&path, json!({})).await;
    answer.expect_error(400, "since is required");
    let answer = scene.owner.post(&path, json!({"since": "yesterday"})).await;
    answer.expect_error(400, "since must be an RFC 3339 date-time");
}

/// Receivers of tests have private addresses, so the list tells nothing else about them.
#[tokio::test]
async fn the_list_says_why_a_delivery_failed() {
    let scene = Scene::set_with(&[ONCE, ("WEBHOOK_TIMEOUT", "200ms")]).await;
    let webhook = scene.webhook("/a", json!({})).await;
    let told = async || {
        scene.test(&webhook).await;
        scene.settle().await;
        let delivery = scene.deliveries(&webhook).await.remove(0);
        assert_eq!(
            (&delivery["response_body"], &delivery["duration_ms"]),
            (&Value::Null, &Value::Null)
        );
        (delivery["error"].clone(), delivery["attempts"].clone())
    };
    for (answer, error) in [
        (Answer::Status(500), "answered with status 500"),
        (
            Answer::Redirect("/".to_owned()),
            "redirects are not followed",
        ),
        (Answer::Hang, "no answer"),
    ] {
        scene.receiver.answers([answer]);
        assert_eq!(told().await, (json!(error), json!(1)));
    }
    let url = json!({"url": "https://192.0.2.7/"});
    scene.owner.change(&webhook, url).await;
    let stored = scene.receiver.url("/").replace("127.0.0.1", "10.0.0.1");
    scene
        .app
        .execute("UPDATE webhooks SET url = $1", &[&stored])
        .await;
    assert_eq!(told().await.0, "the address is no longer allowed");
    scene
        .owner
        .change(&webhook, json!({"enabled": false}))
        .await;
    assert_eq!(told().await, (json!("the webhook was disabled"), json!(0)));
}

#[tokio::test]
async fn a_delivery_shows_the_body_that_was_sent_in_the_format_of_then() {
    let scene = Scene::set_with(&[ONCE]).await;
    let webhook = scene.webhook("/a", json!({"format": "slack"})).await;
    let failed = scene.failed(&webhook, 500).await;
    let format = json!({"format": "json", "name": "Other"});
    scene.owner.change(&webhook, format).await;
    let path = format!("{webhook}/deliveries/{}", failed["id"].as_str().unwrap());
    let sent = String::from_utf8(scene.receiver.received()[0].body.to_vec()).unwrap();
    let detail = |body: Value| {
        let mut expected = failed.clone();
        expected["body"] = body;
        expected
    };
    let shown = scene.owner.get(&path).await;
    shown.expect(200, detail(json!(sent)));
    scene.app.execute("DELETE FROM webhook_contents", &[]).await;
    scene
        .owner
        .get(&path)
        .await
        .expect(200, detail(Value::Null));
}

#[tokio::test]
async fn a_delivery_shows_more_of_its_answer_than_the_list() {
    let scene = Scene::set_with(&[ONCE]).await;
    let webhook = scene.webhook("/a", json!({})).await;
    let failed = scene.failed(&webhook, 500).await;
    let stored = "UPDATE webhook_deliveries SET response_body = $1";
    scene.app.execute(stored, &[&"é".repeat(2_048)]).await;
    let path = format!("{webhook}/deliveries/{}", failed["id"].as_str().unwrap());
    let shown = scene.owner.get(&path).await;
    assert_eq!(shown.text("/response_body"), "é".repeat(2_048));
    let listed = scene.deliveries(&webhook).await.remove(0);
    assert_eq!(listed["response_body"], json!("é".repeat(512)));
}

#[tokio::test]
async fn an_unknown_delivery_and_one_of_another_webhook_are_404() {
    let scene = Scene::set_with(&[ONCE]).await;
    let webhook = scene
        .webhook("/a", json!({"events": ["flag.updated"]}))
        .await;
    let other = scene
        .webhook("/b", json!({"events": ["flag.killed"]}))
        .await;
    let failed = scene.failed(&webhook, 500).await;
    let id = failed["id"].as_str().unwrap();
    let unknown = format!("{webhook}/deliveries/{}", scene.flag_id);
    for path in [format!("{other}/deliveries/{id}"), unknown] {
        let answer = scene.owner.get(&path).await;
        answer.expect(404, json!({"error": "delivery not found"}));
    }
}
