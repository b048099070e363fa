//! States of protected environments: they become requests for approval.

use harness::Setup;
use serde_json::{Value, json};

use super::{path, with_content};

async fn protect(setup: &Setup) {
    let production = format!("/v1/projects/{}/environments/production", setup.project.id);
    setup
        .owner
        .change(&production, json!({"protected": true}))
        .await;
}

/// A change that has a part in a protected environment.
fn body() -> Value {
    json!({
        "flags": [
            {"key": "checkout", "states": {
                "production": {"enabled": true, "rules": [{"segment_keys": ["beta"], "value": "new"}]},
                "staging": {"enabled": true},
            }},
            {"key": "new", "name": "New", "states": {"production": {"enabled": true}, "dev": {"enabled": true}}},
        ],
        "comment": "for the launch",
    })
}

#[tokio::test]
async fn states_of_protected_environments_become_requests_and_all_else_is_done() {
    let setup = with_content().await;
    protect(&setup).await;
    let Setup {
        app,
        owner,
        project,
    } = &setup;
    let developer = app.member(owner, "developer").await;
    let done = developer.act(&path(&project.id), body()).await;
    let needed = json!([
        {"id": "[uuid]", "flag_key": "checkout", "env_slug": "production"},
        {"id": "[uuid]", "flag_key": "new", "env_slug": "production"},
    ]);
    let zero = json!({"environments": 0, "segments": 0, "flags": 0, "states": 0});
    done.expect(
        200,
        json!({
            "version": done.body["version"],
            "created": {"environments": 0, "segments": 0, "flags": 1, "states": 2},
            "updated": zero, "removed": zero, "unchanged": 1, "approvals": needed, "warnings": [],
        }),
    );
    let id = done.text("/approvals/0/id");
    let request = owner.get(&format!("/v1/approvals/{id}")).await;
    let rules = &request.body["payload"]["rules"];
    assert_eq!(rules[0]["segment_keys"], json!(["beta"]));
    assert_eq!(request.body["payload"]["enabled"], true);
    assert_eq!(request.body["payload"].as_object().unwrap().len(), 2);
    assert_eq!(request.body["note"], "for the launch");
    assert_eq!(request.body["change_type"], "update_state");

    // Whoever asks again is told of the same requests.
    let again = developer.act(&path(&project.id), body()).await;
    assert_eq!(again.body["approvals"], done.body["approvals"]);
    assert_eq!(again.body["version"], done.body["version"]);
    let listed = owner.get("/v1/approvals?status=pending").await;
    assert_eq!(listed.body["total"], 2);

    for place in 0..2 {
        let id = done.text(&format!("/approvals/{place}/id"));
        let review = format!("/v1/approvals/{id}/review");
        owner.act(&review, json!({"action": "approve"})).await;
    }
    let after = developer.act(&path(&project.id), body()).await;
    assert_eq!(after.body["approvals"], json!([]));
}

#[tokio::test]
async fn a_dry_run_says_which_requests_there_would_be() {
    let setup = with_content().await;
    protect(&setup).await;
    let Setup {
        app,
        owner,
        project,
    } = &setup;
    let before = app.contents().await;
    let tried = format!("{}?dry_run=true", path(&project.id));
    let tried = owner.act(&tried, body()).await;
    let needed = json!([
        {"id": null, "flag_key": "checkout", "env_slug": "production"},
        {"id": null, "flag_key": "new", "env_slug": "production"},
    ]);
    assert_eq!(tried.body["approvals"], needed);
    assert_eq!(app.contents().await, before);
}

#[tokio::test]
async fn whoever_may_not_ask_for_approval_is_403() {
    let setup = with_content().await;
    protect(&setup).await;
    let Setup {
        app,
        owner,
        project,
    } = &setup;
    app.set_plan(owner, "enterprise").await;
    let member = app.member(owner, "developer").await;
    let keys = [
        "flags.toggle",
        "flags.edit_rules",
        "flags.create",
        "flags.read",
    ];
    app.hold_to(owner, &member, &keys).await;
    let before = app.contents().await;
    let refused = member.post(&path(&project.id), body()).await;
    refused.expect_error(403, "insufficient permissions: approvals.create");
    assert_eq!(app.contents().await, before);
}

#[tokio::test]
async fn a_flag_that_is_archived_by_the_call_has_no_requests() {
    let setup = with_content().await;
    protect(&setup).await;
    let Setup { owner, project, .. } = &setup;
    let body = json!({"flags": [
        {"key": "checkout", "archived": true, "states": {"production": {"percentage_rollout": 5_000}}},
    ]});
    let refused = owner.post(&path(&project.id), body).await;
    let place = "flags.checkout.states.production";
    let message = "the environment is protected, and an archived flag has no requests for approval";
    refused.expect(
        400,
        json!({
            "error": format!("{place}: {message}"),
            "problems": [{"place": place, "message": message}],
        }),
    );
}

#[tokio::test]
async fn at_most_a_hundred_requests_are_made_in_a_call() {
    let setup = Setup::new().await;
    protect(&setup).await;
    let Setup { owner, project, .. } = &setup;
    let flags: Vec<_> = (0..101)
        .map(|number| {
            let key = format!("f{number}");
            json!({"key": key, "name": "F", "states": {"production": {"enabled": true}}})
        })
        .collect();
    let refused = owner
        .post(&path(&project.id), json!({"flags": flags}))
        .await;
    refused.expect_error(
        400,
        "at most 100 states of protected environments can be requested in a call: send fewer flags at once",
    );
    let done = owner
        .act(&path(&project.id), json!({"flags": flags[..100]}))
        .await;
    assert_eq!(done.body["approvals"].as_array().unwrap().len(), 100);
}
