//! Impressions: tracked, aggregated, flushed once.

use std::time::Duration;

use futures_util::future::join_all;
use harness::App;
use protocol::wire::usage::Impression;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::*;
use crate::trail;

/// Milliseconds at which the clock of tests begins.
const START_MS: i64 = 1_777_896_000_000;

async fn track(sdk: &Caller, body: Value) {
    let answer = sdk.post("/v1/track", body).await;
    answer.expect(204, Value::Null);
}

#[tokio::test]
async fn an_edge_whose_clock_is_wrong_reports_no_times_that_cannot_be() {
    let (app, scene) = Scene::start().await;
    let mut odd = reports::batch(1, 1, &scene.dev, &[]);
    for (user_key, at_ms) in [("early", i64::MIN), ("late", i64::MAX)] {
        odd.impressions.push(Impression {
            env_id: scene.dev.parse::<uuid::Uuid>().unwrap().into(),
            flag_key: "checkout".to_owned(),
            variant_key: "a".to_owned(),
            user_key: user_key.to_owned(),
            at_ms,
        });
    }
    app.usage.store(reports::edge("fra"), odd).await.unwrap();
    let raw = |user: &str, at_ms: i64| json!({"flag_key": "checkout", "variant_key": "a", "user_key": user, "timestamp": at_ms});
    let ninety_days = 90 * 24 * 3_600_000;
    let flushed = scene.owner.post(FLUSH, json!({})).await;
    flushed.expect(
        200,
        json!([raw("early", START_MS - ninety_days), raw("late", START_MS)]),
    );
}

#[tokio::test]
async fn impressions_are_aggregated_and_handed_out_in_the_order_of_receipt() {
    let (app, scene) = Scene::start().await;
    let shown = |variant: &str, user: &str| json!({"flag_key": "checkout", "variant_key": variant, "user_key": user});
    track(&scene.sdk, shown("b", "u1")).await;
    track(&scene.sdk, shown("a", "u2")).await;
    app.clock.advance(Duration::from_millis(7));
    track(&scene.sdk, shown("b", "u3")).await;
    track(&scene.sdk, json!({"flag_key": "Nowhere"})).await;

    let aggregated = json!([
        {"flag_key": "Nowhere", "variant_key": "", "count": 1},
        {"flag_key": "checkout", "variant_key": "a", "count": 1},
        {"flag_key": "checkout", "variant_key": "b", "count": 2},
    ]);
    for _ in 0..2 {
        let answer = scene.owner.get(IMPRESSIONS).await;
        answer.expect(200, aggregated.clone());
    }
    let raw = |flag: &str, variant: &str, user: &str, after: i64| json!({"flag_key": flag, "variant_key": variant, "user_key": user, "timestamp": START_MS + after});
    let flushed = scene.owner.post(FLUSH, json!({})).await;
    flushed.expect(
        200,
        json!([
            raw("checkout", "b", "u1", 0),
            raw("checkout", "a", "u2", 0),
            raw("checkout", "b", "u3", 7),
            raw("Nowhere", "", "", 7),
        ]),
    );
    let entry = scene.entry("metrics.impressions_flushed", json!({"impressions": 4}));
    assert_eq!(trail::newest(&app, &scene.owner).await, entry);
    scene.owner.get(IMPRESSIONS).await.expect(200, json!([]));
    let again = scene.owner.post(FLUSH, json!({})).await;
    again.expect(200, json!([]));
}

#[tokio::test]
async fn a_full_buffer_drops_the_oldest_one_by_one() {
    let app = App::start_with(&[PATIENT, ("IMPRESSION_BUFFER_SIZE", "5")]).await;
    let scene = Scene::of(&app, "acme").await;
    let users = |answer: &Response| {
        let shown = answer.body.as_array().unwrap().iter();
        shown
            .map(|shown| shown["user_key"].clone())
            .collect::<Value>()
    };
    for user in 0..4 {
        track(
            &scene.sdk,
            json!({"flag_key": "checkout", "user_key": user.to_string()}),
        )
        .await;
    }
    // Reported, so that the buffer fills in two steps.
    scene.owner.get(IMPRESSIONS).await.expect_status(200);
    for user in 4..8 {
        track(
            &scene.sdk,
            json!({"flag_key": "checkout", "user_key": user.to_string()}),
        )
        .await;
    }
    let aggregated = json!([{"flag_key": "checkout", "variant_key": "", "count": 5}]);
    scene.owner.get(IMPRESSIONS).await.expect(200, aggregated);
    let flushed = scene.owner.post(FLUSH, json!({})).await;
    assert_eq!(users(&flushed), json!(["3", "4", "5", "6", "7"]));

    track(
        &scene.sdk,
        json!({"flag_key": "checkout", "user_key": "next"}),
    )
    .await;
    let flushed = scene.owner.post(FLUSH, json!({})).await;
    assert_eq!(users(&flushed), json!(["next"]), "a flush makes room");
}

#[tokio::test]
async fn a_full_buffer_drops_nothing_of_another_organization() {
    let app = App::start_with(&[PATIENT, ("IMPRESSION_BUFFER_SIZE", "5")]).await;
    let quiet = Scene::of(&app, "acme").await;
    let noisy = Scene::of(&app, "umbrella").await;
    for user in 0..4 {
        let shown = json!({"flag_key": "checkout", "user_key": user.to_string()});
        track(&quiet.sdk, shown).await;
    }
    for _ in 0..100 {
        track(&noisy.sdk, json!({"flag_key": "banner"})).await;
    }
    let count = |flag_key: &str, count: u32| json!([{"flag_key": flag_key, "variant_key": "", "count": count}]);
    let shown = noisy.owner.get(IMPRESSIONS).await;
    shown.expect(200, count("banner", 5));
    let shown = quiet.owner.get(IMPRESSIONS).await;
    shown.expect(200, count("checkout", 4));
}

#[tokio::test]
async fn two_flushes_at_once_hand_each_impression_out_once() {
    let (app, scene) = Scene::start().await;
    let replica = app.another_replica().await;
    for user in 0..200 {
        track(
            &scene.sdk,
            json!({"flag_key": "checkout", "user_key": user.to_string()}),
        )
        .await;
    }
    scene.owner.get(IMPRESSIONS).await.expect_status(200);
    let elsewhere = scene.owner.at(&replica);
    let flushes = (0..8).map(|number| {
        let caller = if number % 2 == 0 {
            &*scene.owner
        } else {
            &elsewhere
        };
        caller.post(FLUSH, json!({}))
    });
    let mut handed_out = Vec::new();
    for answer in join_all(flushes).await {
        answer.expect_status(200);
        let shown = answer.body.as_array().unwrap().iter();
        handed_out
            .extend(shown.map(|shown| shown["user_key"].as_str().unwrap().parse::<u32>().unwrap()));
    }
    handed_out.sort_unstable();
    assert_eq!(handed_out, (0..200).collect::<Vec<_>>());
}

/// Stores impressions of as many users, with keys of a thousand characters: more of them than a connection buffers.
async fn store_many(app: &App, scene: &Scene, count: i32) {
    sqlx::query(
        "WITH stored AS (
             INSERT INTO impressions (org_id, received_ms, env_id, flag_key, variant_key, user_key)
             SELECT $1::uuid, number, $2::uuid, 'checkout', '', lpad(number::text, 1000, '0')
             FROM generate_series(0, $3 - 1) AS number
         )
         INSERT INTO usage_windows (org_id, started_at, impressions) VALUES ($1::uuid, now(), $3)
         ON CONFLICT (org_id) DO UPDATE SET impressions = excluded.impressions",
    )
    .bind(&scene.owner.org_id)
    .bind(&scene.dev)
    .bind(count)
    .execute(app.pool())
    .await
    .unwrap();
}

fn users(answer: &Response) -> Vec<i32> {
    let shown = answer.expect_status(200).body.as_array().unwrap().iter();
    shown
        .map(|shown| shown["user_key"].as_str().unwrap().parse().unwrap())
        .collect()
}

#[tokio::test]
async fn a_flush_that_breaks_off_is_handed_out_again_and_one_that_does_not_is_not() {
    const MANY: i32 = 20_000;
    let (app, scene) = Scene::start().await;
    store_many(&app, &scene, MANY).await;
    let request = scene.owner.request(Method::POST, FLUSH);
    let mut leaves = request.send().await.unwrap();
    assert_eq!(leaves.status(), 200);
    assert!(leaves.chunk().await.unwrap().is_some(), "it has begun");
    drop(leaves);

    let meanwhile = scene.owner.post(FLUSH, json!({})).await;
    meanwhile.expect(200, json!([]));
    app.clock.advance(Duration::from_secs(61));
    let again = scene.owner.post(FLUSH, json!({})).await;
    assert_eq!(users(&again), (0..MANY).collect::<Vec<_>>());
    let after = scene.owner.post(FLUSH, json!({})).await;
    after.expect(200, json!([]));
    let kept: (i64, i64) = sqlx::query_as(
        "SELECT (SELECT COUNT(*) FROM impressions), (SELECT impressions FROM usage_windows WHERE org_id = $1::uuid)",
    )
    .bind(&scene.owner.org_id)
    .fetch_one(app.pool())
    .await
    .unwrap();
    assert_eq!(kept, (0, 0));
}

#[tokio::test]
async fn what_comes_during_a_flush_is_left_to_the_next_one() {
    let (app, scene) = Scene::start().await;
    store_many(&app, &scene, 5_000).await;
    let request = scene.owner.request(Method::POST, FLUSH);
    let mut flush = request.send().await.unwrap();
    let mut body = flush.chunk().await.unwrap().unwrap().to_vec();
    // It is older than what is being handed out.
    app.execute(
        "INSERT INTO impressions (org_id, received_ms, env_id, flag_key, variant_key, user_key)
         VALUES ($1::uuid, -1, $2::uuid, 'checkout', '', '7')",
        &[&scene.owner.org_id, &scene.dev],
    )
    .await;
    while let Some(piece) = flush.chunk().await.unwrap() {
        body.extend(piece);
    }
    let flushed: Vec<Value> = serde_json::from_slice(&body).unwrap();
    assert_eq!(flushed.len(), 5_000);
    assert_eq!(users(&scene.owner.post(FLUSH, json!({})).await), [7]);
}

#[tokio::test]
async fn variants_beyond_an_answer_are_in_the_next_part() {
    let (_app, scene) = Scene::start().await;
    for variant in ["a", "b", "c"] {
        track(
            &scene.sdk,
            json!({"flag_key": "checkout", "variant_key": variant}),
        )
        .await;
    }
    let shown = |variant: &str| json!({"flag_key": "checkout", "variant_key": variant, "count": 1});
    let first = scene.owner.get(&format!("{IMPRESSIONS}?limit=2")).await;
    first.expect(200, json!([shown("a"), shown("b")]));
    let next = "/v1/metrics/impressions?limit=2&offset=2";
    assert_eq!(first.header("link"), format!("<{next}>; rel=\"next\""));
    let last = scene.owner.get(next).await;
    last.expect(200, json!([shown("c")]));
    assert_eq!(last.headers.get("link"), None);
}

#[tokio::test]
async fn nobody_gets_the_impressions_of_another_organization() {
    let (app, scene) = Scene::start().await;
    let stranger = app.signup("stranger").await;
    track(&scene.sdk, json!({"flag_key": "checkout"})).await;
    stranger.get(IMPRESSIONS).await.expect(200, json!([]));
    stranger.post(FLUSH, json!({})).await.expect(200, json!([]));
    let kept = scene.owner.post(FLUSH, json!({})).await;
    assert_eq!(kept.body.as_array().map(Vec::len), Some(1));
}

/// The sizes of the pieces in which an answer comes, as HTTP/1.1 frames them.
async fn pieces(app: &App, token: &str) -> Vec<usize> {
    let address = app.url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!(
        "POST {FLUSH} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\ncontent-length: 0\r\n\
         connection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    let answer = String::from_utf8(answer).unwrap();
    let (head, mut rest) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let mut sizes = Vec::new();
    while let Some((size, piece)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            break;
        }
        sizes.push(size);
        rest = &piece[size + 2..];
    }
    sizes
}

#[tokio::test]
async fn a_piece_is_bounded_in_bytes() {
    let (app, scene) = Scene::start().await;
    // Three thousand bytes each, of which the database stores five hundred.
    app.execute(
        "INSERT INTO impressions (org_id, received_ms, env_id, flag_key, variant_key, user_key)
         SELECT $1::uuid, number, $2::uuid, 'checkout', '', repeat(chr(1), 500)
         FROM generate_series(1, 300) AS number",
        &[&scene.owner.org_id, &scene.dev],
    )
    .await;
    let sizes = pieces(&app, &scene.owner.access_token).await;
    let longest = sizes.iter().max().unwrap();
    assert!(*longest < 64 * 1024 + 4 * 1024, "{sizes:?}");
    assert!(sizes.iter().sum::<usize>() > 300 * 3_000);
    assert!(sizes.len() < 30, "{sizes:?}");
}
