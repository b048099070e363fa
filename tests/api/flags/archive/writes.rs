//! What an archived flag refuses.

use serde_json::{Value, json};

use super::{post, published, with_flag};

const ARCHIVED: &str = "flag is archived; restore it first";

#[tokio::test]
async fn no_field_or_state_of_an_archived_flag_changes() {
    let (setup, paths) = with_flag().await;
    let owner = &setup.owner;
    published(&post(owner, &paths.archive).await);
    let (dev, staging) = (&setup.project.dev, &setup.project.staging);
    let history = format!("{}/history", paths.flag);
    let before = owner.get(&history).await.body;

    let refused = owner.put(&paths.flag, json!({"name": "G"})).await;
    refused.expect_error(409, ARCHIVED);
    for body in [json!({"enabled": false}), json!({})] {
        owner
            .put(&paths.dev, body)
            .await
            .expect_error(409, ARCHIVED);
    }
    let state = format!("{}/environments/{staging}", paths.flag);
    let refused = owner.put(&state, json!({"enabled": true})).await;
    refused.expect_error(409, ARCHIVED);
    for (action, body) in [
        ("kill", json!({"env_id": dev})),
        (
            "promote",
            json!({"source_env_id": dev, "target_env_id": staging}),
        ),
        ("rollback", json!({"env_id": dev, "version": 2})),
    ] {
        let refused = owner.post(&format!("{}/{action}", paths.flag), body).await;
        refused.expect_error(409, ARCHIVED);
    }
    assert_eq!(owner.get(&history).await.body, before);
}

#[tokio::test]
async fn bad_input_for_an_archived_flag_is_400() {
    let (setup, paths) = with_flag().await;
    published(&post(&setup.owner, &paths.archive).await);
    let refused = setup.owner.put(&paths.flag, json!({"name": ""})).await;
    refused.expect_error(400, "name is required");
    let refused = setup.owner.put(&paths.dev, json!({"enabled": "yes"})).await;
    refused.expect_status(400);
}

#[tokio::test]
async fn the_key_of_an_archived_flag_is_taken() {
    let (setup, paths) = with_flag().await;
    published(&post(&setup.owner, &paths.archive).await);
    let body = json!({"key": "f", "name": "Again"});
    let refused = setup.owner.post(&paths.flags, body.clone()).await;
    refused.expect_error(
        409,
        "flag key already exists: f is archived; restore it, or delete it for good",
    );
    setup.owner.remove(&paths.flag).await;
    setup.owner.create(&paths.flags, body).await;
}

#[tokio::test]
async fn a_cycle_through_an_archived_flag_is_refused() {
    let (setup, paths) = with_flag().await;
    let owner = &setup.owner;
    owner
        .create(&paths.flags, json!({"key": "g", "name": "G"}))
        .await;
    owner
        .change(&paths.flag, json!({"prerequisites": ["g"]}))
        .await;
    published(&post(owner, &paths.archive).await);
    let requires = json!({"prerequisites": ["f"]});
    let refused = owner.put(&format!("{}/g", paths.flags), requires).await;
    refused.expect_error(400, "prerequisites must not form a cycle");
    let another = json!({"key": "h", "name": "H", "prerequisites": ["f"]});
    owner.create(&paths.flags, another).await;
    published(&post(owner, &paths.restore).await);
}

#[tokio::test]
async fn a_request_for_an_archived_flag_is_refused_and_a_pending_one_waits() {
    let (setup, paths) = with_flag().await;
    let owner = &setup.owner;
    let developer = setup.app.member(owner, "developer").await;
    let ask = async |body: Value| developer.post("/v1/approvals", body).await;
    let dev = &setup.project.dev;
    let by_key = json!({"flag_key": "f", "env_id": dev, "change_type": "disable"});
    let pending = ask(by_key.clone()).await;
    pending.expect_status(201);
    let nothing = ask(json!({"flag_key": "f", "env_id": dev, "change_type": "update_state"})).await;
    nothing.expect_status(201);

    published(&post(owner, &paths.archive).await);
    let flag_id = owner.get(&paths.flag).await.text("/id");
    let by_id = json!({"flag_id": flag_id, "env_id": dev, "change_type": "disable"});
    for body in [by_key, by_id] {
        ask(body).await.expect_error(409, ARCHIVED);
    }
    let words = format!("the approval request can no longer be applied: {ARCHIVED}");
    for asked in [&pending, &nothing] {
        let path = format!("/v1/approvals/{}", asked.text("/id"));
        let review = format!("{path}/review");
        let refused = owner.post(&review, json!({"action": "approve"})).await;
        refused.expect_error(409, &words);
        assert_eq!(owner.get(&path).await.text("/status"), "pending");
    }

    published(&post(owner, &paths.restore).await);
    let review = format!("/v1/approvals/{}/review", pending.text("/id"));
    let applied = owner.post(&review, json!({"action": "approve"})).await;
    assert_eq!(applied.text("/status"), "applied");
    assert_eq!(owner.get(&paths.dev).await.body["enabled"], false);
}
