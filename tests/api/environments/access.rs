//! Who may do what with environments, and what is not there for whom.

use harness::App;
use serde_json::json;

use super::{collection, item};

#[tokio::test]
async fn what_is_not_of_the_project_is_404() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let stranger = app.signup("globex").await;
    let environments = collection(&owner).await;
    let env = owner.default_project().await.dev;
    let other_project = owner
        .post("/v1/projects", json!({"name": "Other"}))
        .await
        .text("/id");

    stranger
        .get(&environments)
        .await
        .expect_error(404, "project not found");
    stranger
        .post(&environments, json!({"name": "Mine"}))
        .await
        .expect_error(404, "project not found");
    for (user, path) in [
        (&stranger, format!("{environments}/{env}")),
        (&stranger, format!("{}/{env}", collection(&stranger).await)),
        (
            &owner,
            format!("/v1/projects/{other_project}/environments/{env}"),
        ),
        (
            &owner,
            format!("{environments}/01890000-0000-7000-8000-000000000000"),
        ),
        (&owner, format!("{environments}/dev")),
    ] {
        user.get(&path).await.expect_status(404);
        user.put(&path, json!({"name": "Mine"}))
            .await
            .expect_status(404);
        user.delete(&path).await.expect_status(404);
    }
    owner
        .get(&format!("{environments}/{env}"))
        .await
        .expect_status(200);
}

#[tokio::test]
async fn roles_decide_who_may_write_and_delete() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let environments = collection(&owner).await;
    let env = owner.post(&environments, json!({"name": "QA"})).await.body;
    let path = item(&environments, &env);
    let refused = "insufficient permissions";

    let viewer = app.member(&owner, "viewer").await;
    viewer.get(&path).await.expect_status(200);
    viewer.get(&environments).await.expect_status(200);
    viewer
        .post(&environments, json!({"name": "New"}))
        .await
        .expect_error(403, refused);
    viewer
        .put(&path, json!({}))
        .await
        .expect_error(403, refused);
    viewer.delete(&path).await.expect_error(403, refused);

    let developer = app.member(&owner, "developer").await;
    developer
        .post(&environments, json!({"name": "New"}))
        .await
        .expect_status(201);
    developer.put(&path, json!({})).await.expect_status(200);
    developer.delete(&path).await.expect_error(403, refused);

    let admin = app.member(&owner, "admin").await;
    admin.delete(&path).await.expect_status(204);
    app.anonymous().get(&environments).await.expect_status(401);
}
