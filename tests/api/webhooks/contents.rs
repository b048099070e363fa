//! What bodies say beside the contract's members, and how much of it is stored.

use serde_json::{Value, json};

use super::{DASHBOARD, Scene};

impl Scene {
    /// Makes a change, lets it be delivered, and gives the bodies that came.
    async fn told<T>(&self, change: impl AsyncFnOnce() -> T) -> Vec<Value> {
        let before = self.receiver.received().len();
        drop(change().await);
        self.settle().await;
        let received = self.receiver.received();
        received[before..]
            .iter()
            .map(harness::Received::json)
            .collect()
    }
}

#[tokio::test]
async fn a_body_says_who_changed_what_and_where() {
    let scene = Scene::set().await;
    scene.webhook("/a", json!({})).await;
    let body = |changed: Value, before: Value, after: Value| {
        json!({
            "type": "flag.updated", "flag_id": scene.flag_id, "env_id": scene.dev, "timestamp": "[time]",
            "flag_key": "checkout", "project_id": scene.project, "project_slug": "default", "env_slug": "dev",
            "actor": {"id": scene.owner.id, "name": "Owner", "type": "user"},
            "resource": {"type": "flag", "id": scene.flag_id, "key": "checkout", "name": "Checkout"},
            "changed": changed, "before": before, "after": after, "truncated": false,
            "url": format!("{DASHBOARD}/p/default/flags/checkout?env=dev"),
        })
    };
    let same = |expected: &Value, actual: &Value| {
        let found = harness::expect::differences(expected, actual, scene.app.clock.now());
        assert!(found.is_empty(), "{found:#?}");
    };
    // Nothing was stored before.
    let told = scene.told(async || scene.toggle(true).await).await;
    let expected = body(json!(["enabled"]), Value::Null, json!({"enabled": true}));
    same(&expected, &told[0]);

    let told = scene.told(async || scene.toggle(false).await).await;
    let [before, after] = [true, false].map(|enabled| json!({"enabled": enabled}));
    same(&body(json!(["enabled"]), before, after), &told[0]);
    assert_eq!(told.len(), 1);
}

#[tokio::test]
async fn a_body_says_why_if_the_member_did() {
    let scene = Scene::set().await;
    scene
        .webhook("/a", json!({"events": ["flag.killed"]}))
        .await;
    let path = format!("/v1/projects/{}/flags/checkout/kill", scene.project);
    let body = json!({"env_id": scene.dev});
    let told = scene
        .told(async || {
            scene.toggle(true).await;
            let killed = scene
                .owner
                .post(&format!("{path}?comment=Errors"), body)
                .await;
            killed.expect_status(200);
        })
        .await;
    assert_eq!(told[0]["comment"], "Errors");
    assert_eq!(told.len(), 1);
}

#[tokio::test]
async fn names_are_those_of_the_time_of_the_change() {
    let scene = Scene::set().await;
    scene.webhook("/a", json!({"events": ["flag.*"]})).await;
    scene.receiver.hold();
    scene.toggle(true).await;
    let project = format!("/v1/projects/{}", scene.project);
    let slug = json!({"slug": "renamed"});
    scene.owner.change(&project, slug.clone()).await;
    let env = format!("{project}/environments/{}", scene.dev);
    scene.owner.change(&env, slug).await;
    scene.toggle(false).await;
    scene.receiver.release();
    scene.settle().await;
    let told: Vec<_> = scene
        .bodies("/a")
        .iter()
        .map(|body| ["project_slug", "env_slug", "url"].map(|name| body[name].clone()))
        .collect();
    let url = |project, env| json!(format!("{DASHBOARD}/p/{project}/flags/checkout?env={env}"));
    let expected = [("default", "dev"), ("renamed", "renamed")]
        .map(|(project, env)| [json!(project), json!(env), url(project, env)]);
    assert_eq!(told, expected);
}

#[tokio::test]
async fn a_deleted_flag_is_named_and_its_list_shown() {
    let scene = Scene::set().await;
    scene.webhook("/a", json!({})).await;
    let path = format!("{}/checkout", scene.flags);
    let told = scene.told(async || scene.owner.remove(&path).await).await;
    assert_eq!(told[0]["flag_key"], "checkout");
    assert_eq!(told[0]["after"], Value::Null);
    assert_eq!(told[0]["before"]["name"], "Checkout");
    assert_eq!(told[0]["changed"], json!(["flag_type", "key", "name"]));
    assert_eq!(told[0]["url"], format!("{DASHBOARD}/p/default/flags"));
}
