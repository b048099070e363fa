//! What an edge counts, and that it counts every answer once, whatever is swapped meanwhile.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use axum::{Router, body::Body, http::Request};
use edge_node::Edge;
use protocol::{
    snapshot::{FlagType, Variant},
    wire::usage::{EvaluationCount, UsageBatch},
};
use serving::clock::Clock;
use time::macros::datetime;

use crate::support::*;

fn serving(changed: &[(&str, &str)]) -> (Edge, Router) {
    let clock = Clock::manual(datetime!(2026-01-01 00:00 UTC));
    let edge = Edge::new(settings(changed), clock, None);
    edge.apply(&whole(&snapshot(9, 1, flags())));
    let router = router(&edge);
    (edge, router)
}

fn flags() -> Vec<protocol::snapshot::Flag> {
    vec![toggle(1, "off", false), toggle(2, "on", true)]
}

/// All waiting batches, as if the control plane had stored them.
fn uploaded(edge: &Edge) -> Vec<UsageBatch> {
    edge.collect_usage();
    let mut batches = Vec::new();
    while let Some(batch) = edge.oldest_usage() {
        edge.usage_stored(batch.boot, batch.sequence);
        batches.push(UsageBatch::clone(&batch));
    }
    batches
}

/// Counts as `key REASON`.
fn counted(batches: &[UsageBatch]) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for count in batches.iter().flat_map(|batch| &batch.evaluations) {
        assert_eq!(count.env_id, env_id(9));
        let name = format!("{} {}", count.flag_key, count.reason);
        *counts.entry(name).or_default() += count.count;
    }
    counts
}

fn counts(expected: &[(&str, u64)]) -> BTreeMap<String, u64> {
    expected
        .iter()
        .map(|(name, count)| ((*name).to_owned(), *count))
        .collect()
}

#[tokio::test]
async fn single_bulk_and_client_answers_are_counted_by_flag_and_reason() {
    let (edge, router) = serving(&[]);
    evaluate(&router, "on").await;
    evaluate(&router, "nowhere").await;
    let bulk =
        r#"{"flag_keys": ["on", "on", "off", "nowhere", "nowhere"], "context": {"key": "u"}}"#;
    post(&router, "/v1/evaluate/bulk", KEY, bulk).await;
    let headers = [("x-api-key", KEY)];
    let path = "/v1/client/dev/flags";
    let answer = get(&router, path, &headers).await;
    let expected = counts(&[
        ("nowhere NOT_FOUND", 2),
        ("off DISABLED", 2),
        ("on FALLTHROUGH", 3),
    ]);
    assert_eq!(counted(&uploaded(&edge)), expected);

    let known = [("x-api-key", KEY), ("if-none-match", answer.header("etag"))];
    assert_eq!(get(&router, path, &known).await.status, 304);
    assert_eq!(
        counted(&uploaded(&edge)),
        counts(&[]),
        "a 304 counts nothing"
    );
    let body = r#"{"flag_key": "on"}"#;
    assert_eq!(post(&router, "/v1/evaluate", KEY, body).await.status, 400);
    assert_eq!(counted(&uploaded(&edge)), counts(&[]), "nor does a refusal");
}

#[tokio::test]
async fn ofrep_answers_are_counted_in_the_same_way() {
    let (edge, router) = serving(&[]);
    let body = r#"{"context": {"targetingKey": "u"}}"#;
    let path = "/ofrep/v1/evaluate/flags";
    post(&router, &format!("{path}/on"), KEY, body).await;
    let unknown = post(&router, &format!("{path}/nowhere"), KEY, body).await;
    assert_eq!(unknown.status, 404);
    let bulk = post(&router, path, KEY, body).await;
    let expected = counts(&[
        ("nowhere NOT_FOUND", 1),
        ("off DISABLED", 1),
        ("on FALLTHROUGH", 2),
    ]);
    assert_eq!(counted(&uploaded(&edge)), expected);

    let request = Request::post(path)
        .header("x-api-key", KEY)
        .header("content-type", "application/json")
        .header("if-none-match", bulk.header("etag"));
    let known = send(&router, request.body(Body::from(body)).unwrap()).await;
    assert_eq!(known.status, 304);
    assert_eq!(
        counted(&uploaded(&edge)),
        counts(&[]),
        "a 304 counts nothing"
    );
}

#[tokio::test]
async fn prerequisites_inside_another_flag_are_not_counted() {
    let (edge, router) = serving(&[]);
    let mut flags = flags();
    let mut dependent = toggle(3, "dependent", true);
    dependent.prerequisites = vec!["on".to_owned()];
    flags.insert(0, dependent);
    edge.apply(&whole(&snapshot(9, 2, flags)));
    assert_eq!(evaluate(&router, "dependent").await, "true FALLTHROUGH");
    assert_eq!(
        counted(&uploaded(&edge)),
        counts(&[("dependent FALLTHROUGH", 1)])
    );
}

#[tokio::test]
async fn what_a_removed_environment_counted_is_not_lost() {
    let (edge, router) = serving(&[]);
    evaluate(&router, "on").await;
    let removed = protocol::wire::message::Push::Removed { env_id: env_id(9) };
    edge.apply(&removed);
    assert_eq!(counted(&uploaded(&edge)), counts(&[("on FALLTHROUGH", 1)]));
}

#[test]
fn every_answer_is_counted_once_while_snapshots_are_swapped_and_counts_are_taken() {
    const THREADS: usize = 4;
    const ANSWERS: usize = 2_000;
    let (edge, router) = serving(&[("RATE_EVALUATION", "0")]);
    let done = AtomicBool::new(false);
    let mut batches = Vec::new();
    thread::scope(|scope| {
        let askers: Vec<_> = (0..THREADS)
            .map(|_| scope.spawn(|| ask(&router, ANSWERS)))
            .collect();
        scope.spawn(|| {
            let mut version = 1;
            while !done.load(Ordering::Relaxed) {
                version += 1;
                // The flags move to other positions and back.
                let mut flags = flags();
                if version % 2 == 0 {
                    flags.insert(0, toggle(3, "extra", true));
                }
                edge.apply(&whole(&snapshot(9, version, flags)));
            }
        });
        while !askers.iter().all(thread::ScopedJoinHandle::is_finished) {
            batches.extend(uploaded(&edge));
        }
        done.store(true, Ordering::Relaxed);
    });
    batches.extend(uploaded(&edge));
    let answers = (THREADS * ANSWERS) as u64;
    let expected = counts(&[
        ("nowhere NOT_FOUND", answers),
        ("off DISABLED", answers),
        ("on FALLTHROUGH", answers),
    ]);
    assert_eq!(counted(&batches), expected);
    let sequences = batches.iter().map(|batch| batch.sequence);
    assert!(sequences.eq(1..=batches.len() as u64));
}

fn ask(router: &Router, times: usize) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        for _ in 0..times {
            let body = r#"{"flag_keys": ["on", "off", "nowhere"], "context": {"key": "u"}}"#;
            let answer = post(router, "/v1/evaluate/bulk", KEY, body).await;
            assert_eq!(answer.status, 200);
        }
    });
}

#[tokio::test]
async fn impressions_are_kept_as_they_came_with_the_time_of_receipt() {
    let (edge, router) = serving(&[]);
    let long = "é".repeat(512);
    for body in [
        r#"{"flag_key": "on"}"#.to_owned(),
        format!(r#"{{"flag_key": "nowhere", "variant_key": "{long}", "user_key": "u"}}"#),
        r#"{"flag_key": "on", "variant_key": null, "user_key": ""}"#.to_owned(),
    ] {
        let answer = post(&router, "/v1/track", KEY, &body).await;
        assert_eq!((answer.status.as_u16(), answer.body.as_str()), (204, ""));
        assert_eq!(answer.header("x-ratelimit-limit"), "60000");
    }
    let batches = uploaded(&edge);
    let kept: Vec<_> = batches
        .iter()
        .flat_map(|batch| &batch.impressions)
        .map(|shown| {
            assert_eq!((shown.env_id, shown.at_ms), (env_id(9), 1_767_225_600_000));
            [&*shown.flag_key, &*shown.variant_key, &*shown.user_key]
        })
        .collect();
    assert_eq!(
        kept,
        [["on", "", ""], ["nowhere", &long, "u"], ["on", "", ""]]
    );
}

#[tokio::test]
async fn each_kib_of_an_impression_is_a_request_of_the_rate() {
    let (edge, router) = serving(&[("RATE_EVALUATION", "10")]);
    let short = r#"{"flag_key": "on"}"#;
    let long = "\u{1f600}".repeat(512);
    let long = format!(r#"{{"flag_key": "on", "variant_key": "{long}", "user_key": "{long}"}}"#);
    assert_eq!(long.len().div_ceil(1_024), 5);
    for (body, remaining) in [(short, "9"), (&long, "4")] {
        let answer = post(&router, "/v1/track", KEY, body).await;
        assert_eq!(answer.status, 204);
        assert_eq!(answer.header("x-ratelimit-remaining"), remaining);
    }
    let refused = post(&router, "/v1/track", KEY, &long).await;
    assert_eq!(refused.status, 429);
    assert_eq!(
        refused.json(),
        serde_json::json!({"error": "rate limit exceeded"})
    );
    // It was counted as one request.
    assert_eq!(refused.header("x-ratelimit-remaining"), "3");
    let answer = post(&router, "/v1/track", KEY, short).await;
    assert_eq!(answer.status, 204);
    let batches = uploaded(&edge);
    let kept = batches.iter().map(|batch| batch.impressions.len());
    assert_eq!(kept.sum::<usize>(), 3);
}

#[tokio::test]
async fn tracking_refuses_what_is_missing_or_too_long() {
    let (edge, router) = serving(&[]);
    let long = "a".repeat(513);
    let refusals = [
        ("{}".to_owned(), "flag_key is required"),
        (r#"{"flag_key": " "}"#.to_owned(), "flag_key is required"),
        (
            format!(r#"{{"flag_key": "{long}"}}"#),
            "flag_key must have at most 512 characters",
        ),
        (
            format!(r#"{{"flag_key": "f", "variant_key": "{long}"}}"#),
            "variant_key must have at most 512 characters",
        ),
        (
            format!(r#"{{"flag_key": "f", "user_key": "{long}"}}"#),
            "user_key must have at most 512 characters",
        ),
        ("[]".to_owned(), "body must be a JSON object"),
    ];
    for (body, message) in refusals {
        let answer = post(&router, "/v1/track", KEY, &body).await;
        assert_eq!(answer.status, 400, "{body}");
        assert_eq!(answer.json()["error"], message);
    }
    let wrong_type = post(&router, "/v1/track", KEY, r#"{"flag_key": 5}"#).await;
    assert_eq!(wrong_type.status, 400);
    assert_eq!(
        post(&router, "/v1/track", "unknown", "{}").await.status,
        401
    );
    assert!(
        uploaded(&edge)
            .iter()
            .all(|batch| batch.impressions.is_empty())
    );
}

#[tokio::test]
async fn the_use_of_a_key_is_reported_once_a_minute() {
    let clock = Clock::manual(datetime!(2026-01-01 00:00 UTC));
    let edge = Edge::new(settings(&[]), clock.clone(), None);
    edge.apply(&whole(&snapshot(9, 1, flags())));
    let router = router(&edge);
    let uses = |edge: &Edge| {
        let batches = uploaded(edge);
        let uses = batches.iter().flat_map(|batch| &batch.keys_used);
        uses.map(|used| (used.hash == key(KEY, None).hash, used.at_ms))
            .collect::<Vec<_>>()
    };
    assert_eq!(uses(&edge), []);

    let start = clock.unix_ms();
    evaluate(&router, "on").await;
    assert_eq!(uses(&edge), [(true, start)]);
    clock.advance(std::time::Duration::from_secs(59));
    evaluate(&router, "on").await;
    assert_eq!(uses(&edge), [], "too early");
    // The key is entered again, with another expiry.
    let mut changed = snapshot(9, 2, flags());
    changed.keys[0].expires_at_ms = Some(i64::MAX);
    edge.apply(&whole(&changed));
    clock.advance(std::time::Duration::from_secs(1));
    evaluate(&router, "on").await;
    assert_eq!(uses(&edge), [(true, start + 60_000)]);
}

#[tokio::test]
async fn answers_are_counted_by_what_was_served() {
    let mut experiment = toggle(3, "experiment", true);
    experiment.flag_type = FlagType::Ab;
    let state = experiment.state.as_mut().unwrap();
    state.variants = ["a", "b"]
        .map(|key| Variant {
            key: key.to_owned(),
            value: format!("\"{key}\""),
            weight: 5_000,
        })
        .to_vec();
    let (edge, router) = serving(&[]);
    let mut flags = flags();
    flags.push(experiment);
    edge.apply(&whole(&snapshot(9, 2, flags)));
    for user in 0..200 {
        let body = format!(r#"{{"flag_key": "experiment", "context": {{"key": "u{user}"}}}}"#);
        assert_eq!(post(&router, "/v1/evaluate", KEY, &body).await.status, 200);
    }
    evaluate(&router, "on").await;
    evaluate(&router, "off").await;
    let batches = uploaded(&edge);
    let counted = |flag_key: &str| -> BTreeMap<String, u64> {
        let counts = batches.iter().flat_map(|batch| &batch.evaluations);
        let counts = counts.filter(|count| count.flag_key == flag_key);
        let named = |count: &EvaluationCount| {
            let EvaluationCount {
                reason,
                value,
                variant_key,
                ..
            } = count;
            (format!("{reason} {value} {variant_key}"), count.count)
        };
        counts.map(named).collect()
    };
    assert_eq!(counted("on"), counts(&[("FALLTHROUGH true ", 1)]));
    assert_eq!(counted("off"), counts(&[("DISABLED false ", 1)]));
    let drawn = counted("experiment");
    let names: Vec<&String> = drawn.keys().collect();
    assert_eq!(names, ["VARIANT \"a\" a", "VARIANT \"b\" b"]);
    assert_eq!(drawn.values().sum::<u64>(), 200);
    assert!(
        drawn.values().all(|count| (60..=140).contains(count)),
        "{drawn:?}"
    );
}
