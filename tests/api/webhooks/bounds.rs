//! How much is stored of the contents of events.

use serde_json::{Value, json};

use super::{DASHBOARD, Scene};

/// However large a state is, and however many webhooks listen.
#[tokio::test]
async fn a_large_change_is_stored_once_and_bounded() {
    let scene = Scene::set().await;
    for _ in 0..100 {
        scene
            .webhook("/a", json!({"events": ["flag.updated"]}))
            .await;
    }
    let flag = json!({"key": "large", "name": "Large", "flag_type": "json"});
    scene.owner.create(&scene.flags, flag).await;
    let state = format!("{}/large/environments/{}", scene.flags, scene.dev);
    let rule = |id: usize| json!({"id": id.to_string(), "value": ["x".repeat(9_000)]});
    let rules: Vec<_> = (0..100).map(rule).collect();
    scene
        .owner
        .change(&state, json!({"enabled": true, "rules": rules}))
        .await;
    scene.until_pending(100).await;
    assert_eq!(
        scene.number("SELECT COUNT(*) FROM webhook_contents").await,
        1
    );
    let stored = "SELECT (SELECT sum(pg_column_size(c)) FROM webhook_contents c)
                         + (SELECT sum(pg_column_size(q)) FROM webhook_queue q)::bigint";
    let stored = scene.number(stored).await;
    assert!(stored < 64 * 1024, "{stored}");
    scene.pass(1);
    scene.until_pending(0).await;
    let received = scene.receiver.received();
    assert_eq!(received.len(), 100);
    assert!(received.iter().all(|one| one.body == received[0].body));
    let body = received[0].json();
    assert_eq!(body["changed"], json!(["enabled", "rules"]));
    assert_eq!(
        (&body["before"], &body["after"]),
        (&Value::Null, &json!({"enabled": true}))
    );
    assert_eq!(body["truncated"], true);
}

#[tokio::test]
async fn beyond_an_organizations_bytes_events_are_kept_without_values_then_without_contents() {
    let scene = Scene::set().await;
    scene.webhook("/a", json!({})).await;
    let fill = async |bytes: i64| {
        let bytes = bytes.to_string();
        scene
            .app
            .execute(
                "UPDATE webhook_heads SET content_bytes = $1::bigint",
                &[&bytes],
            )
            .await;
    };
    fill(16 << 20).await;
    scene.toggle(true).await;
    scene.settle().await;
    fill(32 << 20).await;
    scene.toggle(false).await;
    scene.settle().await;
    let bodies = scene.bodies("/a");
    assert!(
        bodies
            .iter()
            .all(|body| body["truncated"] == true && body["after"].is_null())
    );
    assert_eq!(
        (&bodies[0]["flag_key"], &bodies[0]["changed"]),
        (&json!("checkout"), &json!(["enabled"]))
    );
    assert_eq!(
        (&bodies[1]["flag_key"], &bodies[1]["actor"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(bodies[1]["flag_id"], scene.flag_id.as_str());
    assert_eq!(bodies[1]["url"], format!("{DASHBOARD}/"));
}

#[tokio::test]
async fn contents_that_no_delivery_needs_are_deleted() {
    let scene = Scene::set_with(&[("RATE_MANAGEMENT", "0")]).await;
    let webhook = scene.webhook("/a", json!({})).await;
    for round in 0..4 {
        for number in 0..30 {
            scene.toggle((round + number) % 2 == 0).await;
        }
        scene.settle().await;
    }
    // The 50 that are listed, and what came since the last look.
    let stored = scene.number("SELECT COUNT(*) FROM webhook_contents").await;
    assert!((50..=100).contains(&stored), "{stored}");
    let sum = "SELECT (SELECT content_bytes FROM webhook_heads) - (SELECT sum(bytes) FROM webhook_contents)::bigint";
    assert_eq!(scene.number(sum).await, 0);
    scene.owner.remove(&webhook).await;
    assert_eq!(
        scene.number("SELECT COUNT(*) FROM webhook_contents").await,
        0
    );
    assert_eq!(
        scene
            .number("SELECT content_bytes FROM webhook_heads")
            .await,
        0
    );
}
