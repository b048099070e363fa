//! What the overview refuses, and that of a project without flags.

use super::*;

#[tokio::test]
async fn unknown_values_of_filters_are_400() {
    let setup = Setup::new().await;
    let states = "state must be one of on, off, partial, scheduled";
    let sorts = "sort must be one of key, name, created_at, updated_at, last_evaluated_at";
    for (query, message) in [
        ("?state=ON", states),
        ("?state=paused", states),
        ("?sort=id", sorts),
        ("?order=up", "order must be one of asc, desc"),
        (
            "?type=text",
            "type must be one of boolean, string, number, json, ab",
        ),
        ("?stale=1", "stale must be one of true, false"),
        ("?q=%00", "text must not contain NUL characters"),
    ] {
        refused(&setup, query, 400, message).await;
    }
    let long = "x".repeat(201);
    let query = format!("?q={long}");
    refused(&setup, &query, 400, "q must be at most 200 characters").await;
}

#[tokio::test]
async fn an_environment_of_another_project_is_404() {
    let setup = Setup::new().await;
    let other = json!({"name": "Other"});
    let other = setup.owner.post("/v1/projects", other).await;
    let environments = format!("/v1/projects/{}/environments", other.text("/id"));
    let made = setup
        .owner
        .post(&environments, json!({"name": "Far"}))
        .await;
    let far = made.expect_status(201).text("/id");
    for env_id in [far.as_str(), "01890000-0000-7000-8000-000000000000"] {
        let query = format!("?state=on&env_id={env_id}");
        refused(&setup, &query, 404, "environment not found").await;
    }
    let answer = setup.owner.get(&path(&setup, "?env_id=x")).await;
    answer.expect_status(404);
}

#[tokio::test]
async fn a_project_without_flags_has_an_empty_overview() {
    let setup = Setup::new().await;
    let empty = json!({"name": "Empty"});
    let empty = setup.owner.post("/v1/projects", empty).await.text("/id");
    let answer = setup
        .owner
        .get(&format!("/v1/projects/{empty}/overview"))
        .await;
    assert_eq!(answer.expect_status(200).body["data"], json!([]));
}
