//! All flags of one user: GET by a key, POST by a context, and 304 if the client already has them.

use crate::support::*;
use axum::http::StatusCode;
use edge_node::Edge;
use serde_json::json;

#[tokio::test]
async fn client_flags_have_every_flag_and_an_entity_tag() {
    let (edge, router) = serving(&[]);
    let path = "/v1/client/dev/flags?key=user-1";
    let first = get(&router, path, &[("x-api-key", KEY)]).await;
    assert_eq!(
        (first.status, first.json()),
        (StatusCode::OK, json!({"off": false, "on": true}))
    );
    let tag = first.header("etag").to_owned();
    assert!(tag.starts_with("W/\"7-"), "{tag}");

    let again = get(
        &router,
        path,
        &[("x-api-key", KEY), ("if-none-match", &tag)],
    )
    .await;
    assert_eq!(
        (again.status, again.body.as_str()),
        (StatusCode::NOT_MODIFIED, "")
    );
    assert_eq!(again.header("etag"), tag);
    assert_eq!(again.header("x-snapshot-version"), "7");
    assert_eq!(again.header("cache-control"), "no-store");

    let other = get(
        &router,
        "/v1/client/dev/flags",
        &[("x-api-key", KEY), ("if-none-match", &tag)],
    )
    .await;
    assert_eq!(other.status, StatusCode::OK);
    let anonymous = get(&router, "/v1/client/dev/flags?key=", &[("x-api-key", KEY)]).await;
    assert_eq!(anonymous.header("etag"), other.header("etag"));

    edge.apply(&whole(&snapshot(9, 8, vec![toggle(2, "on", true)])));
    let changed = get(
        &router,
        path,
        &[("x-api-key", KEY), ("if-none-match", &tag)],
    )
    .await;
    assert_eq!(
        (changed.status, changed.json()),
        (StatusCode::OK, json!({"on": true}))
    );
}

#[tokio::test]
async fn client_flags_of_a_context_depend_on_all_of_it() {
    let edge = Edge::new(settings(&[]), clock(), None);
    let router = edge.router();
    let mut targeted = toggle(1, "beta", true);
    targeted.state.as_mut().unwrap().rules = vec![rule("country", &["NL"])];
    edge.apply(&whole(&snapshot(9, 7, vec![targeted])));
    let path = "/v1/client/dev/flags";
    let ask = async |body: &str| post(&router, path, KEY, body).await;

    let dutch = ask(r#"{"context": {"key": "u", "attributes": {"country": "NL", "n": 1}}}"#).await;
    assert_eq!(
        (dutch.status, dutch.body.as_str()),
        (StatusCode::OK, r#"{"beta":true}"#)
    );
    let other = ask(r#"{"context": {"key": "u", "attributes": {"country": "BE", "n": 1}}}"#).await;
    assert_eq!(other.body, r#"{"beta":false}"#);
    assert_ne!(other.header("etag"), dutch.header("etag"));

    let bare = ask(r#"{"attributes": {"n": 1, "country": "NL"}, "key": "u"}"#).await;
    assert_eq!(
        (bare.body.as_str(), bare.header("etag")),
        (r#"{"beta":true}"#, dutch.header("etag"))
    );
    let known = [("x-api-key", KEY), ("if-none-match", dutch.header("etag"))];
    let body = r#"{"context": {"key": "u", "attributes": {"n": 1, "country": "NL"}}}"#;
    let again = post_with(&router, path, &known, body).await;
    assert_eq!(
        (again.status, again.body.as_str()),
        (StatusCode::NOT_MODIFIED, "")
    );

    let nobody = ask("").await;
    let anonymous = get(&router, path, &[("x-api-key", KEY)]).await;
    assert_eq!(nobody.header("etag"), anonymous.header("etag"));
    assert_eq!(nobody.body, anonymous.body);
}

#[tokio::test]
async fn a_client_sends_a_context_or_is_one() {
    let (_edge, router) = serving(&[]);
    let path = "/v1/client/dev/flags";
    let mut tags = Vec::new();
    for body in [
        r#"{"context": {"key": "u", "attributes": {"a": 1}}}"#,
        r#"{"context": {"key": "u", "attributes": {"a": 1}}, "key": "v"}"#,
        r#"{"key": "u", "attributes": {"a": 1}}"#,
        r#"{"context": null, "key": "u", "attributes": {"a": 1}}"#,
    ] {
        let answer = post(&router, path, KEY, body).await;
        assert_eq!(answer.status, StatusCode::OK, "{body}");
        tags.push(answer.header("etag").to_owned());
    }
    tags.dedup();
    assert_eq!(tags.len(), 1, "all are the same context");
}

#[tokio::test]
async fn bad_contexts_of_client_flags_are_refused_with_400_and_strangers_before_them() {
    let (_edge, router) = serving(&[]);
    let path = "/v1/client/dev/flags";
    for body in [
        "{",
        "[]",
        r#"{"context": []}"#,
        r#"{"context": {"key": 5}}"#,
        r#"{"key": 5}"#,
        r#"{"attributes": []}"#,
    ] {
        let answer = post(&router, path, KEY, body).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{body}");
        let stranger = post(&router, path, "unknown", body).await;
        assert_eq!(stranger.status, StatusCode::UNAUTHORIZED, "{body}");
        let elsewhere = post(&router, "/v1/client/prod/flags", KEY, body).await;
        assert_eq!(elsewhere.status, StatusCode::FORBIDDEN, "{body}");
    }
}
