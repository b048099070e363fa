//! What a custom role does to its members, from their next request on.

use harness::User;
use reqwest::Method;
use serde_json::{Value, json};

use super::with_owner_on_enterprise;

const DENIED: &str = "insufficient permissions";

/// The path of a new flag's state in dev.
async fn state_of_new_flag(owner: &User) -> String {
    let project = owner.default_project().await;
    let flags = format!("/v1/projects/{}/flags", project.id);
    let flag = json!({"key": "checkout", "name": "Checkout"});
    owner.create(&flags, flag).await;
    format!("{flags}/checkout/environments/{}", project.dev)
}

#[tokio::test]
async fn a_changed_role_counts_at_once_on_every_replica() {
    let (app, owner) = with_owner_on_enterprise().await;
    let member = app.member(&owner, "developer").await;
    let elsewhere = member.at(&app.another_replica().await);
    for caller in [&*member, &elsewhere] {
        caller.get("/v1/projects").await.expect_status(200);
    }

    let role_id = app.hold_to(&owner, &member, &["flags.read"]).await;
    let path = format!("/v1/roles/{role_id}");
    for keys in [json!(["flags.read"]), json!(["projects.read"]), json!([])] {
        let is_allowed = keys == json!(["projects.read"]);
        let role = json!({"name": "Changing", "permissions": keys});
        owner.change(&path, role).await;
        for caller in [&*member, &elsewhere] {
            let answer = caller.get("/v1/projects").await;
            if is_allowed {
                answer.expect_status(200);
            } else {
                answer.expect_error(403, DENIED);
            }
        }
    }

    app.assign(&owner, &member, None).await;
    for caller in [&*member, &elsewhere] {
        caller.get("/v1/projects").await.expect_status(200);
    }
}

#[tokio::test]
async fn a_built_in_role_holds_its_members_like_any_other() {
    let (app, owner) = with_owner_on_enterprise().await;
    let admin = app.member(&owner, "admin").await;
    let viewer = app.member(&owner, "viewer").await;
    let id = |number: u8| format!("00000000-0000-7000-8000-00000000000{number}");

    // An admin held to Viewer reads, and no more.
    app.assign(&owner, &admin, Some(&id(4))).await;
    admin.get("/v1/projects").await.expect_status(200);
    let project = json!({"name": "Shop"});
    let answer = admin.post("/v1/projects", project.clone()).await;
    answer.expect_error(403, DENIED);
    app.assign(&owner, &admin, Some(&id(3))).await;
    admin.create("/v1/projects", project.clone()).await;
    admin.get("/v1/roles").await.expect_error(403, DENIED);

    // A viewer stays one, also with every key.
    app.assign(&owner, &viewer, Some(&id(1))).await;
    viewer.get("/v1/projects").await.expect_status(200);
    let refused = viewer.post("/v1/projects", project).await;
    refused.expect_error(403, DENIED);
}

#[tokio::test]
async fn the_body_of_a_state_decides_which_keys_it_needs() {
    let (app, owner) = with_owner_on_enterprise().await;
    let path = state_of_new_flag(&owner).await;
    let member = app.member(&owner, "developer").await;
    let toggle = [
        json!({"enabled": true}),
        json!({"scheduled_enable_at": "2027-01-01T00:00:00Z"}),
        json!({"scheduled_disable_at": ""}),
    ];
    let rules = [
        json!({"rules": []}),
        json!({"percentage_rollout": 5000}),
        json!({"variants": []}),
        json!({"default_value": true}),
    ];
    let mixed = json!({"enabled": true, "rules": []});

    for (keys, allowed, denied) in [
        (["flags.toggle"], &toggle[..], &rules[..]),
        (["flags.edit_rules"], &rules[..], &toggle[..]),
    ] {
        app.hold_to(&owner, &member, &keys).await;
        for body in allowed.iter().chain([&json!({})]) {
            member.change(&path, body.clone()).await;
        }
        for body in denied.iter().chain([&mixed]) {
            let before = owner.get(&path).await.body;
            let answer = member.put(&path, body.clone()).await;
            answer.expect_error(403, DENIED);
            owner.get(&path).await.expect(200, before);
        }
    }
    app.hold_to(&owner, &member, &["flags.toggle", "flags.edit_rules"])
        .await;
    member.change(&path, mixed).await;
}

#[tokio::test]
async fn a_state_that_breaks_a_rule_is_400_before_the_key_is_asked_for() {
    let (app, owner) = with_owner_on_enterprise().await;
    let path = state_of_new_flag(&owner).await;
    let member = app.member(&owner, "developer").await;
    app.hold_to(&owner, &member, &["flags.toggle"]).await;
    let body = json!({"percentage_rollout": 10_001});
    member.put(&path, body.clone()).await.expect_status(400);
    // Somebody who may change nothing of a state is refused before it is read.
    app.hold_to(&owner, &member, &["flags.read"]).await;
    member.put(&path, body).await.expect_error(403, DENIED);
}

#[tokio::test]
async fn head_needs_what_get_needs() {
    let (app, owner) = with_owner_on_enterprise().await;
    let member = app.member(&owner, "developer").await;
    for (keys, status) in [(["projects.read"], 200), (["flags.read"], 403)] {
        app.hold_to(&owner, &member, &keys).await;
        let request = member.request(Method::HEAD, "/v1/projects");
        member.send(request).await.expect(status, Value::Null);
    }
}
