//! What of a history is not shown, and what is not set back.

use harness::User;
use reqwest::Method;
use serde_json::{Value, json};

use super::Scene;

const NO_VERSION: &str = "flag version not found";

#[tokio::test]
async fn an_unknown_version_is_404() {
    let scene = Scene::set().await;
    scene.put(json!({"enabled": true})).await;
    for version in [0, 3, -1, i64::MAX] {
        let shown = scene.look(version, &scene.project.dev).await;
        shown.expect_error(404, NO_VERSION);
        scene.roll_back(version).await.expect_error(404, NO_VERSION);
    }
    let path = format!("{}/history/two?env_id={}", scene.flag, scene.project.dev);
    scene.owner.get(&path).await.expect_error(404, "not found");
}

#[tokio::test]
async fn a_version_of_another_environment_is_404() {
    let scene = Scene::set().await;
    scene.put(json!({"enabled": true})).await;
    let staging = scene.look(2, &scene.project.staging).await;
    staging.expect_error(404, NO_VERSION);
    let rollback = format!("{}/rollback", scene.flag);
    let body = json!({"env_id": scene.project.staging, "version": 2});
    let refused = scene.owner.post(&rollback, body).await;
    refused.expect_error(404, NO_VERSION);
}

#[tokio::test]
async fn a_version_without_a_state_is_not_set_back_to() {
    let scene = Scene::set().await;
    scene.put(json!({"enabled": true})).await;
    let refused = scene.roll_back(1).await;
    refused.expect_error(
        404,
        "the flag had no state in the environment at this version",
    );
}

#[tokio::test]
async fn a_version_is_asked_for_with_an_environment() {
    let scene = Scene::set().await;
    let shown = scene.owner.get(&format!("{}/history/1", scene.flag)).await;
    shown.expect_error(400, "env_id is required");
    let rollback = format!("{}/rollback", scene.flag);
    for (body, message) in [
        (json!({}), "env_id and version are required"),
        (json!({"env_id": scene.project.dev}), "version is required"),
        (json!({"version": 1}), "env_id is required"),
    ] {
        let refused = scene.owner.post(&rollback, body).await;
        refused.expect_error(400, message);
    }
}

#[tokio::test]
async fn unknown_flags_and_environments_are_404() {
    let scene = Scene::set().await;
    let other = scene.app.signup("other").await;
    let foreign = other.default_project().await.dev;
    for path in [
        format!("{}/history?env_id={foreign}", scene.flag),
        format!("{}/history/1?env_id={foreign}", scene.flag),
    ] {
        let refused = scene.owner.get(&path).await;
        refused.expect_error(404, "environment not found");
        let refused = other.get(&path).await;
        refused.expect_error(404, "flag not found");
    }
    let slug = scene
        .owner
        .get(&format!("{}/history?env_id=nowhere", scene.flag))
        .await;
    slug.expect_error(404, "environment not found");
    let rollback = format!("{}/rollback", scene.flag);
    let body = json!({"env_id": foreign, "version": 1});
    let refused = scene.owner.post(&rollback, body).await;
    refused.expect_error(404, "environment not found");
}

/// A developer who may do so much in `dev`.
async fn developer(scene: &Scene, can_toggle: bool, can_edit_rules: bool) -> User {
    let developer = scene.app.member(&scene.owner, "developer").await;
    let path = format!("/v1/members/{}/permissions", developer.member_id().await);
    let row = json!({"env_id": scene.project.dev, "can_toggle": can_toggle, "can_edit_rules": can_edit_rules});
    let body = json!({"permissions": [row]});
    scene.owner.change(&path, body).await;
    developer
}

#[tokio::test]
async fn whoever_may_not_change_the_fields_that_differ_does_not_set_them_back() {
    let scene = Scene::set().await;
    scene.put(json!({"enabled": true})).await;
    scene.put(json!({"percentage_rollout": 5})).await;
    let shown = scene.put(json!({"enabled": false})).await;
    let denied = "insufficient permissions for this environment";
    let rollback = format!("{}/rollback", scene.flag);
    let body = |version: i64| json!({"env_id": scene.project.dev, "version": version});

    let toggles = developer(&scene, true, false).await;
    let refused = toggles.post(&rollback, body(2)).await;
    refused.expect_error(403, denied);
    scene.owner.get(&scene.dev()).await.expect(200, shown);
    let passed = toggles.post(&rollback, body(3)).await;
    assert_eq!(passed.expect_status(200).body["enabled"], true);

    scene.app.set_plan(&scene.owner, "enterprise").await;
    let editor = scene.app.member(&scene.owner, "admin").await;
    let keys = ["flags.read", "flags.edit_rules"];
    scene.app.hold_to(&scene.owner, &editor, &keys).await;
    let refused = editor.post(&rollback, body(4)).await;
    refused.expect_error(403, "insufficient permissions");
    let passed = editor.post(&rollback, body(2)).await;
    assert_eq!(
        passed.expect_status(200).body["percentage_rollout"],
        Value::Null
    );
}

#[tokio::test]
async fn setting_back_asks_for_what_was_seen() {
    let scene = Scene::set().await;
    scene.put(json!({"enabled": true})).await;
    let seen = scene.owner.get(&scene.dev()).await;
    let current = scene
        .owner
        .put(&scene.dev(), json!({"enabled": false}))
        .await;
    let roll_back = async |tag: &str| {
        let rollback = format!("{}/rollback", scene.flag);
        let request = scene.owner.request(Method::POST, &rollback);
        let body = json!({"env_id": scene.project.dev, "version": 2});
        let request = request.header("if-match", tag).json(&body);
        scene.owner.send(request).await
    };
    let refused = roll_back(seen.header("etag")).await;
    refused.expect_error(412, "changed meanwhile");
    assert_eq!(refused.header("etag"), current.header("etag"));
    let passed = roll_back(current.header("etag")).await;
    let shown = scene.owner.get(&scene.dev()).await;
    shown.expect(200, passed.body.clone());
    assert_eq!(shown.header("etag"), passed.header("etag"));
}
