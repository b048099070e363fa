//! Cycles of prerequisites are refused, however they would come about.

use harness::{App, User, statuses};
use serde_json::json;

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
