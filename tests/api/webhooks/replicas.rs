//! Several control planes deliver what any of them committed, and each event once.

use serde_json::json;

use super::Scene;

#[tokio::test]
async fn each_event_is_delivered_once_by_two_control_planes() {
    const CHANGES: usize = 20;
    let scene = Scene::set().await;
    let other = scene.owner.at(&scene.app.another_replica().await);
    for path in ["/a", "/b", "/c"] {
        scene.webhook(path, json!({})).await;
    }
    let state = format!("{}/checkout/environments/{}", scene.flags, scene.dev);
    for number in 0..CHANGES {
        let caller = if number % 2 == 0 {
            &*scene.owner
        } else {
            &other
        };
        let body = json!({"percentage_rollout": number});
        caller.change(&state, body).await;
    }
    scene.settle().await;
    let received = scene.receiver.received();
    assert_eq!(received.len(), 3 * CHANGES);
    let mut deliveries: Vec<_> = received
        .iter()
        .map(|one| one.header("x-webhook-delivery"))
        .collect();
    deliveries.sort_unstable();
    deliveries.dedup();
    assert_eq!(deliveries.len(), 3 * CHANGES);
}

#[tokio::test]
async fn another_leader_goes_on() {
    let scene = Scene::set().await;
    scene.webhook("/a", json!({})).await;
    scene.app.another_replica().await;
    scene.toggle(true).await;
    scene.settle().await;
    scene.app.depose_the_leader().await;
    scene.toggle(false).await;
    scene.settle().await;
    assert_eq!(scene.receiver.received().len(), 2);
}
