//! What every answer has in common, whatever the endpoint.

use std::time::Duration;

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
    assert_eq!(answer.header("cache-control"), "no-store");
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
async fn an_api_key_in_place_of_a_token_is_told_so() {
    let (app, owner) = App::with_owner().await;
    let key = owner.api_key(&owner.default_project().await.dev).await;
    let words = "an API key is for evaluation only: this takes the access token of a login, or one made for programs, as Authorization: Bearer";
    let get = |name: &'static str, value: String| {
        let request = app.anonymous().request(Method::GET, "/v1/projects");
        owner.send(request.header(name, value))
    };
    for (name, value) in [
        ("x-api-key", key.clone()),
        ("authorization", format!("Bearer {key}")),
        ("authorization", key),
    ] {
        let refused = get(name, value).await;
        refused.expect_error(401, words);
        assert_eq!(refused.header("www-authenticate"), "Bearer");
    }
    let token = format!("Bearer {}", owner.access_token);
    get("authorization", token).await.expect_status(200);
    let invalid = "invalid or expired token";
    let no_key = get("authorization", "Bearer srv_0123".to_owned()).await;
    no_key.expect_error(401, invalid);
}

#[tokio::test]
async fn a_slug_where_only_an_id_can_be_meant_is_told_so() {
    let (_app, owner) = App::with_owner().await;
    for (path, name) in [
        // An environment has its slug within a project alone.
        ("/v1/environments/dev/api-keys", "envID"),
        ("/v1/migration/status/last", "id"),
    ] {
        let words =
            format!("not found: {name} must be an id (a UUID), not a slug, a key or a name");
        owner.get(path).await.expect_error(404, &words);
    }
}

#[tokio::test]
async fn a_field_of_a_wrong_type_is_named_by_its_place() {
    let (_app, owner, project) = App::with_project().await;
    let flags = format!("/v1/projects/{}/flags", project.id);
    for (field, value, words) in [
        ("name", json!(7), "name must be a string"),
        ("tags", json!("beta"), "tags must be a list"),
        ("tags", json!(["beta", null]), "tags[1] must be a string"),
    ] {
        let mut flag = json!({"key": "f", "name": "F"});
        flag[field] = value;
        owner.post(&flags, flag).await.expect_error(400, words);
    }
    let flag = json!({"key": "f", "name": "F"});
    owner.create(&flags, flag).await;
    let points = "must be an integer in basis points, 0 to 10000";
    for (state, words) in [
        (
            json!({"enabled": "yes"}),
            "enabled must be a boolean".to_owned(),
        ),
        (json!({"rules": {}}), "rules must be a list".to_owned()),
        (
            json!({"rules": [["a"]]}),
            "rules[0] must be an object".to_owned(),
        ),
        (
            json!({"percentage_rollout": 0.5}),
            format!("percentage_rollout {points}"),
        ),
        (
            json!({"percentage_rollout": "25"}),
            format!("percentage_rollout {points}"),
        ),
        (
            json!({"percentage_rollout": u64::MAX}),
            format!("percentage_rollout {points}"),
        ),
        (
            json!({"percentage_rollout": 10_001}),
            format!("percentage_rollout {points}"),
        ),
        (
            json!({"rules": [{"percentage": "all"}]}),
            format!("rules[0].percentage {points}"),
        ),
        (
            json!({"variants": [{"key": "a", "weight": 0.5}]}),
            format!("variants[0].weight {points}"),
        ),
    ] {
        let path = format!("{flags}/f/environments/{}", project.dev);
        owner.put(&path, state).await.expect_error(400, &words);
    }
}

#[tokio::test]
async fn bodies_must_be_json_of_a_bounded_size() {
    let (_app, owner) = App::with_owner().await;
    let post = |content_type: &'static str, body: String| {
        let request = owner.request(Method::POST, "/v1/projects");
        owner.send(request.header(CONTENT_TYPE, content_type).body(body))
    };

    post("text/plain", "{}".into()).await.expect_status(415);
    post("application/json; charset=utf-8", "{".into())
        .await
        .expect_status(400);
    for other_json in ["[\"x\"]", "\"x\"", "7", "null"] {
        post("application/json", other_json.into())
            .await
            .expect_error(400, "body must be a JSON object");
    }
    post("application/json", "{\"name\": 7}".into())
        .await
        .expect_status(400);
    post("application/json", "{\"name\": \"a\\u0000b\"}".into())
        .await
        .expect_status(400);
    let large = format!("{{\"name\": \"{}\"}}", "x".repeat(1 << 20));
    post("application/json", large).await.expect_status(413);
}

#[tokio::test]
async fn a_body_needs_a_content_type_and_no_body_needs_none() {
    let (_app, owner) = App::with_owner().await;
    let untyped = owner.request(Method::POST, "/v1/projects").body("{}");
    owner
        .send(untyped)
        .await
        .expect_error(415, "content type must be application/json");

    let empty = owner.request(Method::POST, "/v1/projects");
    owner
        .send(empty)
        .await
        .expect_error(400, "name is required");
}

#[tokio::test]
async fn a_nul_character_in_a_path_names_nothing() {
    let (_app, owner) = App::with_owner().await;
    let refused = owner.get("/v1/projects/a%00b").await;
    refused.expect_error(404, "not found");
}

#[tokio::test]
async fn credentials_are_checked_before_the_body() {
    let app = App::start().await;
    let caller = app.anonymous();
    let nonsense = caller.request(Method::POST, "/v1/projects").body("{");
    caller
        .send(nonsense)
        .await
        .expect_error(401, "missing authorization header");
}

#[tokio::test]
async fn other_schemes_than_bearer_are_refused() {
    let app = App::start().await;
    let caller = app.anonymous();
    for credentials in [
        "Basic b3duZXI6cGFzcw==",
        "Bearer",
        "Bearer ",
        "bearer a.b.c",
    ] {
        let request = caller
            .request(Method::GET, "/v1/projects")
            .header("authorization", credentials);
        caller
            .send(request)
            .await
            .expect_error(401, "invalid or expired token");
    }
}

#[tokio::test]
async fn the_management_rate_counts_organizations() {
    let app = App::start_with(&[("RATE_MANAGEMENT", "2")]).await;
    let (acme, other) = (app.signup("acme").await, app.signup("other").await);

    let first = acme.get("/v1/projects").await;
    first.expect_status(200);
    assert_eq!(first.header("x-ratelimit-limit"), "2");
    assert_eq!(first.header("x-ratelimit-remaining"), "1");
    let reset = (app.clock.now() + Duration::from_secs(30)).unix_timestamp();
    assert_eq!(first.header("x-ratelimit-reset"), reset.to_string());

    acme.get("/v1/projects").await.expect_status(200);
    let refused = acme.get("/v1/projects").await;
    refused.expect_error(429, "rate limit exceeded");
    assert_eq!(refused.header("retry-after"), "30");
    other.get("/v1/projects").await.expect_status(200);
}

#[tokio::test]
async fn a_rate_of_zero_is_none() {
    let (_app, owner) = App::with_owner_and(&[("RATE_MANAGEMENT", "0")]).await;
    let answer = owner.get("/v1/projects").await;
    answer.expect_status(200);
    assert!(!answer.headers.contains_key("x-ratelimit-limit"));
}

#[tokio::test]
async fn browsers_of_listed_origins_may_manage() {
    let app = App::start_with(&[("CORS_ORIGIN", "https://app.acme.test")]).await;
    let caller = app.anonymous();
    let ask = async |origin: &str| {
        let preflight = caller
            .request(Method::OPTIONS, "/v1/projects")
            .header("origin", origin)
            .header("access-control-request-method", "POST");
        caller.send(preflight).await
    };

    let answer = ask("https://app.acme.test").await;
    answer.expect(204, json!(null));
    assert_eq!(
        answer.header("access-control-allow-origin"),
        "https://app.acme.test"
    );
    assert_eq!(answer.header("access-control-allow-credentials"), "true");
    let foreign = ask("https://evil.test").await;
    assert!(!foreign.headers.contains_key("access-control-allow-origin"));

    let request = caller
        .request(Method::GET, "/v1/projects")
        .header("origin", "https://app.acme.test");
    let answer = caller.send(request).await;
    let exposed = answer.header("access-control-expose-headers");
    for name in [
        "etag",
        "link",
        "x-ratelimit-limit",
        "x-ratelimit-remaining",
        "x-ratelimit-reset",
        "x-request-id",
        "x-snapshot-version",
        "x-edges-acknowledged",
        "x-edges-lagging",
        "x-ignored-fields",
        "x-warnings",
        "preference-applied",
    ] {
        assert!(exposed.contains(name), "{exposed}");
    }
}
