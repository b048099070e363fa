//! Flags that take much work, by conditions that were stored before there was a bound on them: what they cost, and that
//! others have their turn meanwhile.

use std::cell::RefCell;

use axum::{Router, http::StatusCode};
use edge_node::Edge;
use protocol::snapshot::{Flag, MatchType, Snapshot};

use crate::support::*;

/// The key of another organization.
const OTHER: &str = "hk_dev_9876543210";

/// A flag that for a long text takes more steps than it may.
fn costly(number: u128) -> Flag {
    let mut rule = rule("text", &[]);
    rule.match_type = MatchType::Any;
    let mut condition = rule.conditions[0].clone();
    condition.operator = "contains".to_owned();
    condition.values = vec!["ab".repeat(12) + "c"];
    rule.conditions = vec![condition; 110];
    let mut flag = toggle(number, &format!("costly-{number}"), true);
    flag.state.as_mut().unwrap().rules = vec![rule];
    flag
}

/// An edge with ten costly flags, the last of which requires all others, and another organization's with one.
fn serving_costly(changed: &[(&str, &str)]) -> Router {
    let edge = Edge::new(settings(changed), clock(), None);
    let mut flags: Vec<_> = (0..10).map(costly).collect();
    flags[9].prerequisites = (0..9).map(|number| format!("costly-{number}")).collect();
    flags.push(toggle(99, "plain", true));
    edge.apply(&whole(&snapshot(9, 7, flags)));
    let mut other: Snapshot = snapshot(10, 1, vec![toggle(1, "on", true)]);
    other.head.org_id = id(2);
    other.keys = vec![key(OTHER, None)];
    edge.apply(&whole(&other));
    edge.router()
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
}

#[tokio::test]
async fn much_work_counts_as_many_requests() {
    for (path, flags, cost) in [
        ("/v1/evaluate", r#""flag_key": "plain""#, 1),
        ("/v1/evaluate", r#""flag_key": "costly-0""#, 13),
        (
            "/v1/evaluate/bulk",
            r#""flag_keys": ["costly-0", "costly-1"]"#,
            25,
        ),
        ("/ofrep/v1/evaluate/flags/costly-0", r#""a": 0"#, 13),
    ] {
        let router = serving_costly(&[("RATE_EVALUATION", "60")]);
        let answer = post(&router, path, KEY, &body(flags)).await;
        let left = (60 - cost).to_string();
        assert_eq!(
            answer.header("x-ratelimit-remaining"),
            left,
            "{path} {flags}"
        );
    }
    // What is left is taken although it is less.
    let router = serving_costly(&[("RATE_EVALUATION", "10")]);
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
