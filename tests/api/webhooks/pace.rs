//! How many requests an organization has made to receivers.

use harness::Receiver;
use serde_json::json;

use super::Scene;

/// As many as may be made at once, and what comes on top.
const AT_ONCE: usize = 600;
const MORE: usize = 6;

#[tokio::test]
async fn what_is_beyond_the_rate_of_an_organization_waits_and_holds_up_no_other() {
    let scene = Scene::set_with(&[("RATE_MANAGEMENT", "0")]).await;
    for _ in 0..3 {
        scene.webhook("/many", json!({})).await;
    }
    let other = scene.app.proven("other").await;
    let quiet = Receiver::start();
    let body = json!({"name": "Quiet", "url": quiet.url("/")});
    other.create("/v1/webhooks", body).await;
    let flags = format!("/v1/projects/{}/flags", other.default_project().await.id);

    for number in 0..(AT_ONCE + MORE) / 3 {
        scene.toggle(number % 2 == 0).await;
    }
    scene.until_shared_out().await;
    scene.pass(1);
    scene.receiver.until(AT_ONCE).await;
    let flag = json!({"key": "f", "name": "F"});
    other.create(&flags, flag).await;
    scene.until_shared_out().await;
    scene.pass(1);
    quiet.until(1).await;
    // A second has given ten more, which lanes that rest have not asked for yet.
    assert_eq!(scene.receiver.received().len(), AT_ONCE);
    scene.pass(5);
    scene.until_pending(0).await;
    assert_eq!(scene.receiver.received().len(), AT_ONCE + MORE);
}
