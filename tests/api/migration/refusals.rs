//! What is refused, and changes nothing.

use harness::App;
use serde_json::{Value, json};

use super::Scene;
use crate::trail;

const UNKNOWN: &str = "01890a5d-ac96-774b-bcce-b302099a8057";
const PATHS: [&str; 3] = ["connect", "analyze", "execute"];

fn without(mut body: Value, field: &str) -> Value {
    body.as_object_mut().unwrap().remove(field);
    body
}

fn with(mut body: Value, field: &str, value: Value) -> Value {
    body[field] = value;
    body
}

#[tokio::test]
async fn fields_that_break_a_rule_are_400() {
    let scene = Scene::set(&["production"]).await;
    let entries = trail::length(&scene.app, &scene.owner).await;
    let base = scene.body();
    let provider = "provider must be one of provider_a, provider_b, provider_c";
    let url = |text: &str| with(base.clone(), "base_url", json!(text));
    let local = "base_url must not lead to a private, local or reserved address";
    for (body, message) in [
        (without(base.clone(), "provider"), "provider is required"),
        (
            with(base.clone(), "provider", json!("launchdarkly")),
            provider,
        ),
        (without(base.clone(), "api_key"), "api_key is required"),
        (
            with(base.clone(), "api_key", json!(" ")),
            "api_key is required",
        ),
        (
            with(base.clone(), "api_key", json!("k".repeat(1_025))),
            "api_key must have at most 1024 characters",
        ),
        (
            with(base.clone(), "api_key", json!("one\ntwo")),
            "api_key must consist of printable characters",
        ),
        (
            without(base.clone(), "project_key"),
            "project_key is required",
        ),
        (
            without(
                with(base.clone(), "provider", json!("provider_b")),
                "project_key",
            ),
            "project_key is required",
        ),
        (
            without(
                with(base.clone(), "provider", json!("provider_b")),
                "base_url",
            ),
            "base_url is required",
        ),
        (
            url("ftp://example.com"),
            "base_url must be an http or https URL",
        ),
        (
            url("https://user:pass@example.com"),
            "base_url must not contain a user name or password",
        ),
        (
            url("https://example.com/?a=b"),
            "base_url must have no query and no fragment",
        ),
        (url("http://169.254.169.254/latest"), local),
        (url("http://[fe80::1]/"), local),
        (url("http://168.63.129.16/"), local),
    ] {
        for path in PATHS {
            let refused = scene
                .owner
                .post(&format!("/v1/migration/{path}"), body.clone())
                .await;
            refused.expect_error(400, message);
        }
    }
    assert!(scene.source.asked().is_empty());
    assert_eq!(trail::length(&scene.app, &scene.owner).await, entries);
}

#[tokio::test]
async fn fields_of_a_wrong_type_are_400() {
    let scene = Scene::set(&["production"]).await;
    let entries = trail::length(&scene.app, &scene.owner).await;
    for (field, value) in [
        ("provider", json!(1)),
        ("api_key", json!({})),
        ("base_url", json!(["http://example.com"])),
        ("project_key", json!(5)),
        ("target_project_id", json!(7)),
        ("env_id", json!("7")),
        ("env_id", json!(7.5)),
    ] {
        let body = with(scene.body(), field, value);
        let refused = scene.owner.post("/v1/migration/analyze", body).await;
        assert_eq!(refused.status, 400, "{field}");
    }
    assert!(scene.source.asked().is_empty());
    assert_eq!(trail::length(&scene.app, &scene.owner).await, entries);
}

#[tokio::test]
async fn the_target_is_looked_up_before_the_source_is_asked() {
    let scene = Scene::set(&["production"]).await;
    let stranger = scene.app.signup("stranger").await;
    let foreign = stranger.default_project().await.id;
    for path in ["analyze", "execute"] {
        let path = format!("/v1/migration/{path}");
        let post = async |target: Value| {
            let body = with(scene.body(), "target_project_id", target);
            scene.owner.post(&path, body).await
        };
        let required = "target_project_id is required";
        post(json!("")).await.expect_error(400, required);
        post(Value::Null).await.expect_error(400, required);
        for id in [UNKNOWN, foreign.as_str(), "nowhere"] {
            post(json!(id)).await.expect_error(404, "project not found");
        }
    }
    assert!(scene.source.asked().is_empty());
}

#[tokio::test]
async fn what_the_source_refuses_is_400_and_never_the_credential() {
    let scene = Scene::set(&["production"]).await;
    let wrong = "api-that-is-wrong";
    for path in PATHS {
        let path = format!("/v1/migration/{path}");
        let body = with(scene.body(), "api_key", json!(wrong));
        let refused = scene.owner.post(&path, body).await;
        refused.expect_error(400, "the source answered 401");
        let body = with(scene.body(), "project_key", json!("unknown"));
        let refused = scene.owner.post(&path, body).await;
        refused.expect_error(400, "the source answered 404");
    }
}

#[tokio::test]
async fn an_import_that_has_ended_cannot_be_ended() {
    let scene = Scene::set(&["production"]).await;
    let imported = scene.import().await;
    let entries = trail::length(&scene.app, &scene.owner).await;
    let path = format!("/v1/migration/{}", imported.id);
    let refused = scene.owner.delete(&path).await;
    refused.expect_error(409, "the import has ended already");
    let status = format!("/v1/migration/status/{}", imported.id);
    assert_eq!(scene.owner.get(&status).await.body, imported.status);
    assert_eq!(trail::length(&scene.app, &scene.owner).await, entries);
}

#[tokio::test]
async fn identities_are_of_provider_c_alone() {
    let scene = Scene::set(&["production"]).await;
    let path = "/v1/migration/identities";
    let body = with(scene.body(), "env_id", json!(7));
    let refused = scene.owner.post(path, body).await;
    refused.expect_error(
        400,
        "provider must be provider_c, which alone has identities",
    );
    let body = with(scene.body(), "provider", json!("provider_c"));
    let refused = scene.owner.post(path, body).await;
    refused.expect_error(400, "env_id is required");
    assert!(scene.source.asked().is_empty());
}

#[tokio::test]
async fn each_endpoint_has_a_rate_of_its_own_a_minute() {
    let (_app, owner) = App::with_owner().await;
    let status = format!("/v1/migration/status/{UNKNOWN}");
    for (path, limit) in [
        ("providers", 100),
        ("connect", 20),
        ("analyze", 10),
        ("execute", 5),
        ("identities", 10),
        ("status", 60),
    ] {
        let ask = async || match path {
            "status" => owner.get(&status).await,
            _ => {
                owner
                    .post(&format!("/v1/migration/{path}"), json!({}))
                    .await
            }
        };
        for left in (0..limit).rev() {
            let answer = ask().await;
            assert_ne!(answer.status, 429, "{path}");
            assert_eq!(
                answer.headers["x-ratelimit-limit"],
                limit.to_string(),
                "{path}"
            );
            assert_eq!(
                answer.headers["x-ratelimit-remaining"],
                left.to_string(),
                "{path}"
            );
        }
        let refused = ask().await;
        refused.expect_error(429, "rate limit exceeded");
        assert!(refused.headers.contains_key("retry-after"), "{path}");
    }
    let scaled = App::start_with(&[("RATE_MIGRATION", "2")]).await;
    let owner = scaled.signup("acme").await;
    let answer = owner.post("/v1/migration/execute", json!({})).await;
    assert_eq!(answer.headers["x-ratelimit-limit"], "10");
}
