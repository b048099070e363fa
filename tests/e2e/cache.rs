//! The copy on disk may be lost or damaged: the edge then starts empty, never wrong.

use std::fs;
use std::path::{Path, PathBuf};

use harness::eventually;
use serde_json::json;
use uuid::Uuid;

use crate::scene::Scene;

/// Room for the files that an empty copy begins with, in blocks of 512 bytes, and little more.
const FULL: u32 = 1_100;

#[tokio::test]
async fn a_damaged_copy_is_dropped_and_fetched_again() {
    let mut scene = Scene::start().await;
    scene.edge.process.terminate();
    let files = files_in(&scene.edge.cache());
    assert!(!files.is_empty(), "the edge keeps a copy");
    for file in &files {
        damage(file);
    }

    scene.edge.start().await;
    scene.edge_serves("v0").await;
    scene.serve("v1").await;
    assert_eq!(scene.value().await, "v1");

    // The new copy is whole again.
    scene.edge.process.terminate();
    scene.stack.control.kill();
    scene.edge.start().await;
    assert_eq!(scene.value().await, "v1");
}

#[tokio::test]
async fn an_edge_is_ready_with_its_copy_only_after_its_greeting_or_the_time_that_it_waits_for_one()
{
    let mut scene = Scene::start_with(&[("EDGE_GREETING_WAIT", "1h")]).await;
    scene.edge_serves("v0").await;
    scene.edge.process.terminate();
    scene.stack.control.kill();
    scene.edge.start_unready().await;
    // It answers from its copy.
    scene.edge_serves("v0").await;
    let ready = scene.edge.admin().get("/ready").await;
    ready.expect_error(503, "no snapshot yet");
    scene.stack.start_control().await;
    eventually("it was greeted", async || {
        (scene.edge.admin().get("/ready").await.status == 200).then_some(())
    })
    .await;

    scene.edge.process.terminate();
    scene.stack.control.kill();
    scene.edge.process.set("EDGE_GREETING_WAIT", "2s");
    scene.edge.start_unready().await;
    let waited = eventually("it is ready with its copy", async || {
        let ready = scene.edge.admin().get("/ready").await;
        (ready.status == 200).then_some(ready.body)
    })
    .await;
    assert_eq!(waited["snapshot_age_ms"], json!(null));
}

#[tokio::test]
async fn an_edge_serves_without_a_copy() {
    let mut scene = Scene::start_with(&[("EDGE_CACHE", "none")]).await;
    assert!(files_in(&scene.edge.cache()).is_empty());
    scene.edge.process.kill();
    scene.edge.start().await;
    scene.edge_serves("v0").await;
}

#[tokio::test]
async fn an_edge_whose_disk_fills_up_goes_on_and_counts_exactly() {
    let mut scene = Scene::start_with(&[("USAGE_FLUSH_INTERVAL", "200ms")]).await;
    assert!(scene.edge.process.terminate().success());
    scene.edge.process.limit_files(Some(FULL));
    scene.edge.start().await;
    let mut round = 0;
    while !is_failing(&scene).await {
        round += 1;
        assert!(round < 100, "the disk never filled up");
        let value = noise();
        scene.serve(&value).await;
        scene.edge_serves(&value).await;
    }

    scene.stack.control.kill();
    ask_for_unknown(&scene, 50).await;
    scene.stack.start_control().await;
    is_counted(&scene, 50).await;
    scene.serve("after").await;
    scene.edge_serves("after").await;

    // Another disk, with whatever got onto the full one.
    assert!(scene.edge.process.terminate().success());
    scene.edge.process.limit_files(None);
    scene.edge.start().await;
    scene.edge_serves("after").await;
    ask_for_unknown(&scene, 1).await;
    is_counted(&scene, 51).await;
}

#[tokio::test]
async fn counts_in_a_copy_that_cannot_be_opened_at_first_are_reported_when_it_can() {
    let mut scene = Scene::start_with(&[("USAGE_FLUSH_INTERVAL", "200ms")]).await;
    scene.stack.control.kill();
    ask_for_unknown(&scene, 5).await;
    assert!(scene.edge.process.terminate().success());
    scene.stack.start_control().await;

    // As by a process of before that has not ended yet.
    let lock = fs::File::open(scene.edge.cache().join("lock")).unwrap();
    lock.lock().unwrap();
    scene.edge.start().await;
    assert!(is_failing(&scene).await);
    lock.unlock().unwrap();
    // From now on there is something to write.
    scene.serve("v1").await;
    scene.edge_serves("v1").await;
    is_counted(&scene, 5).await;
}

/// Asks for a key that no flag has.
async fn ask_for_unknown(scene: &Scene, times: u32) {
    let unknown = json!({"flag_key": "counted", "context": {"key": "user-1"}});
    for _ in 0..times {
        scene.sdk().act("/v1/evaluate", unknown.clone()).await;
    }
}

/// 38,400 characters that no compression makes few.
fn noise() -> String {
    (0..1_200)
        .map(|_| Uuid::new_v4().simple().to_string())
        .collect()
}

/// Whether the edge could not write.
async fn is_failing(scene: &Scene) -> bool {
    let metrics = scene.edge.admin().get("/metrics").await;
    let text = metrics.body.as_str().unwrap();
    text.contains("\nhalyard_edge_cache_failures_total ")
}

/// Waits until the key that no flag has was asked for so often.
async fn is_counted(scene: &Scene, times: u64) {
    eventually(&format!("{times} answers are counted"), || async {
        let answer = scene.owner.get("/v1/metrics/evaluations").await;
        let counters = answer.body["counters"].as_array()?;
        let counted = counters.iter().find(|one| one["flag_key"] == "counted")?;
        (counted["count"] == times).then_some(())
    })
    .await;
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_in(&path));
        } else {
            files.push(path);
        }
    }
    files
}

/// Overwrites the middle of a file, as a bad disk would.
fn damage(file: &Path) {
    let mut bytes = fs::read(file).unwrap();
    let middle = bytes.len() / 4..bytes.len() * 3 / 4;
    bytes[middle].fill(0xa5);
    fs::write(file, bytes).unwrap();
}
