//! Batches of edges: each is counted once, whoever sends it again, and only for what is the edge's.

use base::{db::Db, waker::Waker};
use domain::usage::{Collector, Reporter, settings::UsageSettings};
use futures_util::future::join_all;
use harness::App;
use protocol::ids::EnvId;
use protocol::reason::Reason;
use protocol::wire::usage::{EvaluationCount, KeyUse, UsageBatch};
use publish::Regions;
use serde_json::json;
use sha2::{Digest, Sha256};
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use super::*;

pub(super) fn batch(boot: u8, sequence: u64, env_id: &str, counts: &[(&str, u64)]) -> UsageBatch {
    let env_id: EnvId = env_id.parse::<Uuid>().unwrap().into();
    UsageBatch {
        boot: [boot; 16],
        sequence,
        evaluations: counts
            .iter()
            .map(|(flag_key, count)| EvaluationCount {
                env_id,
                flag_key: (*flag_key).to_owned(),
                reason: Reason::Rollout,
                value: "true".to_owned(),
                variant_key: String::new(),
                count: *count,
            })
            .collect(),
        impressions: Vec::new(),
        keys_used: Vec::new(),
    }
}

pub(super) fn edge(name: &str) -> Reporter {
    Reporter::joined(name, Regions::All)
}

/// What writes the batches of another replica.
fn another_collector(app: &App) -> Collector {
    let settings = UsageSettings {
        impression_buffer_size: 100,
        flush_wait: std::time::Duration::ZERO,
    };
    let db = Db::new(app.pool().clone(), Waker::new());
    Collector::start(
        db,
        app.clock.clone(),
        settings,
        &app.stop,
        &TaskTracker::new(),
    )
}

#[tokio::test]
async fn a_batch_that_is_sent_again_is_counted_once() {
    let (app, scene) = Scene::start().await;
    let replica = another_collector(&app);
    let first = batch(1, 1, &scene.dev, &[("a", 5)]);
    let again = (0..10).map(|number| {
        let collector = if number % 2 == 0 {
            &app.usage
        } else {
            &replica
        };
        collector.store(edge("fra"), first.clone())
    });
    for stored in join_all(again).await {
        stored.expect("acknowledged each time");
    }
    assert_eq!(
        scene.counters().await,
        json!([["a", scene.dev, "ROLLOUT", 5]])
    );

    let counted = [
        (edge("fra"), batch(1, 2, &scene.dev, &[("a", 1)])),
        // Another run of the edge, and another edge.
        (edge("fra"), batch(2, 1, &scene.dev, &[("a", 10)])),
        (edge("ams"), batch(1, 1, &scene.dev, &[("a", 100)])),
    ];
    for (reporter, batch) in counted {
        app.usage.store(reporter, batch).await.unwrap();
    }
    let late = batch(1, 1, &scene.dev, &[("a", 1_000)]);
    app.usage.store(edge("fra"), late).await.unwrap();
    assert_eq!(
        scene.counters().await,
        json!([["a", scene.dev, "ROLLOUT", 116]])
    );
}

#[tokio::test]
async fn many_edges_replicas_and_resets_at_once_lose_and_double_nothing() {
    const EDGES: u8 = 12;
    const BATCHES: u64 = 12;
    let app = App::start_with(&[PATIENT]).await;
    let scenes = [Scene::of(&app, "acme").await, Scene::of(&app, "bell").await];
    let replica = another_collector(&app);
    let edges = (0..EDGES).map(|number| {
        let collector = if number % 2 == 0 {
            &app.usage
        } else {
            &replica
        };
        // Both organizations in either order, and each batch twice.
        let mut envs = [&scenes[0].dev, &scenes[1].dev];
        envs.rotate_left(usize::from(number) % 2);
        async move {
            for sequence in 1..=BATCHES {
                let mut sent = batch(number, sequence, envs[0], &[("a", 1), ("b", 2)]);
                let more = batch(number, sequence, envs[1], &[("b", 2), ("a", 1)]);
                sent.evaluations.extend(more.evaluations);
                let name = edge(&format!("edge-{number}"));
                for _ in 0..2 {
                    collector.store(name.clone(), sent.clone()).await.unwrap();
                }
            }
        }
    });
    let resetting = async {
        let mut reset = 0;
        for _ in 0..6 {
            scenes[1]
                .owner
                .post(RESET, json!({}))
                .await
                .expect_status(200);
            let metadata = crate::trail::newest(&app, &scenes[1].owner).await["metadata"].clone();
            reset += metadata["total_evaluations"].as_u64().unwrap();
        }
        reset
    };
    let (_, reset) = tokio::join!(join_all(edges), resetting);

    let all = u64::from(EDGES) * BATCHES;
    let expected = json!([
        ["a", scenes[0].dev, "ROLLOUT", all],
        ["b", scenes[0].dev, "ROLLOUT", 2 * all],
    ]);
    assert_eq!(scenes[0].counters().await, expected);
    let left = scenes[1].owner.get(EVALUATIONS).await.body["total_evaluations"].clone();
    assert_eq!(left.as_u64().unwrap() + reset, 3 * all);
}

#[tokio::test]
async fn an_edge_reports_for_organizations_of_its_regions_alone() {
    let (app, scene) = Scene::start().await;
    let key = scene.owner.api_key(&scene.staging).await;
    let mut foreign = batch(1, 1, &scene.dev, &[("a", 5)]);
    foreign.keys_used.push(KeyUse {
        hash: Sha256::digest(&key).into(),
        at_ms: app.clock.unix_ms(),
    });
    let european = Reporter::joined("fra", Regions::Only("eu".into()));
    app.usage.store(european, foreign.clone()).await.unwrap();
    assert_eq!(scene.counters().await, json!([]));
    let keys = format!("/v1/environments/{}/api-keys", scene.staging);
    let listed = scene.owner.get(&keys).await;
    assert_eq!(listed.body["data"][0]["last_used_at"], json!(null));

    let american = Reporter::joined("iad", Regions::Only("us".into()));
    app.usage.store(american, foreign).await.unwrap();
    assert_eq!(
        scene.counters().await,
        json!([["a", scene.dev, "ROLLOUT", 5]])
    );
    let listed = scene.owner.get(&keys).await;
    assert_eq!(
        listed.body["data"][0]["last_used_at"],
        "2026-05-04T12:00:00Z"
    );
}

#[tokio::test]
async fn what_is_reported_of_a_deleted_environment_is_dropped() {
    let (app, scene) = Scene::start().await;
    let path = format!(
        "/v1/projects/{}/environments/{}",
        scene.project, scene.staging
    );
    scene.owner.remove(&path).await;
    let mut late = batch(1, 1, &scene.staging, &[("a", 5)]);
    let kept = batch(1, 1, &scene.dev, &[("a", 1)]);
    late.evaluations.extend(kept.evaluations);
    app.usage.store(edge("fra"), late).await.unwrap();
    assert_eq!(
        scene.counters().await,
        json!([["a", scene.dev, "ROLLOUT", 1]])
    );
}

#[tokio::test]
async fn a_time_that_has_not_come_is_no_use_of_a_key() {
    let (app, scene) = Scene::start().await;
    let key = scene.owner.api_key(&scene.staging).await;
    let mut early = batch(1, 1, &scene.dev, &[]);
    early.keys_used.push(KeyUse {
        hash: Sha256::digest(&key).into(),
        at_ms: i64::MAX,
    });
    app.usage.store(edge("fra"), early).await.unwrap();
    let keys = format!("/v1/environments/{}/api-keys", scene.staging);
    let listed = scene.owner.get(&keys).await;
    assert_eq!(
        listed.body["data"][0]["last_used_at"],
        "2026-05-04T12:00:00Z"
    );
}
