//! Queues: each webhook has one of its own, and it is bounded.

use harness::Answer;
use serde_json::{Value, json};

use super::Scene;

/// So many of them that nobody else would have a place, if places were shared.
const HANGING: usize = 20;

#[tokio::test]
async fn a_webhook_that_hangs_holds_up_no_other() {
    let scene = Scene::set().await;
    for _ in 0..HANGING {
        scene.webhook("/hangs", json!({})).await;
    }
    scene.receiver.hold();
    scene.toggle(true).await;
    scene.until_shared_out().await;
    scene.pass(1);
    scene.receiver.until(HANGING).await;

    let quick = harness::Receiver::start();
    let body = json!({"name": "Quick", "url": quick.url("/")});
    scene.owner.create("/v1/webhooks", body).await;
    for number in 1..=3 {
        scene.toggle(number % 2 == 0).await;
        scene.until_shared_out().await;
        scene.pass(1);
        quick.until(number).await;
    }
    // And none of those that hang is sent a second event before the first has ended.
    assert_eq!(scene.receiver.received().len(), HANGING);
    assert_eq!(scene.receiver.most_at_once(), HANGING);
    scene.receiver.release();
    scene.until_pending(0).await;
}

#[tokio::test]
async fn a_full_queue_drops_new_events_and_tells_it() {
    let scene = Scene::set_with(&[("WEBHOOK_QUEUE_SIZE", "3")]).await;
    let full = scene.webhook("/full", json!({})).await;
    let quick = harness::Receiver::start();
    let body = json!({"name": "Quick", "url": quick.url("/")});
    let created = scene.owner.post("/v1/webhooks", body).await;
    let other = format!("/v1/webhooks/{}", created.text("/id"));
    scene.receiver.hold();
    // One at a time, so that the other webhook keeps up.
    for number in 1..=5 {
        scene.toggle(number % 2 == 0).await;
        scene.until_shared_out().await;
        scene.pass(1);
        scene.until_delivered(&other, number).await;
    }
    let deliveries = scene.deliveries(&full).await;
    let failed: Vec<_> = deliveries
        .iter()
        .map(|one| (&one["event_type"], &one["response_status"], &one["success"]))
        .collect();
    let dropped = (&json!("flag.updated"), &json!(0), &json!(false));
    assert_eq!(failed, [dropped, dropped]);

    scene.receiver.release();
    scene.until_pending(0).await;
    assert_eq!(scene.receiver.received().len(), 3);
    assert_eq!(scene.deliveries(&full).await.len(), 5);
    // There is room again.
    scene.toggle(true).await;
    scene.settle().await;
    assert_eq!(scene.receiver.received().len(), 4);
}

/// However many events one organization has, what waits for its webhooks is bounded, and what is recorded of the rest.
#[tokio::test]
async fn a_flood_of_events_leaves_a_bounded_number_of_rows() {
    let scene = Scene::set().await;
    let webhooks = [
        scene.webhook("/a", json!({})).await,
        scene.webhook("/b", json!({})).await,
    ];
    scene.receiver.hold();
    scene.app.execute(
        "WITH head AS (UPDATE webhook_heads SET last_position = last_position + 3000 RETURNING org_id, last_position)
         INSERT INTO webhook_events (org_id, position, event_type, flag_id, happened_at)
         SELECT org_id, last_position - 3000 + number, 'flag.created', gen_random_uuid(), '2026-05-04T12:00:00Z'
         FROM head, generate_series(1, 3000) AS number",
        &[],
    )
    .await;
    scene.until_shared_out().await;
    for webhook in &webhooks {
        assert_eq!(scene.deliveries(webhook).await.len(), 50);
    }
    assert_eq!(
        scene.number("SELECT COUNT(*) FROM webhook_queue").await,
        512
    );
    assert_eq!(
        scene
            .number("SELECT COUNT(*) FROM webhook_deliveries")
            .await,
        100
    );
    // The oldest are those that are kept.
    let last = "SELECT MAX(position) FROM webhook_queue";
    assert_eq!(scene.number(last).await, 256);
}

#[tokio::test]
async fn slow_webhooks_compete_among_themselves() {
    let scene =
        Scene::set_with(&[("WEBHOOK_TIMEOUT", "1500ms"), ("WEBHOOK_RETRY_WAITS", "1s")]).await;
    let slow = scene.webhook("/slow", json!({})).await;
    scene.receiver.answers([Answer::Hang]);
    scene.test(&slow).await;
    scene.settle().await;
    let is_slow = "SELECT COUNT(*) FROM webhook_lanes WHERE is_slow";
    assert_eq!(scene.number(is_slow).await, 1);
    // It answers again, and is like the others again.
    let answer = scene.owner.post(&format!("{slow}/test"), Value::Null).await;
    answer.expect_status(202);
    scene.settle().await;
    assert_eq!(scene.receiver.received().len(), 2);
    assert_eq!(scene.number(is_slow).await, 0);
}
