//! Projects.

mod limits;

use harness::{App, User, statuses};
use serde_json::{Value, json};

async fn create(user: &User, name: &str) -> Value {
    let answer = user.post("/v1/projects", json!({"name": name})).await;
    answer.expect_status(201).body.clone()
}

fn path_of(project: &Value) -> String {
    format!("/v1/projects/{}", project["id"].as_str().unwrap())
}

/// Puts the organization on the Free plan.
pub async fn downgrade(app: &App, user: &User) {
    app.execute(
        "UPDATE organizations SET plan = 'free' WHERE id = $1::uuid",
        &[&user.org_id],
    )
    .await;
}

#[tokio::test]
async fn a_created_project_is_shown_and_listed() {
    let (_app, owner) = App::with_owner().await;

    let created = owner
        .post(
            "/v1/projects",
            json!({"name": "Web Shop", "slug": "shop_1"}),
        )
        .await;
    created.expect(
        201,
        json!({"id": "[uuid]", "name": "Web Shop", "slug": "shop_1", "created_at": "[time]", "updated_at": "[time]"}),
    );
    let answer = owner.get(&path_of(&created.body)).await;
    answer.expect(200, created.body.clone());

    let list = owner.get("/v1/projects?limit=1&offset=1").await;
    list.expect(
        200,
        json!({"data": [created.body], "total": 2, "limit": 1, "offset": 1, "has_more": false}),
    );
    let behind = owner.get("/v1/projects?offset=7").await;
    behind.expect(
        200,
        json!({"data": [], "total": 2, "limit": 50, "offset": 7, "has_more": false}),
    );
}

#[tokio::test]
async fn a_missing_slug_is_made_of_the_name() {
    let (_app, owner) = App::with_owner().await;
    assert_eq!(create(&owner, " Große  Welt! ").await["slug"], "gro-e-welt");

    let empty = owner
        .post("/v1/projects", json!({"name": "Other", "slug": ""}))
        .await;
    assert_eq!(empty.text("/slug"), "other");
    let none = create(&owner, "日本").await;
    assert_eq!(none["slug"].as_str().unwrap().len(), 8);
}

#[tokio::test]
async fn a_taken_slug_is_409_also_when_it_was_generated() {
    let (app, owner) = App::with_owner().await;
    create(&owner, "Shop").await;
    let again = owner.post("/v1/projects", json!({"name": "shop!"})).await;
    again.expect_error(409, "project slug already exists");

    let stranger = app.signup("globex").await;
    assert_eq!(create(&stranger, "Shop").await["slug"], "shop");
    assert_eq!(stranger.get("/v1/projects").await.body["total"], 2);
}

#[tokio::test]
async fn two_creations_of_one_slug_make_one_project() {
    let (_app, owner) = App::with_owner().await;
    let (one, other) = tokio::join!(
        owner.post("/v1/projects", json!({"name": "Shop"})),
        owner.post("/v1/projects", json!({"name": "Shop"})),
    );
    assert_eq!(statuses([&one, &other]), [201, 409]);
}

#[tokio::test]
async fn bad_input_is_400() {
    let (_app, owner) = App::with_owner().await;
    let slug = "slug must start with a lower-case letter or digit and have at most 100 of these, '_' or '-'";
    for (body, message) in [
        (json!({}), "name is required"),
        (json!({"name": null}), "name is required"),
        (json!({"name": " "}), "name is required"),
        (
            json!({"name": "n".repeat(256)}),
            "name must have at most 255 characters",
        ),
        (json!({"name": "Shop", "slug": "Shop"}), slug),
        (json!({"name": "Shop", "slug": "-shop"}), slug),
        (json!({"name": "Shop", "slug": "s".repeat(101)}), slug),
    ] {
        let refused = owner.post("/v1/projects", body).await;
        refused.expect_error(400, message);
    }
    let refused = owner.post("/v1/projects", json!({"name": 5})).await;
    refused.expect_status(400);
}

#[tokio::test]
async fn an_update_changes_the_given_fields_alone() {
    let (app, owner) = App::with_owner().await;
    let project = create(&owner, "Shop").await;
    app.clock.advance(std::time::Duration::from_secs(5));

    let mut expected = project.clone();
    expected["updated_at"] = json!("2026-05-04T12:00:05Z");
    expected["name"] = json!("Store");
    let answer = owner
        .put(&path_of(&project), json!({"name": "Store"}))
        .await;
    answer.expect(200, expected.clone());
    expected["slug"] = json!("store");
    let answer = owner
        .put(&path_of(&project), json!({"slug": "store"}))
        .await;
    answer.expect(200, expected.clone());
    let answer = owner.put(&path_of(&project), json!({})).await;
    answer.expect(200, expected.clone());
    owner.get(&path_of(&project)).await.expect(200, expected);
}

#[tokio::test]
async fn a_bad_update_changes_nothing() {
    let (_app, owner) = App::with_owner().await;
    let project = create(&owner, "Shop").await;
    for (body, status) in [
        (json!({"name": ""}), 400),
        (json!({"name": null}), 400),
        (json!({"name": "Store", "slug": ""}), 400),
        (json!({"name": "Store", "slug": null}), 400),
        (json!({"name": "Store", "slug": "default"}), 409),
    ] {
        let answer = owner.put(&path_of(&project), body).await;
        answer.expect_status(status);
    }
    owner.get(&path_of(&project)).await.expect(200, project);
}

#[tokio::test]
async fn a_deleted_project_is_gone_with_all_that_it_had() {
    let (app, owner, project) = App::with_project().await;
    let path = format!("/v1/projects/{}", project.id);
    owner
        .create(&format!("{path}/flags"), json!({"key": "f", "name": "F"}))
        .await;
    owner.api_key(&project.dev).await;

    let deleted = owner.delete(&path).await;
    deleted.expect(204, Value::Null);
    assert!(deleted.header("x-snapshot-version").parse::<u64>().unwrap() > 0);
    for gone in [
        path.clone(),
        format!("{path}/flags"),
        format!("/v1/environments/{}/api-keys", project.dev),
    ] {
        owner.get(&gone).await.expect_status(404);
    }
    let refused = owner.delete(&path).await;
    refused.expect_error(404, "project not found");

    let told: i64 = app
        .value("SELECT COUNT(*) FROM removed_environments", &[])
        .await;
    assert_eq!(told, 3, "publishers are told of every environment");
}
