//! What every answer has in common, whatever the endpoint.

use harness::App;
use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::json;

#[tokio::test]
async fn an_unknown_path_is_404_with_a_json_body() {
    let app = App::start().await;
    app.anonymous()
        .get("/v1/nothing-here")
        .await
        .expect_error(404, "not found");
    app.anonymous()
        .get("/v1/projects/")
        .await
        .expect_error(404, "not found");
}

#[tokio::test]
async fn a_known_path_with_a_wrong_method_is_405_with_allow() {
    let app = App::start().await;
    let answer = app.anonymous().patch("/v1/projects", json!({})).await;
    answer.expect_error(405, "method not allowed");
    let mut allowed: Vec<_> = answer.header("allow").split(',').collect();
    allowed.sort_unstable();
    assert_eq!(allowed, ["GET", "HEAD", "POST"]);
}

#[tokio::test]
async fn every_answer_has_a_request_id_and_keeps_a_sane_one() {
    let app = App::start().await;
    let caller = app.anonymous();
    let made = caller.get("/v1/projects").await;
    assert!(!made.header("x-request-id").is_empty());

    let with = |id: &'static str| {
        let request = caller
            .request(Method::GET, "/v1/projects")
            .header("x-request-id", id);
        caller.send(request)
    };
    assert_eq!(with("trace-42").await.header("x-request-id"), "trace-42");
    let long: &'static str = Box::leak("x".repeat(129).into_boxed_str());
    assert_ne!(with(long).await.header("x-request-id"), long);
}

#[tokio::test]
async fn management_answers_have_the_headers_of_the_contract() {
    let app = App::start().await;
    let answer = app.anonymous().get("/v1/projects").await;
    answer.expect_error(401, "missing authorization header");
    assert_eq!(answer.header("www-authenticate"), "Bearer");
    assert_eq!(answer.header("cache-control"), "private, no-cache");
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
    assert_eq!(answer.header("x-frame-options"), "DENY");
    assert_eq!(answer.header("referrer-policy"), "no-referrer");
}

#[tokio::test]
async fn a_token_that_is_none_is_refused() {
    let app = App::start().await;
    let answer = app
        .anonymous()
        .with_token("nonsense")
        .get("/v1/projects")
        .await;
    answer.expect_error(401, "invalid or expired token");
}

#[tokio::test]
async fn bodies_must_be_json_of_a_bounded_size() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let post = |content_type: &'static str, body: String| {
        let request = owner.request(Method::POST, "/v1/projects");
        owner.send(request.header(CONTENT_TYPE, content_type).body(body))
    };

    post("text/plain", "{}".into()).await.expect_status(415);
    post("application/json; charset=utf-8", "{".into())
        .await
        .expect_status(400);
    post("application/json", "{\"name\": 7}".into())
        .await
        .expect_status(400);
    post("application/json", "{\"name\": \"a\\u0000b\"}".into())
        .await
        .expect_status(400);
    let large = format!("{{\"name\": \"{}\"}}", "x".repeat(1 << 20));
    post("application/json", large).await.expect_status(413);
}
