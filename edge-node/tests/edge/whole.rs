//! Answers that take long, which are those about every flag of a large environment and about flags on top of many
//! others: what they cost, and that others have their turn meanwhile.

use std::cell::RefCell;

use axum::{Router, http::StatusCode};
use edge_node::Edge;
use protocol::snapshot::{Flag, Snapshot};

use crate::support::*;

const CLIENT: &str = "/v1/client/dev/flags";
const OFREP: &str = "/ofrep/v1/evaluate/flags";
const CONTEXT: &str = r#"{"context": {"key": "user-1", "targetingKey": "user-1"}}"#;
/// The key of another organization.
const OTHER: &str = "hk_dev_9876543210";
/// Flags that take more than a slice, however plain they are.
const LARGE: u128 = 4_000;

fn toggles(count: u128) -> Vec<Flag> {
    (0..count)
        .map(|number| toggle(number, &format!("flag-{number:05}"), true))
        .collect()
}

/// An edge with an environment of this many flags, and another organization's with one.
fn serving_flags(flags: Vec<Flag>, changed: &[(&str, &str)]) -> Edge {
    let edge = Edge::new(settings(changed), clock(), None);
    edge.apply(&whole(&snapshot(9, 7, flags)));
    let mut other: Snapshot = snapshot(10, 1, vec![toggle(1, "on", true)]);
    other.head.org_id = id(2);
    other.keys = vec![key(OTHER, None)];
    edge.apply(&whole(&other));
    edge
}

/// A tree of flags, the first of which requires all others, directly or not.
fn tree() -> Vec<Flag> {
    let key = |number: u128| format!("flag-{number:05}");
    let mut flags = toggles(LARGE);
    for (number, flag) in (0..).zip(&mut flags) {
        let below = 20 * number + 1..20 * number + 21;
        flag.prerequisites = below.filter(|number| *number < LARGE).map(key).collect();
    }
    flags
}

async fn evaluate_of_other(router: &Router) {
    let body = r#"{"flag_key": "on", "context": {"key": "user-1"}}"#;
    let answer = post(router, "/v1/evaluate", OTHER, body).await;
    assert_eq!(answer.json()["value"], true);
}

#[tokio::test]
async fn another_tenant_is_answered_while_a_large_answer_is_being_made() {
    for flags in [toggles(LARGE), tree()] {
        let router = serving_flags(flags, &[]).router();
        for path in [CLIENT, OFREP] {
            let order = RefCell::new(Vec::new());
            // On one thread, and in this order: the second has its turn only if the first gives it up.
            let large = async {
                let answer = post(&router, path, KEY, CONTEXT).await;
                order.borrow_mut().push("large");
                answer
            };
            let small = async {
                evaluate_of_other(&router).await;
                order.borrow_mut().push("small");
            };
            let (large, ()) = tokio::join!(large, small);
            assert_eq!(*order.borrow(), ["small", "large"], "{path}");
            assert_eq!(large.status, StatusCode::OK);
            assert_eq!(
                large.body.matches("\"flag-").count(),
                LARGE as usize,
                "{path}"
            );
        }
    }
}

#[tokio::test]
async fn another_tenant_is_answered_while_a_flag_on_top_of_many_is_evaluated() {
    let router = serving_flags(tree(), &[]).router();
    for (path, key) in [
        ("/v1/evaluate", "flag_key"),
        ("/v1/evaluate/bulk", "flag_keys"),
        ("/ofrep/v1/evaluate/flags/flag-00000", "key"),
    ] {
        let order = RefCell::new(Vec::new());
        let large = async {
            let flags = if key == "flag_keys" {
                r#"["flag-00000"]"#
            } else {
                r#""flag-00000""#
            };
            let body = format!(
                r#"{{"{key}": {flags}, "context": {{"key": "user-1", "targetingKey": "user-1"}}}}"#
            );
            let answer = post(&router, path, KEY, &body).await;
            order.borrow_mut().push("large");
            answer
        };
        let small = async {
            evaluate_of_other(&router).await;
            order.borrow_mut().push("small");
        };
        let (large, ()) = tokio::join!(large, small);
        assert_eq!(*order.borrow(), ["small", "large"], "{path}");
        assert!(large.body.contains(r#""value":true"#), "{}", large.body);
    }
}

#[tokio::test]
async fn an_answer_about_every_flag_costs_a_request_for_every_hundred_flags_begun() {
    for (flags, cost) in [(0, 1), (100, 1), (101, 2), (250, 3)] {
        for path in [CLIENT, OFREP] {
            let router = serving_flags(toggles(flags), &[("RATE_EVALUATION", "60")]).router();
            let answer = post(&router, path, KEY, CONTEXT).await;
            assert_eq!(answer.status, StatusCode::OK);
            let left = (60 - cost).to_string();
            assert_eq!(
                answer.header("x-ratelimit-remaining"),
                left,
                "{flags} {path}"
            );

            // A client that has the answer already pays for asking only.
            let tag = answer.header("etag").to_owned();
            let headers = [("x-api-key", KEY), ("if-none-match", tag.as_str())];
            let again = post_with(&router, path, &headers, CONTEXT).await;
            assert_eq!(again.status, StatusCode::NOT_MODIFIED);
            let left = (60 - cost - 1).to_string();
            assert_eq!(
                again.header("x-ratelimit-remaining"),
                left,
                "{flags} {path}"
            );
        }
    }
}

#[tokio::test]
async fn a_large_answer_beyond_the_rate_is_refused_while_single_evaluations_pass() {
    let router = serving_flags(toggles(250), &[("RATE_EVALUATION", "5")]).router();
    let first = post(&router, CLIENT, KEY, CONTEXT).await;
    assert_eq!(first.header("x-ratelimit-remaining"), "2");

    let refused = post(&router, OFREP, KEY, CONTEXT).await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(refused.body, r#"{"error":"rate limit exceeded"}"#);
    assert_eq!(refused.header("x-ratelimit-limit"), "5");
    assert_eq!(refused.header("x-ratelimit-remaining"), "1");
    assert_eq!(refused.header("retry-after"), "24");

    let body = r#"{"flag_key": "flag-00001", "context": {"key": "user-1"}}"#;
    let single = post(&router, "/v1/evaluate", KEY, body).await;
    assert_eq!(single.status, StatusCode::OK);
    assert_eq!(single.header("x-ratelimit-remaining"), "0");
}
