//! Flags that take much work, by conditions that were stored before there was a bound on them: what they cost, and that
//! others have their turn meanwhile.

use std::{cell::RefCell, thread};

use axum::{Router, http::StatusCode};
use edge_node::Edge;
use futures_util::{
    FutureExt,
    future::{LocalBoxFuture, join_all},
};
use protocol::snapshot::{Flag, MatchType, Snapshot};
use serde_json::json;

use crate::support::*;

/// The keys of other organizations.
const OTHER: &str = "hk_dev_9876543210";
const THIRD: &str = "hk_dev_1111111111";

const CLIENT: &str = "/v1/client/dev/flags";
const OFREP: &str = "/ofrep/v1/evaluate/flags";

/// A flag with so many conditions that tell a text only when they have looked at all of it.
fn testing(number: u128, operator: &str, value: String, conditions: usize) -> Flag {
    let mut rule = rule("text", &[]);
    rule.match_type = MatchType::Any;
    let mut condition = rule.conditions[0].clone();
    condition.operator = operator.to_owned();
    condition.values = vec![value];
    rule.conditions = vec![condition; conditions];
    let mut flag = toggle(number, &format!("costly-{number}"), true);
    flag.state.as_mut().unwrap().rules = vec![rule];
    flag
}

/// A flag that for a long text takes more steps than it may.
fn costly(number: u128) -> Flag {
    testing(number, "contains", "ab".repeat(12) + "c", 110)
}

/// Ten costly flags, the last of which requires all others, and a plain one.
fn ten_costly() -> Vec<Flag> {
    let mut flags: Vec<_> = (0..10).map(costly).collect();
    flags[9].prerequisites = (0..9).map(|number| format!("costly-{number}")).collect();
    flags.push(toggle(99, "plain", true));
    flags
}

/// An edge with ten costly flags, and another organization's with a large environment of plain flags and a costly one.
fn serving_costly(changed: &[(&str, &str)]) -> Router {
    let edge = Edge::new(settings(changed), clock(), None);
    edge.apply(&whole(&snapshot(9, 7, ten_costly())));
    let mut plain = vec![toggle(1, "on", true), costly(2)];
    plain.extend((0..1_500).map(|number| toggle(100 + number, &format!("p-{number}"), true)));
    serve_other(&edge, 10, OTHER, plain);
    edge.router()
}

/// Has the edge serve the environment of another organization.
fn serve_other(edge: &Edge, number: u128, api_key: &str, flags: Vec<Flag>) {
    let mut other: Snapshot = snapshot(number, 1, flags);
    other.head.org_id = id(number);
    other.keys = vec![key(api_key, None)];
    edge.apply(&whole(&other));
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

fn body(flags: &str) -> String {
    let text = "ab".repeat(8_000);
    format!(
        r#"{{{flags}, "context": {{"key": "user", "targetingKey": "user", "text": "{text}", "attributes": {{"text": "{text}"}}}}}}"#
    )
}

#[tokio::test]
async fn a_flag_that_takes_too_much_work_answers_with_error() {
    let router = serving_costly(&[]);
    let answer = post(
        &router,
        "/v1/evaluate",
        KEY,
        &body(r#""flag_key": "costly-0""#),
    )
    .await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(
        answer.body,
        r#"{"flag_key":"costly-0","value":false,"reason":"ERROR","variant_key":""}"#
    );
    let ordinary =
        r#"{"flag_key": "costly-0", "context": {"key": "user", "attributes": {"text": "abc"}}}"#;
    let answer = post(&router, "/v1/evaluate", KEY, ordinary).await;
    assert_eq!(answer.json()["reason"], "FALLTHROUGH");

    // The protocol's answers do not blame a stored value.
    let failure = json!({"key": "costly-0", "errorCode": "GENERAL",
        "errorDetails": "testing the rules of the flag takes more work than an evaluation may"});
    let single = format!("{OFREP}/costly-0");
    let answer = post(&router, &single, KEY, &body(r#""a": 0"#)).await;
    assert_eq!(
        (answer.status, answer.json()),
        (StatusCode::BAD_REQUEST, failure.clone())
    );
    let all = post(&router, OFREP, KEY, &body(r#""a": 0"#)).await.json();
    assert!(all["flags"].as_array().unwrap().contains(&failure));
}

#[tokio::test]
async fn a_request_that_takes_too_much_work_as_a_whole_is_refused() {
    let edge = Edge::new(settings(&[]), clock(), None);
    // The work is counted by the length of the text, which is no number from its first byte on.
    let flags = (0..600).map(|number| testing(number, "gt", "5".to_owned(), 40));
    edge.apply(&whole(&snapshot(9, 7, flags.collect())));
    let router = edge.router();
    let words = "this takes too much work: ask for fewer flags, or send shorter attributes";
    let answer = post(&router, CLIENT, KEY, &body(r#""a": 0"#)).await;
    assert_eq!(
        (answer.status, answer.json()),
        (StatusCode::BAD_REQUEST, json!({"error": words}))
    );
    let answer = post(&router, OFREP, KEY, &body(r#""a": 0"#)).await;
    assert_eq!(
        (answer.status, answer.json()),
        (
            StatusCode::BAD_REQUEST,
            json!({"errorCode": "GENERAL", "errorDetails": words})
        )
    );
    let ordinary = r#"{"context": {"key": "user", "attributes": {"text": "abc"}}}"#;
    let answer = post(&router, CLIENT, KEY, ordinary).await;
    assert_eq!(answer.status, StatusCode::OK);
}

#[tokio::test]
async fn much_work_counts_as_many_requests() {
    for (path, flags, cost) in [
        ("/v1/evaluate", r#""flag_key": "plain""#, 1),
        ("/v1/evaluate", r#""flag_key": "costly-0""#, 10),
        (
            "/v1/evaluate/bulk",
            r#""flag_keys": ["costly-0", "costly-1"]"#,
            20,
        ),
        ("/ofrep/v1/evaluate/flags/costly-0", r#""a": 0"#, 10),
        (CLIENT, r#""a": 0"#, 173),
        (OFREP, r#""a": 0"#, 173),
    ] {
        let router = serving_costly(&[("RATE_EVALUATION", "300")]);
        let answer = post(&router, path, KEY, &body(flags)).await;
        let left = (300 - cost).to_string();
        assert_eq!(
            answer.header("x-ratelimit-remaining"),
            left,
            "{path} {flags}"
        );
    }
    // What is left is taken although it is less.
    let router = serving_costly(&[("RATE_EVALUATION", "8")]);
    let answer = post(
        &router,
        "/v1/evaluate",
        KEY,
        &body(r#""flag_key": "costly-0""#),
    )
    .await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.header("x-ratelimit-remaining"), "0");
    let refused = post(
        &router,
        "/v1/evaluate",
        KEY,
        &body(r#""flag_key": "plain""#),
    )
    .await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test]
async fn another_tenant_is_answered_between_flags_that_take_much_work() {
    let router = serving_costly(&[]);
    let all = r#""flag_keys": ["costly-0", "costly-1", "costly-2"]"#;
    for (path, flags) in [
        ("/v1/evaluate/bulk", all),
        ("/v1/evaluate", r#""flag_key": "costly-9""#),
        ("/v1/client/dev/flags", r#""a": 0"#),
        ("/ofrep/v1/evaluate/flags", r#""a": 0"#),
    ] {
        let order = RefCell::new(Vec::new());
        // On one thread, and in this order: the second has its turn only if the first gives it up.
        let large = async {
            let answer = post(&router, path, KEY, &body(flags)).await;
            order.borrow_mut().push("large");
            answer
        };
        let small = async {
            let body = r#"{"flag_key": "on", "context": {"key": "user-1"}}"#;
            let answer = post(&router, "/v1/evaluate", OTHER, body).await;
            assert_eq!(answer.json()["value"], true);
            order.borrow_mut().push("small");
        };
        let (large, ()) = tokio::join!(large, small);
        assert_eq!(*order.borrow(), ["small", "large"], "{path}");
        assert_eq!(large.status, StatusCode::OK);
    }
}

#[tokio::test]
async fn work_is_charged_although_the_client_left() {
    let router = serving_costly(&[("RATE_EVALUATION", "60")]);
    let flags = body(r#""flag_keys": ["costly-0", "costly-1", "costly-2"]"#);
    let mut asked = Box::pin(post(&router, "/v1/evaluate/bulk", KEY, &flags));
    for _ in 0..3 {
        assert!((&mut asked).now_or_never().is_none());
    }
    drop(asked);
    let plain = body(r#""flag_key": "plain""#);
    let answer = post(&router, "/v1/evaluate", KEY, &plain).await;
    let left: u32 = answer.header("x-ratelimit-remaining").parse().unwrap();
    assert!(left <= 60 - 10, "{left}");
}

#[tokio::test]
async fn two_large_answers_of_two_tenants_take_turns_slice_by_slice() {
    let router = serving_costly(&[]);
    for path in [CLIENT, OFREP] {
        let order = RefCell::new(Vec::new());
        let long = body(r#""a": 0"#);
        let large = |key: &'static str| {
            let (router, order, long) = (&router, &order, &long);
            async move {
                let answer = post(router, path, key, long).await;
                assert_eq!(answer.status, StatusCode::OK);
                order.borrow_mut().push(key);
            }
        };
        // As many of the one as could have all places, and only then the other, which takes far less work.
        let mut asked: Vec<_> = (0..processors())
            .map(|_| large(KEY).boxed_local())
            .collect();
        let short = r#"{"context": {"key": "user", "targetingKey": "user"}}"#;
        asked.push(
            async {
                let answer = post(&router, path, OTHER, short).await;
                assert_eq!(answer.status, StatusCode::OK);
                order.borrow_mut().push(OTHER);
            }
            .boxed_local(),
        );
        join_all(asked).await;
        assert_eq!(order.borrow()[0], OTHER, "{path}");
    }
}

#[tokio::test]
async fn a_single_flag_that_takes_more_than_a_slice_waits_for_a_place() {
    let edge = Edge::new(settings(&[]), clock(), None);
    edge.apply(&whole(&snapshot(9, 7, ten_costly())));
    serve_other(&edge, 10, OTHER, vec![toggle(1, "on", true), costly(2)]);
    serve_other(&edge, 11, THIRD, ten_costly());
    let router = edge.router();
    let all = body(r#""a": 0"#);
    let mut holding: Vec<LocalBoxFuture<'_, _>> = Vec::new();
    for key in [KEY, THIRD] {
        for _ in 0..processors() {
            let mut asked = post(&router, CLIENT, key, &all).boxed_local();
            assert!((&mut asked).now_or_never().is_none());
            holding.push(asked);
        }
    }
    for (path, flags) in [
        ("/v1/evaluate", r#""flag_key": "costly-2""#),
        ("/v1/evaluate/bulk", r#""flag_keys": ["on", "costly-2"]"#),
        ("/ofrep/v1/evaluate/flags/costly-2", r#""a": 0"#),
    ] {
        let question = body(flags);
        let mut asked = Box::pin(post(&router, path, OTHER, &question));
        for _ in 0..10 {
            assert!((&mut asked).now_or_never().is_none(), "{path}");
        }
    }
    let plain = body(r#""flag_key": "on""#);
    let answer = post(&router, "/v1/evaluate", OTHER, &plain).await;
    assert_eq!(answer.json()["value"], true);

    drop(holding);
    let question = body(r#""flag_key": "costly-2""#);
    let answer = post(&router, "/v1/evaluate", OTHER, &question).await;
    assert_eq!(answer.json()["reason"], "ERROR");
}

#[tokio::test]
async fn an_organization_that_asks_for_too_many_large_answers_at_once_is_told() {
    let router = serving_costly(&[]);
    let all = body(r#""a": 0"#);
    let mut waiting: Vec<LocalBoxFuture<'_, _>> = Vec::new();
    let refused = loop {
        let mut asked = post(&router, CLIENT, KEY, &all).boxed_local();
        match (&mut asked).now_or_never() {
            Some(answer) => break answer,
            None => waiting.push(asked),
        }
        assert!(waiting.len() < 1_000, "the queue has no end");
    };
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(
        refused.body,
        r#"{"error":"too many large answers at once, please try again"}"#
    );
    assert_eq!(refused.header("retry-after"), "1");

    // Another one has its turn all the same.
    let short = r#"{"context": {"key": "user"}}"#;
    let other = async { Some(post(&router, CLIENT, OTHER, short).await) };
    let crowd = async {
        join_all(waiting).await;
        None
    };
    let first = futures_util::future::select(other.boxed_local(), crowd.boxed_local()).await;
    let answer = first.factor_first().0.expect("the other one is first");
    assert_eq!(answer.status, StatusCode::OK);
}
