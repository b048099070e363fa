//! The evaluation paths of an edge in this process: answers, refusals, their order and their headers.

use crate::support::*;
use axum::{
    body::Body,
    http::{Method, Request, StatusCode},
};
use edge_node::Edge;
use serde_json::json;

#[tokio::test]
async fn one_flag_is_answered_with_exactly_four_members() {
    let (_edge, router) = serving(&[]);
    let answer = post(
        &router,
        "/v1/evaluate",
        KEY,
        r#"{"flag_key": "on", "context": {"key": "u"}}"#,
    )
    .await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(
        answer.body,
        r#"{"flag_key":"on","value":true,"reason":"FALLTHROUGH","variant_key":""}"#
    );
    assert_eq!(answer.header("x-snapshot-version"), "7");
    assert_eq!(answer.header("cache-control"), "no-store");
    assert_eq!(answer.header("content-type"), "application/json");
    assert_eq!(answer.header("x-ratelimit-limit"), "60000");
    assert_eq!(answer.header("x-ratelimit-remaining"), "59999");
}

#[tokio::test]
async fn an_unknown_flag_is_an_answer() {
    let (_edge, router) = serving(&[]);
    let answer = post(
        &router,
        "/v1/evaluate",
        KEY,
        r#"{"flag_key": "a\"b", "context": {"key": "u"}}"#,
    )
    .await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(
        answer.body,
        r#"{"flag_key":"a\"b","value":null,"reason":"NOT_FOUND","variant_key":""}"#
    );
}

#[tokio::test]
async fn bulk_collapses_duplicates_and_keeps_unknown_keys() {
    let (_edge, router) = serving(&[]);
    let body = r#"{"flag_keys": ["on", "nope", "off", "on", "nope"], "context": {"key": "u", "attributes": null}}"#;
    let answer = post(&router, "/v1/evaluate/bulk", KEY, body).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(
        answer.body,
        r#"{"on":{"flag_key":"on","value":true,"reason":"FALLTHROUGH"},"nope":{"flag_key":"nope","value":null,"reason":"NOT_FOUND"},"off":{"flag_key":"off","value":false,"reason":"DISABLED"}}"#
    );
    let empty = post(
        &router,
        "/v1/evaluate/bulk",
        KEY,
        r#"{"flag_keys": [], "context": {"key": "u"}}"#,
    )
    .await;
    assert_eq!((empty.status, empty.body.as_str()), (StatusCode::OK, "{}"));
}

#[tokio::test]
async fn bad_bodies_are_refused_with_400_and_still_carry_the_version() {
    let (_edge, router) = serving(&[]);
    let long = "x".repeat(1_025);
    for (path, body) in [
        ("/v1/evaluate", "{"),
        ("/v1/evaluate", "[]"),
        ("/v1/evaluate", ""),
        ("/v1/evaluate", r#"{"flag_key": "on"}"#),
        (
            "/v1/evaluate",
            r#"{"flag_key": "", "context": {"key": "u"}}"#,
        ),
        (
            "/v1/evaluate",
            r#"{"flag_key": 1, "context": {"key": "u"}}"#,
        ),
        (
            "/v1/evaluate",
            r#"{"flag_key": "on", "context": {"key": "u", "attributes": []}}"#,
        ),
        (
            "/v1/evaluate",
            &format!(r#"{{"flag_key": "on", "context": {{"key": "{long}"}}}}"#),
        ),
        ("/v1/evaluate/bulk", r#"{"context": {"key": "u"}}"#),
        (
            "/v1/evaluate/bulk",
            r#"{"flag_keys": [1], "context": {"key": "u"}}"#,
        ),
        (
            "/v1/evaluate/bulk",
            r#"{"flag_keys": ["on"], "context": {"key": ""}}"#,
        ),
    ] {
        let answer = post(&router, path, KEY, body).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{body}");
        assert!(answer.json()["error"].is_string(), "{body}");
        assert_eq!(answer.header("x-snapshot-version"), "7", "{body}");
    }
}

#[tokio::test]
async fn attributes_beside_the_key_are_warned_about() {
    let (_edge, router) = serving(&[]);
    let flat =
        "context: only key and attributes are read; what rules look at belongs into attributes";
    for (context, warning) in [
        (r#"{"key": "u", "attributes": {"country": "NL"}}"#, ""),
        (r#"{"key": "u", "country": "NL"}"#, flat),
    ] {
        let one = format!(r#"{{"flag_key": "on", "context": {context}}}"#);
        let many = format!(r#"{{"flag_keys": ["on"], "context": {context}}}"#);
        let within = format!(r#"{{"context": {context}}}"#);
        for (path, body) in [
            ("/v1/evaluate", one.as_str()),
            ("/v1/evaluate/bulk", many.as_str()),
            ("/v1/client/dev/flags", within.as_str()),
            ("/v1/client/dev/flags", context),
        ] {
            let answer = post(&router, path, KEY, body).await;
            assert_eq!(answer.status, StatusCode::OK, "{body}");
            assert_eq!(answer.header("x-warnings"), warning, "{body}");
        }
    }
}

#[tokio::test]
async fn a_body_that_is_not_json_is_415_and_a_large_one_413() {
    let (_edge, router) = serving(&[]);
    let request = Request::post("/v1/evaluate")
        .header("x-api-key", KEY)
        .header("content-type", "text/plain");
    let answer = send(&router, request.body(Body::from("{}")).unwrap()).await;
    assert_eq!(answer.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);

    let large = format!(r#"{{"flag_key": "{}"}}"#, "x".repeat(1 << 20));
    assert_eq!(
        post(&router, "/v1/evaluate", KEY, &large).await.status,
        StatusCode::PAYLOAD_TOO_LARGE
    );
}

#[tokio::test]
async fn keys_are_refused_with_one_message_and_before_everything_else() {
    let (edge, router) = serving(&[]);
    let refused = json!({"error": "invalid or missing api key"});
    let long = "k".repeat(257);
    for key in ["unknown", "", &long] {
        let answer = post(&router, "/v1/evaluate", key, "not json").await;
        assert_eq!(
            (answer.status, answer.json()),
            (StatusCode::UNAUTHORIZED, refused.clone()),
            "{key}"
        );
        assert_eq!(answer.header("www-authenticate"), "");
        assert_eq!(answer.header("cache-control"), "no-store");
    }
    let bearer = get(
        &router,
        "/v1/client/dev/flags",
        &[("authorization", "Bearer x")],
    )
    .await;
    assert_eq!(
        (bearer.status, bearer.json()),
        (StatusCode::UNAUTHORIZED, refused.clone())
    );
    // The path is looked at only after that, and the query key of a POST path not at all.
    assert_eq!(
        get(&router, "/v1/client/other/flags", &[]).await.status,
        StatusCode::UNAUTHORIZED
    );
    let request = Request::post(format!("/v1/evaluate?api_key={KEY}"))
        .body(Body::empty())
        .unwrap();
    assert_eq!(
        send(&router, request).await.status,
        StatusCode::UNAUTHORIZED
    );

    edge.apply(&protocol::wire::message::Push::Removed { env_id: env_id(9) });
    assert_eq!(evaluate(&router, "on").await, "401 Unauthorized");
}

#[tokio::test]
async fn an_expired_key_is_refused() {
    let clock = clock();
    let edge = Edge::new(settings(&[]), clock.clone(), None);
    let router = edge.router();
    let mut soon = snapshot(9, 1, vec![toggle(1, "on", true)]);
    soon.keys = vec![key(KEY, Some(clock.unix_ms() + 60_000))];
    edge.apply(&whole(&soon));
    assert_eq!(evaluate(&router, "on").await, "true FALLTHROUGH");
    clock.advance(std::time::Duration::from_secs(60));
    assert_eq!(evaluate(&router, "on").await, "401 Unauthorized");
}

#[tokio::test]
async fn an_edge_that_never_held_anything_answers_503() {
    let edge = Edge::new(settings(&[]), clock(), None);
    let router = edge.router();
    let answer = post(&router, "/v1/evaluate", KEY, "{}").await;
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(answer.header("retry-after"), "1");
    assert!(!edge.is_ready());
}

#[tokio::test]
async fn the_environment_of_the_path_must_be_that_of_the_key() {
    let (_edge, router) = serving(&[]);
    let by_id = format!("/v1/client/{}/flags", env_id(9));
    assert_eq!(
        get(&router, &by_id, &[("x-api-key", KEY)]).await.status,
        StatusCode::OK
    );
    for path in [
        "/v1/client/prod/flags",
        "/v1/client/prod/flags?key=%00",
        "/v1/stream/prod",
        "/v1/client/%ff/flags",
    ] {
        let answer = get(&router, path, &[("x-api-key", KEY)]).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{path}");
        assert_eq!(answer.header("x-snapshot-version"), "7", "{path}");
    }
    let key = "x".repeat(1_025);
    let answer = get(
        &router,
        &format!("/v1/client/dev/flags?key={key}"),
        &[("x-api-key", KEY)],
    )
    .await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn the_key_in_the_query_is_deprecated_and_the_header_wins() {
    let (_edge, router) = serving(&[]);
    let path = format!("/v1/client/dev/flags?api_key={KEY}");
    let answer = get(&router, &path, &[]).await;
    assert_eq!(
        (answer.status, answer.header("deprecation")),
        (StatusCode::OK, "true")
    );
    let header = get(&router, &path, &[("x-api-key", "unknown")]).await;
    assert_eq!(
        (header.status, header.header("deprecation")),
        (StatusCode::UNAUTHORIZED, "")
    );
    let wrong = get(&router, "/v1/client/dev/flags?api_key=wrong", &[]).await;
    assert_eq!(
        (wrong.status, wrong.header("deprecation")),
        (StatusCode::UNAUTHORIZED, "true")
    );
}

#[tokio::test]
async fn beyond_the_rate_every_path_answers_429() {
    let (_edge, router) = serving(&[("RATE_EVALUATION", "2")]);
    assert_eq!(evaluate(&router, "on").await, "true FALLTHROUGH");
    assert_eq!(evaluate(&router, "on").await, "true FALLTHROUGH");
    let refused = get(&router, "/v1/stream/prod", &[("x-api-key", KEY)]).await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(refused.json(), json!({"error": "rate limit exceeded"}));
    assert_eq!(refused.header("retry-after"), "30");
    assert_eq!(refused.header("x-ratelimit-remaining"), "0");
    assert_eq!(refused.header("x-snapshot-version"), "7");
}

#[tokio::test]
async fn a_key_that_comes_again_has_spent_what_it_had() {
    let (edge, router) = serving(&[("RATE_EVALUATION", "2")]);
    assert_eq!(evaluate(&router, "on").await, "true FALLTHROUGH");
    assert_eq!(evaluate(&router, "on").await, "true FALLTHROUGH");
    let mut changed = snapshot(9, 8, vec![toggle(2, "on", true)]);
    changed.keys[0].expires_at_ms = Some(i64::MAX);
    edge.apply(&whole(&changed));
    let refused = get(&router, "/v1/client/dev/flags", &[("x-api-key", KEY)]).await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(refused.header("x-snapshot-version"), "8");
}

#[tokio::test]
async fn browsers_of_any_origin_may_ask_without_a_key_first() {
    let (_edge, router) = serving(&[]);
    for path in [
        "/v1/evaluate",
        "/v1/evaluate/bulk",
        "/v1/client/dev/flags",
        "/v1/stream/dev",
    ] {
        let request = Request::builder().method(Method::OPTIONS).uri(path);
        let request = request
            .header("origin", "https://app.test")
            .header("access-control-request-method", "POST");
        let answer = send(&router, request.body(Body::empty()).unwrap()).await;
        assert_eq!(answer.status, StatusCode::NO_CONTENT, "{path}");
        assert_eq!(answer.header("access-control-allow-origin"), "*");
        assert_eq!(answer.header("access-control-max-age"), "600");
        assert!(
            answer
                .header("access-control-allow-headers")
                .contains("x-api-key")
        );
    }
    let refused = get(&router, "/v1/stream/dev", &[("origin", "https://app.test")]).await;
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
    assert_eq!(refused.header("access-control-allow-origin"), "*");
    assert_eq!(
        get(&router, "/v1/evaluate", &[]).await.status,
        StatusCode::METHOD_NOT_ALLOWED
    );
}
