//! Cycles of prerequisites are refused, however they would come about.

use harness::{App, Response, User, statuses};
use reqwest::Method;
use serde_json::{Value, json};

use super::{collection, create};

const CYCLE: &str = "prerequisites must not form a cycle";

async fn chain(user: &User, flags: &str, links: &[(&str, &[&str])]) {
    for (key, prerequisites) in links {
        create(
            user,
            flags,
            json!({"key": key, "name": key, "prerequisites": prerequisites}),
        )
        .await;
    }
}

#[tokio::test]
async fn an_update_that_closes_a_cycle_is_400() {
    let (_app, owner) = App::with_owner().await;
    let flags = collection(&owner).await;
    chain(
        &owner,
        &flags,
        &[
            ("a", &[]),
            ("b", &["a"]),
            ("c", &["b", "unknown"]),
            ("d", &["c", "a"]),
        ],
    )
    .await;

    for prerequisites in [json!(["b"]), json!(["c"]), json!(["unknown", "d"])] {
        owner
            .put(
                &format!("{flags}/a"),
                json!({"prerequisites": prerequisites}),
            )
            .await
            .expect_error(400, CYCLE);
    }
    // A diamond is no cycle.
    owner
        .change(
            &format!("{flags}/d"),
            json!({"prerequisites": ["a", "b", "c"]}),
        )
        .await;
}

#[tokio::test]
async fn a_creation_that_closes_a_cycle_is_400() {
    let (_app, owner) = App::with_owner().await;
    let flags = collection(&owner).await;
    chain(&owner, &flags, &[("a", &["later"]), ("b", &["a"])]).await;
    let closing = json!({"key": "later", "name": "L", "prerequisites": ["b"]});
    owner.post(&flags, closing).await.expect_error(400, CYCLE);
    let refused = owner.get(&format!("{flags}/later")).await;
    refused.expect_status(404);
    create(&owner, &flags, json!({"key": "later", "name": "L"})).await;
}

#[tokio::test]
async fn equal_keys_of_another_project_are_other_flags() {
    let (_app, owner) = App::with_owner().await;
    let flags = collection(&owner).await;
    chain(&owner, &flags, &[("a", &["b"])]).await;
    let other = owner
        .post("/v1/projects", json!({"name": "Other"}))
        .await
        .text("/id");
    chain(
        &owner,
        &format!("/v1/projects/{other}/flags"),
        &[("b", &["a"])],
    )
    .await;
}

#[tokio::test]
async fn two_updates_at_once_do_not_close_a_cycle_together() {
    let (_app, owner) = App::with_owner().await;
    let flags = collection(&owner).await;
    chain(&owner, &flags, &[("a", &[]), ("b", &[])]).await;
    let (path_a, path_b) = (format!("{flags}/a"), format!("{flags}/b"));
    for _ in 0..10 {
        let (a, b) = tokio::join!(
            owner.put(&path_a, json!({"prerequisites": ["b"]})),
            owner.put(&path_b, json!({"prerequisites": ["a"]})),
        );
        assert_eq!(statuses([&a, &b]), [200, 400]);
        for path in [&path_a, &path_b] {
            owner.change(path, json!({"prerequisites": []})).await;
        }
    }
}

/// Place and message of the warnings of an answer.
fn warned(answer: &Response) -> &Value {
    &answer.body["warnings"]
}

#[tokio::test]
async fn prerequisites_that_are_met_for_nobody_are_warned_about() {
    let (_app, owner) = App::with_owner().await;
    let flags = collection(&owner).await;
    chain(&owner, &flags, &[("a", &[]), ("old", &[]), ("b", &[])]).await;
    owner
        .post(&format!("{flags}/old/archive"), json!({}))
        .await
        .expect_status(204);
    let expected = json!([
        {"place": "prerequisites", "message": "no flag has the key gone"},
        {"place": "prerequisites", "message": "the flag old is archived"},
    ]);
    let keys = json!({"prerequisites": ["gone", "a", "old"]});
    let changed = owner.put(&format!("{flags}/b"), keys.clone()).await;
    assert_eq!(warned(changed.expect_status(200)), &expected);
    // Not again with what leaves them as they are.
    let renamed = owner.put(&format!("{flags}/b"), json!({"name": "B"})).await;
    assert_eq!(warned(renamed.expect_status(200)), &Value::Null);
    let new = json!({"key": "c", "name": "C", "prerequisites": ["gone", "a", "old"]});
    let created = owner.post(&flags, new).await;
    assert_eq!(warned(created.expect_status(201)), &expected);

    let request = owner.request(Method::PUT, &format!("{flags}/c"));
    let request = request.header("prefer", "handling=strict");
    let refused = owner
        .send(request.json(&json!({"prerequisites": ["gone"]})))
        .await;
    refused.expect_status(400);
    assert_eq!(
        refused.body["error"],
        "prerequisites: no flag has the key gone"
    );
}
