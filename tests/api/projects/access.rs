//! Who may do what with projects, and what is not there for whom.

use harness::App;
use reqwest::Method;
use serde_json::json;

use super::{create, path_of};

const UNKNOWN: &str = "/v1/projects/01890000-0000-7000-8000-000000000000";

#[tokio::test]
async fn another_organizations_project_is_404() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let stranger = app.signup("globex").await;
    let path = path_of(&create(&owner, "Shop").await);

    for path in [path.as_str(), UNKNOWN, "/v1/projects/shop"] {
        stranger.get(path).await.expect_status(404);
        stranger
            .put(path, json!({"name": "Mine"}))
            .await
            .expect_status(404);
        stranger.delete(path).await.expect_status(404);
    }
    owner.get(&path).await.expect_status(200);
    assert_eq!(stranger.get("/v1/projects").await.body["total"], 1);
}

#[tokio::test]
async fn the_path_is_checked_before_the_body() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let project = create(&owner, "Shop").await;
    let broken = |path: &str| {
        owner
            .request(Method::PUT, path)
            .header("content-type", "application/json")
            .body("{")
    };
    owner
        .send(broken(UNKNOWN))
        .await
        .expect_error(404, "project not found");
    owner
        .send(broken(&path_of(&project)))
        .await
        .expect_status(400);
}

#[tokio::test]
async fn roles_decide_who_may_write_and_delete() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let path = path_of(&create(&owner, "Shop").await);
    let refused = "insufficient permissions";

    let viewer = app.member(&owner, "viewer").await;
    viewer.get(&path).await.expect_status(200);
    viewer.get("/v1/projects").await.expect_status(200);
    viewer
        .post("/v1/projects", json!({"name": "New"}))
        .await
        .expect_error(403, refused);
    viewer
        .put(&path, json!({}))
        .await
        .expect_error(403, refused);
    viewer.delete(&path).await.expect_error(403, refused);

    let developer = app.member(&owner, "developer").await;
    developer
        .post("/v1/projects", json!({"name": "New"}))
        .await
        .expect_status(201);
    developer.put(&path, json!({})).await.expect_status(200);
    developer.delete(&path).await.expect_error(403, refused);

    let admin = app.member(&owner, "admin").await;
    admin.delete(&path).await.expect_status(204);
    app.anonymous().get(&path).await.expect_status(401);
}
