//! The paths of the OpenFeature Remote Evaluation Protocol: answers, refusals, tags.

use crate::support::*;
use axum::{
    body::Body,
    http::{Method, Request, StatusCode},
};
use edge_node::Edge;
use protocol::snapshot::{Flag, FlagType, Variant};
use serde_json::{Value, json};

const BULK: &str = "/ofrep/v1/evaluate/flags";

fn single(flag: &str) -> String {
    format!("{BULK}/{flag}")
}

const USER: &str = r#"{"context": {"targetingKey": "u", "country": "NL"}}"#;

/// One flag for every reason, by its name.
fn flags() -> Vec<Flag> {
    let mut flags = vec![
        toggle(1, "disabled", false),
        toggle(2, "fallthrough", true),
        toggle(3, "rollout", true),
        toggle(4, "targeted", true),
        toggle(5, "gated", true),
        toggle(6, "excluded", true),
        toggle(7, "winner", true),
        toggle(8, "variant", true),
        toggle(9, "wrong", true),
        toggle(10, "text", true),
    ];
    let state = |flag: &mut Flag| flag.state.take().unwrap();
    let mut change = |index: usize, change: &dyn Fn(&mut protocol::snapshot::FlagState)| {
        let mut changed = state(&mut flags[index]);
        change(&mut changed);
        flags[index].state = Some(changed);
    };
    change(2, &|state| state.percentage_rollout = Some(10_000));
    change(3, &|state| state.rules = vec![rule("country", &["NL"])]);
    change(7, &|state| {
        state.variants = vec![Variant {
            key: "blue \"sky\"".to_owned(),
            value: r#"{"color":"blue"}"#.to_owned(),
            weight: 10_000,
        }];
    });
    change(8, &|state| state.default_value = Some("5".to_owned()));
    change(9, &|state| {
        state.default_value = Some("\"hello\"".to_owned());
    });
    flags[4].prerequisites = vec!["disabled".to_owned()];
    // One of the two wins, depending on the hash of the user.
    flags[5].mutual_exclusion_group = "group".to_owned();
    flags[6].mutual_exclusion_group = "group".to_owned();
    flags[7].flag_type = FlagType::Ab;
    flags[9].flag_type = FlagType::String;
    flags[9].default_value = "\"\"".to_owned();
    flags
}

fn serving_all() -> (Edge, axum::Router) {
    let edge = Edge::new(settings(&[]), clock(), None);
    edge.apply(&whole(&snapshot(9, 7, flags())));
    let router = router(&edge);
    (edge, router)
}

#[tokio::test]
async fn every_reason_is_given_in_the_terms_of_the_protocol() {
    let (_edge, router) = serving_all();
    for (flag, value, reason, variant) in [
        ("disabled", json!(false), "DISABLED", "off"),
        ("fallthrough", json!(true), "DEFAULT", "on"),
        ("rollout", json!(true), "SPLIT", "on"),
        ("targeted", json!(true), "TARGETING_MATCH", "on"),
        ("variant", json!({"color": "blue"}), "SPLIT", "blue \"sky\""),
        ("text", json!("hello"), "DEFAULT", "default"),
    ] {
        let answer = post(&router, &single(flag), KEY, USER).await;
        assert_eq!(answer.status, StatusCode::OK, "{flag}");
        assert_eq!(
            answer.json(),
            json!({"key": flag, "value": value, "reason": reason, "variant": variant})
        );
        assert_eq!(answer.header("x-snapshot-version"), "7");
        assert_eq!(answer.header("cache-control"), "no-store");
        assert_eq!(answer.header("x-ratelimit-limit"), "60000");
    }
    let gated = post(&router, &single("gated"), KEY, USER).await;
    assert_eq!(
        gated.json(),
        json!({"key": "gated", "value": false, "reason": "DEFAULT", "variant": "off",
            "metadata": {"reason": "PREREQUISITE_FAILED"}})
    );
    let mut reasons = Vec::new();
    for flag in ["excluded", "winner"] {
        let answer = post(&router, &single(flag), KEY, USER).await.json();
        assert_eq!(answer["reason"], "DEFAULT");
        reasons.push(answer["metadata"]["reason"].clone());
    }
    reasons.sort_by_key(Value::is_null);
    assert_eq!(reasons, [json!("MUTUALLY_EXCLUDED"), Value::Null]);
}

#[tokio::test]
async fn a_damaged_value_is_an_error_singly_and_an_entry_among_all() {
    let (_edge, router) = serving_all();
    let failure = json!({"key": "wrong", "errorCode": "GENERAL",
        "errorDetails": "a stored value does not have the type of the flag"});
    let one = post(&router, &single("wrong"), KEY, USER).await;
    assert_eq!(
        (one.status, one.json()),
        (StatusCode::BAD_REQUEST, failure.clone())
    );

    let all = post(&router, BULK, KEY, USER).await;
    assert_eq!(all.status, StatusCode::OK);
    let all = all.json();
    let entries = all["flags"].as_array().unwrap();
    assert_eq!(entries.len(), flags().len());
    assert!(entries.contains(&failure));
    for entry in entries.iter().filter(|entry| **entry != failure) {
        let key = entry["key"].as_str().unwrap();
        let one = post(&router, &single(key), KEY, USER).await;
        assert_eq!(one.json(), *entry);
    }
}

#[tokio::test]
async fn all_flags_come_with_the_version_and_no_stream_before_there_is_a_secret() {
    let (_edge, router) = serving(&[]);
    let answer = post(&router, BULK, KEY, USER).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(
        answer.body,
        r#"{"flags":[{"key":"off","value":false,"reason":"DISABLED","variant":"off"},{"key":"on","value":true,"reason":"DEFAULT","variant":"on"}],"metadata":{"version":7}}"#
    );

    let edge = Edge::new(settings(&[]), clock(), None);
    edge.apply(&whole(&snapshot(9, 7, Vec::new())));
    let none = post(&edge.router(), BULK, KEY, USER).await;
    assert_eq!(none.body, r#"{"flags":[],"metadata":{"version":7}}"#);
}

#[tokio::test]
async fn an_unknown_flag_is_404_with_its_key() {
    let (_edge, router) = serving(&[]);
    for (path, key) in [("nope", "nope"), ("a%22b", "a\"b"), ("%ff", "")] {
        let answer = post(&router, &single(path), KEY, USER).await;
        assert_eq!(
            (answer.status, answer.json()),
            (
                StatusCode::NOT_FOUND,
                json!({"key": key, "errorCode": "FLAG_NOT_FOUND", "errorDetails": "flag not found"})
            )
        );
    }
}

#[tokio::test]
async fn bad_requests_are_refused_by_code() {
    let (_edge, router) = serving(&[]);
    let long = format!(
        r#"{{"context": {{"targetingKey": "{}"}}}}"#,
        "x".repeat(1_025)
    );
    for (body, code) in [
        ("{", "PARSE_ERROR"),
        ("[]", "PARSE_ERROR"),
        (r#"{"context": {"targetingKey": "\u0000"}}"#, "PARSE_ERROR"),
        ("", "INVALID_CONTEXT"),
        ("{}", "INVALID_CONTEXT"),
        (r#"{"context": null}"#, "INVALID_CONTEXT"),
        (r#"{"context": ["u"]}"#, "INVALID_CONTEXT"),
        (r#"{"context": "u"}"#, "INVALID_CONTEXT"),
        (r#"{"context": {"targetingKey": 5}}"#, "INVALID_CONTEXT"),
        (long.as_str(), "INVALID_CONTEXT"),
        (r#"{"context": {}}"#, "TARGETING_KEY_MISSING"),
        (r#"{"context": {"key": "u"}}"#, "TARGETING_KEY_MISSING"),
        (
            r#"{"context": {"targetingKey": null}}"#,
            "TARGETING_KEY_MISSING",
        ),
        (
            r#"{"context": {"targetingKey": " "}}"#,
            "TARGETING_KEY_MISSING",
        ),
    ] {
        let one = post(&router, &single("on"), KEY, body).await;
        assert_eq!(one.status, StatusCode::BAD_REQUEST, "{body}");
        let one = one.json();
        assert_eq!(
            (&one["key"], &one["errorCode"]),
            (&json!("on"), &json!(code)),
            "{body}"
        );
        assert!(one["errorDetails"].is_string());

        let all = post(&router, BULK, KEY, body).await;
        assert_eq!(all.status, StatusCode::BAD_REQUEST, "{body}");
        let all = all.json();
        assert_eq!(all["errorCode"], code, "{body}");
        assert!(all.get("key").is_none());
    }
}

#[tokio::test]
async fn attributes_in_a_place_of_their_own_are_warned_about() {
    let (_edge, router) = serving(&[]);
    let nested = "context.attributes: one attribute of this name; what rules look at belongs beside targetingKey";
    for (context, warning) in [
        (r#"{"targetingKey": "u", "country": "NL"}"#, ""),
        (r#"{"targetingKey": "u", "attributes": "many"}"#, ""),
        (
            r#"{"targetingKey": "u", "attributes": {"country": "NL"}}"#,
            nested,
        ),
    ] {
        let body = format!(r#"{{"context": {context}}}"#);
        for path in [&single("on"), BULK] {
            let answer = post(&router, path, KEY, &body).await;
            assert_eq!(answer.status, StatusCode::OK, "{body}");
            assert_eq!(answer.header("x-warnings"), warning, "{body}");
        }
    }
}

#[tokio::test]
async fn what_never_reaches_evaluation_is_refused_as_on_the_native_paths() {
    let (_edge, router) = serving(&[("RATE_EVALUATION", "3")]);
    for path in [BULK.to_owned(), single("on")] {
        for headers in [
            &[][..],
            &[("x-api-key", "unknown")],
            &[("x-api-key", "")],
            &[("authorization", "Bearer unknown")],
            &[("authorization", "Basic x")],
            // `X-API-Key` takes precedence.
            &[("x-api-key", "unknown"), ("authorization", BEARER)],
        ] {
            let answer = post_with(&router, &path, headers, "not json").await;
            assert_eq!(
                (answer.status, answer.json()),
                (
                    StatusCode::UNAUTHORIZED,
                    json!({"error": "invalid or missing api key"})
                ),
                "{headers:?}"
            );
        }
        let query = format!("{path}?api_key={KEY}");
        assert_eq!(
            post_with(&router, &query, &[], USER).await.status,
            StatusCode::UNAUTHORIZED
        );
    }
    let text = Request::post(BULK)
        .header("x-api-key", KEY)
        .header("content-type", "text/plain");
    let answer = send(&router, text.body(Body::from(USER)).unwrap()).await;
    assert_eq!(answer.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let large = format!(r#"{{"context": "{}"}}"#, "x".repeat(1 << 20));
    let answer = post(&router, BULK, KEY, &large).await;
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);

    // Refused requests count too.
    assert_eq!(post(&router, BULK, KEY, USER).await.status, StatusCode::OK);
    let refused = post(&router, &single("on"), KEY, USER).await;
    assert_eq!(
        (refused.status, refused.json()),
        (
            StatusCode::TOO_MANY_REQUESTS,
            json!({"error": "rate limit exceeded"})
        )
    );
    assert_eq!(refused.header("retry-after"), "20");
    assert_eq!(refused.header("x-ratelimit-remaining"), "0");
}

const BEARER: &str = "Bearer srv_0123456789abcdef0123456789abcdef0123456789abcdef";

#[tokio::test]
async fn the_key_may_be_the_bearer_token() {
    let (_edge, router) = serving(&[]);
    for token in [BEARER, &format!("bearer  {KEY}")] {
        let answer = post_with(&router, BULK, &[("authorization", token)], USER).await;
        assert_eq!(answer.status, StatusCode::OK, "{token}");
    }
}

#[tokio::test]
async fn the_tag_depends_on_what_is_served_and_on_the_context_in_any_order() {
    let (edge, router) = serving(&[]);
    let first = post(&router, BULK, KEY, USER).await;
    let tag = first.header("etag").to_owned();
    assert!(tag.starts_with("W/\"7-"), "{tag}");
    let ask = async |body: &str| {
        let headers = [("x-api-key", KEY), ("if-none-match", tag.as_str())];
        post_with(&router, BULK, &headers, body).await
    };

    let again = ask(r#"{"context": {"country": "NL", "targetingKey": "u"}}"#).await;
    assert_eq!(
        (again.status, again.body.as_str(), again.header("etag")),
        (StatusCode::NOT_MODIFIED, "", tag.as_str())
    );
    assert_eq!(again.header("x-snapshot-version"), "7");
    for other in [
        r#"{"context": {"country": "NL", "targetingKey": "v"}}"#,
        r#"{"context": {"country": "BE", "targetingKey": "u"}}"#,
        r#"{"context": {"targetingKey": "u"}}"#,
    ] {
        assert_eq!(ask(other).await.status, StatusCode::OK, "{other}");
    }
    assert_eq!(ask("{}").await.status, StatusCode::BAD_REQUEST);

    edge.apply(&whole(&snapshot(9, 8, vec![toggle(2, "on", true)])));
    let changed = ask(USER).await;
    assert_eq!(changed.status, StatusCode::OK);
    assert_eq!(changed.json()["metadata"], json!({"version": 8}));
}

#[tokio::test]
async fn what_a_client_says_of_the_announced_configuration_is_ignored() {
    let (_edge, router) = serving(&[]);
    let plain = post(&router, BULK, KEY, USER).await;
    for query in [
        "flagConfigEtag=9-00",
        "flagConfigEtag=&flagConfigLastModified=nonsense",
    ] {
        let answer = post(&router, &format!("{BULK}?{query}"), KEY, USER).await;
        assert_eq!(
            (answer.status, &answer.body, answer.header("etag")),
            (StatusCode::OK, &plain.body, plain.header("etag")),
            "{query}"
        );
    }
}

#[tokio::test]
async fn browsers_of_any_origin_may_ask() {
    let (_edge, router) = serving(&[]);
    for path in [BULK, "/ofrep/v1/evaluate/flags/on", "/ofrep/v1/stream"] {
        let request = Request::builder()
            .method(Method::OPTIONS)
            .uri(path)
            .header("origin", "https://app.test")
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", "if-none-match,x-api-key");
        let answer = send(&router, request.body(Body::empty()).unwrap()).await;
        assert_eq!(answer.status, StatusCode::NO_CONTENT, "{path}");
        assert_eq!(answer.header("access-control-allow-origin"), "*");
        assert_eq!(answer.header("access-control-max-age"), "600");
        let admitted = answer.header("access-control-allow-headers");
        for name in [
            "x-api-key",
            "authorization",
            "content-type",
            "if-none-match",
        ] {
            assert!(admitted.contains(name), "{name} in {admitted}");
        }
    }
    let headers = [("x-api-key", KEY), ("origin", "https://app.test")];
    let answer = post_with(&router, BULK, &headers, USER).await;
    assert_eq!(answer.header("access-control-allow-origin"), "*");
    let exposed = answer.header("access-control-expose-headers");
    for name in [
        "etag",
        "x-snapshot-version",
        "x-ratelimit-remaining",
        "retry-after",
        "x-warnings",
    ] {
        assert!(exposed.contains(name), "{name} in {exposed}");
    }
    assert_eq!(
        get(&router, BULK, &[]).await.status,
        StatusCode::METHOD_NOT_ALLOWED
    );
}
