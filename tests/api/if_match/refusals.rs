//! In which order a change with `If-Match` is refused.

use serde_json::json;

use super::{CHANGED, Scene, Thing, delete, put};

#[tokio::test]
async fn an_if_match_that_is_no_list_of_tags_is_400() {
    let scene = Scene::set().await;
    let unreadable = "If-Match must be * or a list of entity tags";
    for thing in &scene.things {
        let Thing { path, tag, .. } = thing;
        for header in ["7", "", "\"7", "*, \"7\""] {
            let refused = put(&scene.owner, path, header, &(thing.patch)(1)).await;
            refused.expect_error(400, unreadable);
            if thing.is_deletable {
                let refused = delete(&scene.owner, path, header).await;
                refused.expect_error(400, unreadable);
            }
        }
        assert_eq!(scene.tag(path).await, *tag);
    }
}

#[tokio::test]
async fn what_is_not_there_is_404_before_400_and_412() {
    let scene = Scene::set().await;
    for thing in scene.things.iter().filter(|thing| thing.is_deletable) {
        let Thing { path, tag, .. } = thing;
        scene.owner.remove(path).await;
        for header in ["7", tag] {
            let written = put(&scene.owner, path, header, &(thing.patch)(1)).await;
            written.expect_status(404);
            let deleted = delete(&scene.owner, path, header).await;
            deleted.expect_status(404);
        }
    }
}

#[tokio::test]
async fn a_bad_body_is_400_before_412() {
    let scene = Scene::set().await;
    for thing in &scene.things {
        let bad = json!({"name": 1, "enabled": 1});
        let refused = put(&scene.owner, &thing.path, "\"4711\"", &bad).await;
        refused.expect_status(400);
    }
}

#[tokio::test]
async fn whoever_may_not_change_a_state_is_told_so_before_412() {
    let scene = Scene::set().await;
    let developer = scene.app.member(&scene.owner, "developer").await;
    let permissions = format!("/v1/members/{}/permissions", developer.member_id().await);
    let row = json!({"env_id": scene.project.dev, "can_toggle": false, "can_edit_rules": false});
    let body = json!({"permissions": [row]});
    scene.owner.change(&permissions, body).await;
    let state = format!(
        "/v1/projects/{}/flags/f/environments/{}",
        scene.project.id, scene.project.dev
    );
    let refused = put(&developer, &state, "\"4711\"", &json!({"enabled": true})).await;
    refused.expect_error(403, "insufficient permissions for this environment");
}

#[tokio::test]
async fn changed_meanwhile_is_told_before_a_conflict() {
    let scene = Scene::set().await;
    let environment = format!(
        "/v1/projects/{}/environments/{}",
        scene.project.id, scene.project.dev
    );
    let taken = json!({"slug": "staging"});
    let refused = put(&scene.owner, &environment, "\"4711\"", &taken).await;
    refused.expect_error(412, CHANGED);
    let refused = put(&scene.owner, &environment, "\"1\"", &taken).await;
    refused.expect_error(409, "environment slug already exists");

    let member = scene.app.member(&scene.owner, "viewer").await;
    let role_id = scene
        .app
        .hold_to(&scene.owner, &member, &["flags.read"])
        .await;
    let role = format!("/v1/roles/{role_id}");
    let taken = json!({"name": "Owner", "permissions": ["flags.read"]});
    let refused = put(&scene.owner, &role, "\"4711\"", &taken).await;
    refused.expect_error(412, CHANGED);
    let refused = put(&scene.owner, &role, "\"1\"", &taken).await;
    refused.expect_error(409, "role name already exists");
    let refused = delete(&scene.owner, &role, "\"4711\"").await;
    refused.expect_error(412, CHANGED);
    let refused = delete(&scene.owner, &role, "\"1\"").await;
    refused.expect_error(409, "role is assigned to members");
}

#[tokio::test]
async fn promoting_asks_for_what_was_seen_of_the_target() {
    let scene = Scene::set().await;
    let flag = format!("/v1/projects/{}/flags/f", scene.project.id);
    let (dev, staging) = (&scene.project.dev, &scene.project.staging);
    let source = format!("{flag}/environments/{dev}");
    let stored = scene.owner.put(&source, json!({"enabled": true})).await;
    let promote = async |tag: &str| {
        let request = scene
            .owner
            .request(reqwest::Method::POST, &format!("{flag}/promote"))
            .header("if-match", tag)
            .json(&json!({"source_env_id": dev, "target_env_id": staging}));
        scene.owner.send(request).await
    };
    let refused = promote(stored.header("etag")).await;
    refused.expect_error(412, CHANGED);
    assert_eq!(refused.header("etag"), "\"0\"");
    promote("\"0\"").await.expect_status(200);
    promote("\"0\"").await.expect_error(412, CHANGED);
    promote("7")
        .await
        .expect_error(400, "If-Match must be * or a list of entity tags");
}

#[tokio::test]
async fn a_kill_compares_what_was_seen_and_asks_nobody_for_it() {
    let scene = Scene::set().await;
    let flag = format!("/v1/projects/{}/flags/f", scene.project.id);
    let state = format!("{flag}/environments/{}", scene.project.dev);
    let seen = scene.owner.put(&state, json!({"enabled": true})).await;
    let kill = async |tag: &str| {
        let request = scene
            .owner
            .request(reqwest::Method::POST, &format!("{flag}/kill"))
            .header("if-match", tag)
            .json(&json!({"env_id": scene.project.dev}));
        scene.owner.send(request).await
    };
    let stale = kill("\"0\"").await;
    stale.expect_error(412, CHANGED);
    assert_eq!(stale.header("etag"), seen.header("etag"));
    assert_eq!(scene.owner.get(&state).await.body["enabled"], true);
    kill("7")
        .await
        .expect_error(400, "If-Match must be * or a list of entity tags");
    let killed = kill(seen.header("etag")).await;
    assert_eq!(killed.expect_status(200).body["enabled"], false);
    scene.owner.put(&state, json!({"enabled": true})).await;
    let body = json!({"env_id": scene.project.dev});
    let killed = scene.owner.post(&format!("{flag}/kill"), body).await;
    assert_eq!(killed.expect_status(200).body["enabled"], false);
}

#[tokio::test]
async fn a_tag_of_what_has_none_is_refused() {
    let scene = Scene::set().await;
    let project = format!("/v1/projects/{}", scene.project.id);
    let before = scene.owner.get(&project).await.body;
    for tag in ["\"1\"", "*"] {
        let refused = put(&scene.owner, &project, tag, &json!({"name": "Other"})).await;
        refused.expect_error(400, "If-Match: what this changes has no entity tag");
    }
    assert_eq!(scene.owner.get(&project).await.body, before);
}
