//! Attempts: when they are made, what counts as success, and what is recorded.

use harness::{Answer, eventually};
use serde_json::{Value, json};
use time::Duration;

use super::Scene;

/// What differs in every run is left out.
fn recorded(delivery: &Value) -> (String, i64, bool) {
    (
        delivery["event_type"].as_str().unwrap().to_owned(),
        delivery["response_status"].as_i64().unwrap(),
        delivery["success"].as_bool().unwrap(),
    )
}

fn test_that_ended(status: i64, success: bool) -> (String, i64, bool) {
    ("webhook.test".to_owned(), status, success)
}

#[tokio::test]
async fn a_test_is_delivered_and_recorded_like_any_other() {
    let scene = Scene::set().await;
    // Whatever the webhook listens to.
    let webhook = scene
        .webhook("/a", json!({"events": ["flag.killed"]}))
        .await;
    let answer = scene
        .owner
        .post(&format!("{webhook}/test"), Value::Null)
        .await;
    answer.expect(202, json!({"message": "test delivery queued"}));
    scene.settle().await;
    let received = scene.receiver.until(1).await;
    let id = webhook.rsplit('/').next().unwrap();
    let expected = json!({
        "type": "webhook.test", "flag_id": null, "env_id": null, "timestamp": "2026-05-04T12:00:00Z",
        "flag_key": null, "project_id": null, "project_slug": null, "env_slug": null,
        "actor": {"id": scene.owner.id, "name": "Owner", "type": "user"},
        "resource": {"type": "webhook", "id": id, "key": null, "name": "Chat"},
        "changed": [], "before": null, "after": null, "truncated": false,
        "url": "https://flags.example.com/",
    });
    assert_eq!(received[0].json(), expected);
    let page = scene.owner.get(&format!("{webhook}/deliveries")).await;
    let delivery = json!({
        "id": received[0].header("x-webhook-delivery"), "event_type": "webhook.test", "response_status": 200,
        "success": true, "delivered_at": "2026-05-04T12:00:01Z", "redelivery_of": null, "attempts": 1,
        "duration_ms": null, "error": null, "response_body": null,
    });
    let expected =
        json!({"data": [delivery], "total": 1, "limit": 50, "offset": 0, "has_more": false});
    page.expect(200, expected);
}

#[tokio::test]
async fn three_attempts_are_made_after_1_4_and_9_seconds_with_the_same_body() {
    let scene = Scene::set().await;
    let webhook = scene.webhook("/a", json!({"secret": "s3cret"})).await;
    scene
        .receiver
        .answers([Answer::Status(500), Answer::Close, Answer::Status(404)]);
    scene.toggle(true).await;
    scene.until_pending(1).await;
    for (number, wait) in [(1, 1), (2, 4), (3, 9)] {
        assert_eq!(
            scene.due_at().await,
            scene.app.clock.now() + Duration::seconds(wait)
        );
        assert_eq!(scene.receiver.received().len(), number - 1);
        scene.pass(wait.unsigned_abs());
        scene.receiver.until(number).await;
    }
    let deliveries = scene.until_delivered(&webhook, 1).await;
    scene.until_pending(0).await;
    assert_eq!(
        recorded(&deliveries[0]),
        ("flag.updated".to_owned(), 404, false)
    );
    assert_eq!(deliveries[0]["delivered_at"], "2026-05-04T12:00:14Z");
    let received = scene.receiver.received();
    assert_eq!(received.len(), 3);
    let without_time = |one: &harness::Received| {
        let mut headers = one.headers.clone();
        headers
            .remove("x-service-signature-v2")
            .expect("a signature");
        headers
    };
    for one in &received {
        assert_eq!(one.body, received[0].body);
        assert_eq!(without_time(one), without_time(&received[0]));
    }
}

/// A receiver that believes what was signed lately and under an id that it has not seen.
#[derive(Default)]
struct Careful(std::collections::HashSet<String>);

impl Careful {
    fn believes(
        &mut self,
        one: &harness::Received,
        secret: &str,
        now: time::OffsetDateTime,
    ) -> bool {
        let header = one.header("x-service-signature-v2");
        let part = |name: &str| {
            let mut parts = header.split(',').filter_map(|part| part.split_once('='));
            parts
                .find(|(other, _)| *other == name)
                .unwrap()
                .1
                .to_owned()
        };
        let (sent_at, id, signature) = (part("t"), part("id"), part("v1"));
        let signed = [format!("{sent_at}.{id}.").as_bytes(), &one.body].concat();
        let age = now.unix_timestamp() - sent_at.parse::<i64>().unwrap();
        harness::receiver::hmac(secret.as_bytes(), &signed) == signature
            && age.abs() <= 300
            && self.0.insert(id)
    }
}

#[tokio::test]
async fn a_receiver_can_tell_what_somebody_else_sends_again() {
    let scene = Scene::set().await;
    let webhook = scene.webhook("/a", json!({"secret": "s3cret"})).await;
    scene.test(&webhook).await;
    scene.settle().await;
    let received = scene.receiver.until(1).await.remove(0);
    let now = scene.app.clock.now();
    let header = received.header("x-service-signature-v2");
    let delivery = received.header("x-webhook-delivery");
    let expected = format!("t={},id={delivery},v1=", now.unix_timestamp());
    assert_eq!(header[..expected.len()], expected);

    let mut receiver = Careful::default();
    assert!(!receiver.believes(&received, "another", now));
    assert!(receiver.believes(&received, "s3cret", now));
    assert!(!receiver.believes(&received, "s3cret", now), "seen before");
    let late = now + Duration::minutes(6);
    assert!(!Careful::default().believes(&received, "s3cret", late));
    for (from, to) in [("t=", "t=1"), ("id=", "id=0")] {
        let mut forged = received.clone();
        let value = header.replacen(from, to, 1).parse().unwrap();
        forged.headers.insert("x-service-signature-v2", value);
        assert!(!Careful::default().believes(&forged, "s3cret", now), "{to}");
    }
}

#[tokio::test]
async fn the_first_success_ends_a_delivery() {
    let scene = Scene::set().await;
    let webhook = scene.webhook("/a", json!({})).await;
    scene
        .receiver
        .answers([Answer::Status(503), Answer::Status(204)]);
    scene.test(&webhook).await;
    scene.until_pending(1).await;
    scene.pass(1);
    scene.receiver.until(1).await;
    scene.due_at().await;
    scene.pass(4);
    scene.until_pending(0).await;
    let deliveries = scene.deliveries(&webhook).await;
    assert_eq!(deliveries.len(), 1);
    assert_eq!(recorded(&deliveries[0]), test_that_ended(204, true));
    assert_eq!(scene.receiver.received().len(), 2);
}

#[tokio::test]
async fn a_redirect_is_a_failure_and_is_not_followed() {
    let scene = Scene::set_with(&[("WEBHOOK_RETRY_WAITS", "1s")]).await;
    let webhook = scene.webhook("/a", json!({})).await;
    let elsewhere = scene.receiver.url("/elsewhere");
    scene.receiver.answers([Answer::Redirect(elsewhere)]);
    scene.test(&webhook).await;
    scene.settle().await;
    let deliveries = scene.deliveries(&webhook).await;
    assert_eq!(recorded(&deliveries[0]), test_that_ended(302, false));
    assert_eq!(scene.receiver.received().len(), 1);
}

#[tokio::test]
async fn a_receiver_that_does_not_answer_is_given_up_after_the_timeout() {
    let settings = [("WEBHOOK_RETRY_WAITS", "1s"), ("WEBHOOK_TIMEOUT", "200ms")];
    let scene = Scene::set_with(&settings).await;
    let webhook = scene.webhook("/a", json!({})).await;
    scene.receiver.answers([Answer::Hang]);
    scene.test(&webhook).await;
    scene.settle().await;
    let deliveries = scene.deliveries(&webhook).await;
    assert_eq!(recorded(&deliveries[0]), test_that_ended(0, false));
}

#[tokio::test]
async fn a_receiver_that_is_down_is_recorded_without_a_status() {
    let scene = Scene::set_with(&[("WEBHOOK_RETRY_WAITS", "1s")]).await;
    let webhook = scene.webhook("/a", json!({})).await;
    scene.receiver.go_down().await;
    scene.test(&webhook).await;
    scene.settle().await;
    let deliveries = scene.deliveries(&webhook).await;
    assert_eq!(recorded(&deliveries[0]), test_that_ended(0, false));
}

#[tokio::test]
async fn an_answer_without_end_is_read_no_further_than_its_beginning() {
    let scene = Scene::set().await;
    let webhook = scene.webhook("/a", json!({})).await;
    scene.receiver.answers([Answer::Endless]);
    scene.test(&webhook).await;
    scene.settle().await;
    let deliveries = scene.deliveries(&webhook).await;
    assert_eq!(recorded(&deliveries[0]), test_that_ended(200, true));
}

#[tokio::test]
async fn a_disabled_webhook_is_not_delivered_to_before_the_next_attempt() {
    let scene = Scene::set().await;
    let webhook = scene.webhook("/a", json!({})).await;
    scene.first_attempt_fails().await;
    let body = json!({"enabled": false});
    scene.owner.change(&webhook, body).await;
    // What happens while it is disabled is not kept for it.
    scene.toggle(false).await;
    scene.pass(4);
    scene.until_pending(0).await;
    let deliveries = scene.deliveries(&webhook).await;
    assert_eq!(deliveries.len(), 1);
    assert_eq!(
        recorded(&deliveries[0]),
        ("flag.updated".to_owned(), 0, false)
    );

    let body = json!({"enabled": true});
    scene.owner.change(&webhook, body).await;
    scene.toggle(true).await;
    scene.settle().await;
    assert_eq!(scene.receiver.received().len(), 2);
}

#[tokio::test]
async fn a_test_of_a_disabled_webhook_is_a_failed_delivery() {
    let scene = Scene::set().await;
    let webhook = scene.webhook("/a", json!({})).await;
    let body = json!({"enabled": false});
    scene.owner.change(&webhook, body).await;
    scene.test(&webhook).await;
    scene.settle().await;
    let deliveries = scene.deliveries(&webhook).await;
    assert_eq!(recorded(&deliveries[0]), test_that_ended(0, false));
    assert!(scene.receiver.received().is_empty());
}

#[tokio::test]
async fn a_deleted_webhook_is_not_delivered_to_before_the_next_attempt() {
    let scene = Scene::set().await;
    let gone = scene.webhook("/gone", json!({})).await;
    scene.first_attempt_fails().await;
    scene.owner.remove(&gone).await;
    let stays = scene.webhook("/stays", json!({})).await;
    scene.pass(4);
    scene.test(&stays).await;
    scene.settle().await;
    let received = scene.receiver.received();
    let paths: Vec<_> = received.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(paths, ["/gone", "/stays"]);
}

#[tokio::test]
async fn an_attempt_goes_to_the_address_of_its_time() {
    let scene = Scene::set().await;
    let webhook = scene.webhook("/old", json!({})).await;
    scene.first_attempt_fails().await;
    let body = json!({"url": scene.receiver.url("/new")});
    scene.owner.change(&webhook, body).await;
    scene.pass(4);
    let received = scene.receiver.until(2).await;
    assert_eq!(received[1].path, "/new");
    assert_eq!(received[1].body, received[0].body);
}

#[tokio::test]
async fn the_last_50_deliveries_are_kept_the_newest_first() {
    let scene = Scene::set().await;
    let webhook = scene.webhook("/a", json!({})).await;
    for number in [3, 50] {
        for _ in 0..number {
            scene.test(&webhook).await;
        }
        scene.settle().await;
    }
    let received = scene.receiver.received();
    assert_eq!(received.len(), 53);
    let deliveries = scene.deliveries(&webhook).await;
    let kept: Vec<_> = deliveries
        .iter()
        .map(|one| one["id"].as_str().unwrap())
        .collect();
    let newest: Vec<_> = received[3..]
        .iter()
        .rev()
        .map(|one| one.header("x-webhook-delivery"))
        .collect();
    assert_eq!(kept, newest);
    let page = scene
        .owner
        .get(&format!("{webhook}/deliveries?limit=20&offset=40"))
        .await;
    page.expect_status(200);
    assert_eq!(page.body["data"].as_array().unwrap()[..], deliveries[40..]);
    assert_eq!(page.body["total"], 50);
    assert_eq!(page.body["has_more"], false);
}

/// A delivery whose outcome was not stored is made again once the lease has ended, with the same id.
#[tokio::test]
async fn a_delivery_that_nobody_finished_is_made_again() {
    let scene = Scene::set().await;
    let webhook = scene.webhook("/a", json!({})).await;
    scene.receiver.hold();
    scene.test(&webhook).await;
    scene.until_pending(1).await;
    scene.pass(1);
    scene.receiver.until(1).await;
    // Somebody else took over, as when this replica had been cut off.
    scene
        .app
        .execute("UPDATE webhook_lanes SET lease = gen_random_uuid()", &[])
        .await;
    scene.receiver.release();
    eventually(
        "the second attempt is made when the lease has ended",
        async || {
            scene.pass(5);
            (scene.receiver.received().len() == 2).then_some(())
        },
    )
    .await;
    scene.until_pending(0).await;
    let received = scene.receiver.received();
    assert_eq!(received[0].headers, received[1].headers);
    assert_eq!(received[0].body, received[1].body);
    assert_eq!(scene.deliveries(&webhook).await.len(), 1);
}
