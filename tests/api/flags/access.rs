//! Who may do what with flags, and what is not there for whom.

use harness::App;
use reqwest::Method;
use serde_json::json;

use super::{collection, create};

#[tokio::test]
async fn what_is_not_of_the_project_is_404() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let stranger = app.signup("globex").await;
    let flags = collection(&owner).await;
    create(&owner, &flags, json!({"key": "f", "name": "F"})).await;

    stranger
        .get(&flags)
        .await
        .expect_error(404, "project not found");
    stranger
        .post(&flags, json!({"key": "g", "name": "G"}))
        .await
        .expect_error(404, "project not found");
    let own = collection(&stranger).await;
    for (user, path) in [
        (&stranger, format!("{flags}/f")),
        (&stranger, format!("{own}/f")),
        (&owner, format!("{flags}/g")),
        (&owner, format!("{flags}/f%20")),
        (&owner, format!("{flags}/f%00")),
        (&owner, "/v1/projects/not-a-uuid/flags/f".to_owned()),
    ] {
        user.get(&path).await.expect_status(404);
        user.put(&path, json!({"name": "Mine"}))
            .await
            .expect_status(404);
        user.delete(&path).await.expect_status(404);
    }
    owner.get(&format!("{flags}/f")).await.expect_status(200);
}

#[tokio::test]
async fn the_path_is_checked_before_the_body() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let flags = collection(&owner).await;
    let broken = |method: Method, path: String| {
        let request = owner
            .request(method, &path)
            .header("content-type", "application/json")
            .body("{");
        owner.send(request)
    };
    broken(Method::PUT, format!("{flags}/f"))
        .await
        .expect_error(404, "flag not found");
    broken(Method::POST, flags).await.expect_status(400);
}

#[tokio::test]
async fn viewers_read_and_developers_write() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let flags = collection(&owner).await;
    let path = format!("{flags}/f");
    let developer = app.member(&owner, "developer").await;
    create(&developer, &flags, json!({"key": "f", "name": "F"})).await;
    developer
        .put(&path, json!({"name": "New"}))
        .await
        .expect_status(200);

    let viewer = app.member(&owner, "viewer").await;
    let refused = "insufficient permissions";
    viewer.get(&flags).await.expect_status(200);
    viewer.get(&path).await.expect_status(200);
    viewer
        .post(&flags, json!({}))
        .await
        .expect_error(403, refused);
    viewer
        .put(&path, json!({}))
        .await
        .expect_error(403, refused);
    viewer.delete(&path).await.expect_error(403, refused);

    developer.delete(&path).await.expect_status(204);
    app.anonymous().get(&flags).await.expect_status(401);
}
