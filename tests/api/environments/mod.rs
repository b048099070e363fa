//! Environments.

mod guarded;
mod limits;
mod removal;

use harness::{App, User};
use serde_json::{Value, json};

/// The path of the default project's environments.
async fn collection(user: &User) -> String {
    format!(
        "/v1/projects/{}/environments",
        user.default_project().await.id
    )
}

fn item(collection: &str, env: &Value) -> String {
    format!("{collection}/{}", env["id"].as_str().unwrap())
}

fn version(answer: &harness::Response) -> u64 {
    answer.header("x-snapshot-version").parse().unwrap()
}

#[tokio::test]
async fn a_new_account_has_three_environments() {
    let (_app, owner) = App::with_owner().await;
    let shown = |name: &str, slug: &str, color: &str| json!({"id": "[uuid]", "name": name, "slug": slug, "color": color, "protected": false, "required_approvals": 1, "created_at": "[time]"});
    owner.get(&collection(&owner).await).await.expect(
        200,
        json!({
            "data": [
                shown("Development", "dev", "#22c55e"),
                shown("Staging", "staging", "#f59e0b"),
                shown("Production", "production", "#ef4444"),
            ],
            "total": 3, "limit": 50, "offset": 0, "has_more": false,
        }),
    );
}

#[tokio::test]
async fn a_created_environment_is_shown_and_listed() {
    let (_app, owner) = App::with_owner().await;
    let environments = collection(&owner).await;

    let created = owner
        .post(&environments, json!({"name": "Load Test"}))
        .await;
    created.expect(
        201,
        json!({"id": "[uuid]", "name": "Load Test", "slug": "load-test", "color": "#6B7280", "protected": false, "required_approvals": 1, "created_at": "[time]"}),
    );
    assert!(version(&created) > 0);
    let answer = owner.get(&item(&environments, &created.body)).await;
    answer.expect(200, created.body.clone());
    let list = owner.get(&format!("{environments}?limit=1&offset=3")).await;
    list.expect(
        200,
        json!({"data": [created.body], "total": 4, "limit": 1, "offset": 3, "has_more": false}),
    );

    let given = json!({"name": "QA", "slug": "qa_1", "color": "#00ff00"});
    let answer = owner.post(&environments, given).await;
    assert_eq!(
        (answer.text("/slug"), answer.text("/color")),
        ("qa_1".to_owned(), "#00ff00".to_owned())
    );
}

#[tokio::test]
async fn bad_input_is_400() {
    let (_app, owner) = App::with_owner().await;
    let environments = collection(&owner).await;
    let color = "color must be '#' and 6 hex digits";
    for (body, message) in [
        (json!({}), "name is required"),
        (json!({"name": "QA", "color": "green"}), color),
        (json!({"name": "QA", "color": ""}), color),
        (json!({"name": "QA", "color": "#12345g"}), color),
        (
            json!({"name": "QA", "required_approvals": 6}),
            "required_approvals must be from 1 to 5",
        ),
    ] {
        let refused = owner.post(&environments, body).await;
        refused.expect_error(400, message);
    }
    let refused = owner
        .post(&environments, json!({"name": "QA", "slug": "Q A"}))
        .await;
    refused.expect_status(400);
}

#[tokio::test]
async fn a_taken_slug_is_409_and_free_in_another_project() {
    let (_app, owner) = App::with_owner().await;
    let environments = collection(&owner).await;
    let refused = owner.post(&environments, json!({"name": "Dev"})).await;
    refused.expect_error(409, "environment slug already exists");

    let other = owner
        .post("/v1/projects", json!({"name": "Other"}))
        .await
        .text("/id");
    let elsewhere = format!("/v1/projects/{other}/environments");
    assert_eq!(
        owner.get(&elsewhere).await.body["total"],
        0,
        "a project made by POST has none"
    );
    owner.create(&elsewhere, json!({"name": "Dev"})).await;
}

#[tokio::test]
async fn a_new_slug_is_published_and_other_fields_are_not() {
    let (_app, owner) = App::with_owner().await;
    let environments = collection(&owner).await;
    let created = owner.post(&environments, json!({"name": "QA"})).await;
    let path = item(&environments, &created.body);

    let mut expected = created.body.clone();
    expected["name"] = json!("Quality");
    expected["color"] = json!("#000000");
    let renamed = owner
        .put(&path, json!({"name": "Quality", "color": "#000000"}))
        .await;
    renamed.expect(200, expected.clone());
    assert!(!renamed.headers.contains_key("x-snapshot-version"));

    expected["slug"] = json!("quality");
    let moved = owner.put(&path, json!({"slug": "quality"})).await;
    moved.expect(200, expected.clone());
    assert!(version(&moved) > version(&created));
    owner.get(&path).await.expect(200, expected);
}

#[tokio::test]
async fn a_bad_update_changes_nothing() {
    let (_app, owner) = App::with_owner().await;
    let environments = collection(&owner).await;
    let env = owner.post(&environments, json!({"name": "QA"})).await.body;
    let path = item(&environments, &env);
    for (body, status) in [
        (json!({"name": " "}), 400),
        (json!({"name": "New", "slug": ""}), 400),
        (json!({"name": "New", "color": null}), 400),
        (json!({"name": "New", "slug": "staging"}), 409),
    ] {
        owner.put(&path, body).await.expect_status(status);
    }
    owner.get(&path).await.expect(200, env);
}

#[tokio::test]
async fn a_deleted_environment_is_gone_with_its_states_and_keys() {
    let (app, owner, project) = App::with_project().await;
    let path = format!("/v1/projects/{}/environments/{}", project.id, project.dev);
    let flags = format!("/v1/projects/{}/flags", project.id);
    owner.create(&flags, json!({"key": "f", "name": "F"})).await;
    let state = format!("{flags}/f/environments/{}", project.dev);
    owner.change(&state, json!({"enabled": true})).await;
    owner.api_key(&project.dev).await;

    let deleted = owner.delete(&path).await;
    deleted.expect(204, Value::Null);
    assert!(version(&deleted) > 0);
    for gone in [
        path.clone(),
        state,
        format!("/v1/environments/{}/api-keys", project.dev),
    ] {
        let refused = owner.get(&gone).await;
        refused.expect_error(404, "environment not found");
    }
    let refused = owner.delete(&path).await;
    refused.expect_error(404, "environment not found");
    owner.get(&format!("{flags}/f")).await.expect_status(200);
    let told: bool = app
        .value(
            "SELECT EXISTS (SELECT FROM removed_environments WHERE env_id = $1::uuid)",
            &[&project.dev],
        )
        .await;
    assert!(told, "publishers are told");
}

#[tokio::test]
async fn the_last_environment_may_be_deleted() {
    let (_app, owner) = App::with_owner().await;
    let environments = collection(&owner).await;
    for env in owner.get(&environments).await.body["data"]
        .as_array()
        .unwrap()
    {
        owner.remove(&item(&environments, env)).await;
    }
    assert_eq!(owner.get(&environments).await.body["total"], 0);
}
