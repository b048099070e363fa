//! Which changes are told: each of those of flags once, from whichever path the change came. What they say is in
//! `contents.rs`.

use harness::{Received, Receiver};
use serde_json::{Value, json};

use super::Scene;

/// What was received, in its order, without the times.
fn told(received: &[Received]) -> Vec<(String, Value, Value)> {
    received
        .iter()
        .map(|one| {
            let body = one.json();
            let event_type = body["type"].as_str().unwrap().to_owned();
            (event_type, body["flag_id"].clone(), body["env_id"].clone())
        })
        .collect()
}

#[tokio::test]
async fn each_change_of_a_flag_is_told_once() {
    let scene = Scene::set().await;
    scene.webhook("/all", json!({})).await;
    let Scene {
        app,
        owner,
        flags,
        dev,
        staging,
        ..
    } = &scene;
    let flag = json!({"key": "banner", "name": "Banner"});
    let created = owner.create(flags, flag).await;
    let banner = format!("{flags}/banner");
    let state = format!("{banner}/environments/{dev}");
    let promotion = json!({"source_env_id": dev, "target_env_id": staging});
    for (path, body, share) in [
        (format!("{banner}/promote"), promotion, 1_000),
        (format!("{banner}/kill"), json!({"env_id": dev}), 2_000),
    ] {
        owner
            .change(
                &state,
                json!({"enabled": true, "percentage_rollout": share}),
            )
            .await;
        owner.act(&path, body).await;
    }
    // As it was made, and before it was killed: version 2.
    let rollback = format!("{banner}/rollback");
    let body = json!({"env_id": dev, "version": 2});
    owner.act(&rollback, body).await;
    owner.change(&banner, json!({"name": "Big banner"})).await;
    for action in ["archive", "restore", "archive"] {
        let path = format!("{banner}/{action}");
        // The second changes nothing, and is not told.
        for _ in 0..2 {
            let answer = owner.post(&path, Value::Null).await;
            answer.expect(204, Value::Null);
        }
    }
    owner.remove(&banner).await;
    scene.settle().await;

    let id = created.body["id"].clone();
    let expected = [
        ("flag.created", Value::Null),
        ("flag.updated", json!(dev)),
        ("flag.promoted", json!(staging)),
        ("flag.updated", json!(dev)),
        ("flag.killed", json!(dev)),
        ("flag.updated", json!(dev)),
        ("flag.updated", Value::Null),
        ("flag.archived", Value::Null),
        ("flag.restored", Value::Null),
        ("flag.archived", Value::Null),
        ("flag.deleted", Value::Null),
    ];
    let expected = expected.map(|(event_type, env)| (event_type.to_owned(), id.clone(), env));
    assert_eq!(told(&scene.receiver.received()), expected);
    // Nothing comes later.
    assert_eq!(
        app.jobs
            .reports()
            .iter()
            .map(|job| job.failures)
            .sum::<u64>(),
        0
    );
}

#[tokio::test]
async fn a_schedule_that_fires_is_told_once() {
    let scene = Scene::set().await;
    let state = format!("{}/checkout/environments/{}", scene.flags, scene.dev);
    let schedule = json!({"scheduled_enable_at": "2026-05-04T12:00:30Z"});
    scene.owner.change(&state, schedule).await;
    scene.webhook("/all", json!({})).await;
    scene.pass(30);
    harness::eventually("the schedule has fired", async || {
        let state = scene.owner.get(&state).await;
        (state.body["enabled"] == true).then_some(())
    })
    .await;
    scene.settle().await;
    let expected = (
        "flag.scheduled_toggle".to_owned(),
        json!(scene.flag_id),
        json!(scene.dev),
    );
    assert_eq!(told(&scene.receiver.received()), [expected]);
}

#[tokio::test]
async fn an_approved_change_is_told_once_and_a_rejected_one_never() {
    let scene = Scene::set().await;
    let reviewer = scene.app.member(&scene.owner, "admin").await;
    scene.webhook("/all", json!({"events": ["flag.*"]})).await;
    for (change, action, payload) in [
        ("enable", "approve", Value::Null),
        (
            "update_state",
            "approve",
            json!({"percentage_rollout": 100}),
        ),
        // Approves nothing that changes a state.
        ("talk", "approve", Value::Null),
        ("disable", "reject", Value::Null),
    ] {
        let mut body =
            json!({"flag_id": scene.flag_id, "env_id": scene.dev, "change_type": change});
        if !payload.is_null() {
            body["payload"] = payload;
        }
        let approval = scene.owner.create("/v1/approvals", body).await;
        let path = format!("/v1/approvals/{}/review", approval.text("/id"));
        reviewer.act(&path, json!({"action": action})).await;
    }
    scene.settle().await;
    let expected = (
        "flag.approved_change_applied".to_owned(),
        json!(scene.flag_id),
        json!(scene.dev),
    );
    assert_eq!(
        told(&scene.receiver.received()),
        [expected.clone(), expected.clone(), expected]
    );
}

#[tokio::test]
async fn what_no_webhook_listens_to_is_not_written() {
    let scene = Scene::set().await;
    let events = json!({"events": ["flag.killed", "member.*"]});
    scene.webhook("/some", events).await;
    let owner = &scene.owner;
    let project = owner.post("/v1/projects", json!({"name": "Shop"})).await;
    let path = format!("/v1/projects/{}", project.text("/id"));
    let segment = json!({"key": "beta", "name": "Beta", "rules": []});
    owner.create(&format!("{path}/segments"), segment).await;
    owner.remove(&path).await;
    scene.toggle(true).await;
    // A flag that is refused tells nothing either.
    let twice = json!({"key": "checkout", "name": "Twice"});
    owner.post(&scene.flags, twice).await.expect_status(409);
    let last = "SELECT last_position FROM webhook_heads";
    assert_eq!(scene.number(last).await, 0);
    let stored = "SELECT COUNT(*) FROM webhook_contents";
    assert_eq!(scene.number(stored).await, 0);
}

#[tokio::test]
async fn a_webhook_hears_what_it_listens_to_and_of_its_own_organization_alone() {
    let scene = Scene::set().await;
    let stranger = scene.app.proven("stranger").await;
    let ears = Receiver::start();
    let body = json!({"name": "Ears", "url": ears.url("/")});
    stranger.create("/v1/webhooks", body).await;
    scene
        .webhook("/killed", json!({"events": ["flag.killed"]}))
        .await;
    scene.webhook("/star", json!({"events": ["*"]})).await;
    let two = json!({"events": ["flag.updated", "flag.deleted"]});
    scene.webhook("/two", two).await;
    scene.toggle(true).await;
    let kill = format!("{}/checkout/kill", scene.flags);
    let body = json!({"env_id": scene.dev});
    scene.owner.act(&kill, body).await;
    scene.settle().await;

    let at = |path: &str| {
        let mut received = scene.receiver.received();
        received.retain(|one| one.path == path);
        told(&received)
            .into_iter()
            .map(|(event_type, ..)| event_type)
            .collect::<Vec<_>>()
    };
    assert_eq!(at("/killed"), ["flag.killed"]);
    assert_eq!(at("/star"), ["flag.updated", "flag.killed"]);
    assert_eq!(at("/two"), ["flag.updated"]);
    assert!(ears.received().is_empty());
}

#[tokio::test]
async fn body_and_headers_are_those_of_the_contract() {
    let scene = Scene::set().await;
    let secret = "k".repeat(200);
    let signed = scene.webhook("/signed", json!({"secret": secret})).await;
    scene.webhook("/plain", json!({})).await;
    scene.toggle(true).await;
    scene.settle().await;

    let received = scene.receiver.received();
    let at = |path: &str| received.iter().find(|one| one.path == path).unwrap();
    let one = at("/signed");
    let contract = format!(
        r#"{{"type":"flag.updated","flag_id":"{}","env_id":"{}","timestamp":"2026-05-04T12:00:00Z","#,
        scene.flag_id, scene.dev
    );
    assert!(one.body.starts_with(contract.as_bytes()), "{:?}", one.body);
    assert_eq!(one.header("content-type"), "application/json");
    assert!(one.header("user-agent").starts_with("Halyard/"));
    assert_eq!(one.header("x-webhook-event"), "flag.updated");
    assert_eq!(
        format!("/v1/webhooks/{}", one.header("x-webhook-id")),
        signed
    );
    let delivery = &scene.deliveries(&signed).await[0];
    assert_eq!(delivery["id"], one.header("x-webhook-delivery"));
    assert!(one.is_signed_with(&secret));
    assert!(!one.is_signed_with("another"));

    let other = at("/plain");
    assert_eq!(other.body, one.body);
    assert!(!other.headers.contains_key("x-service-signature"));
    assert_ne!(
        other.header("x-webhook-delivery"),
        one.header("x-webhook-delivery")
    );
}

#[tokio::test]
async fn a_new_secret_signs_from_then_on_and_none_signs_nothing() {
    let scene = Scene::set().await;
    let webhook = scene.webhook("/a", json!({"secret": "old"})).await;
    for (secret, number) in [("old", 1), ("new", 2)] {
        let body = json!({"secret": secret});
        scene.owner.change(&webhook, body).await;
        scene.test(&webhook).await;
        scene.settle().await;
        let received = scene.receiver.received();
        assert_eq!(received.len(), number);
        assert!(received[number - 1].is_signed_with(secret));
    }
    let body = json!({"secret": ""});
    scene.owner.change(&webhook, body).await;
    scene.test(&webhook).await;
    scene.settle().await;
    let received = scene.receiver.received();
    assert!(!received[2].headers.contains_key("x-service-signature"));
}
