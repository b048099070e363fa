//! Every error below the paths of SCIM has the form of SCIM, whoever makes it; those of tokens have the ordinary one.

use harness::scim::{USERS, user};
use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::json;

use super::{ADA, Scene, path};

#[tokio::test]
async fn unknown_paths_and_methods_are_errors_of_scim() {
    let scene = Scene::set().await;
    let provider = &scene.provider;
    for unknown in [
        "/v1/scim/Groups",
        "/v1/scim/Users/",
        "/v1/scim/Users/7/roles",
        "/v1/scim/Bulk",
    ] {
        provider
            .get(unknown)
            .await
            .expect_scim_error(404, "", "not found");
    }
    for known in [USERS, "/v1/scim/Schemas", "/v1/scim/ServiceProviderConfig"] {
        let answer = provider.delete(known).await;
        answer.expect_scim_error(405, "", "method not allowed");
        assert!(answer.header("allow").contains("GET"));
    }
}

#[tokio::test]
async fn bodies_go_by_two_media_types_and_no_other() {
    let scene = Scene::set().await;
    let provider = &scene.provider;
    let send = async |media_type: &'static str, address: &str| {
        let request = provider.request(Method::POST, USERS);
        let request = request.header(CONTENT_TYPE, media_type);
        provider.send(request.body(user(address).to_string())).await
    };
    for (media_type, address) in [
        ("application/scim+json", "a@x.test"),
        ("Application/SCIM+JSON; charset=utf-8", "b@x.test"),
        ("application/json", "c@x.test"),
    ] {
        send(media_type, address).await.expect_status(201);
    }
    let words = "content type must be application/scim+json or application/json";
    for media_type in ["text/plain", "application/xml"] {
        let refused = send(media_type, "d@x.test").await;
        refused.expect_scim_error(415, "", words);
    }
}

#[tokio::test]
async fn a_body_over_1_mib_is_413() {
    let scene = Scene::set().await;
    let provider = &scene.provider;
    let mut body = user(ADA);
    body["title"] = json!("x".repeat(1024 * 1024));
    let refused = provider.post(USERS, body).await;
    refused.expect_scim_error(413, "", "request body is too large");
}

#[tokio::test]
async fn a_fault_is_500_and_tells_nothing() {
    let scene = Scene::set().await;
    let (app, _, provider) = scene.parts();
    sqlx::raw_sql("ALTER TABLE scim_users RENAME COLUMN made_here TO made_there")
        .execute(app.pool())
        .await
        .unwrap();
    let answer = provider.post(USERS, user(ADA)).await;
    answer.expect_scim_error(500, "", "internal server error");
}

#[tokio::test]
async fn errors_of_tokens_have_the_ordinary_form() {
    let scene = Scene::set().await;
    let (app, owner, _) = scene.parts();
    let words = "missing authorization header";
    app.anonymous()
        .get("/v1/scim/tokens")
        .await
        .expect_error(401, words);
    let unknown = "/v1/scim/tokens/0194e1c1-7f52-7000-8000-000000000000";
    let refused = owner.delete(unknown).await;
    refused.expect_error(404, "SCIM token not found");
    let refused = owner.put("/v1/scim/tokens", json!({})).await;
    refused.expect_error(405, "method not allowed");
}

#[tokio::test]
async fn a_query_that_cannot_be_read_is_an_error_of_scim() {
    let scene = Scene::set().await;
    let (_, owner, provider) = scene.parts();
    let words = "text must not contain NUL characters";
    for at in [
        format!("{USERS}?filter=%00"),
        format!("{}?attributes=%00", path(&owner.id)),
    ] {
        provider
            .get(&at)
            .await
            .expect_scim_error(400, "invalidSyntax", words);
    }
}
