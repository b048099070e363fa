//! A disk that is full for a while costs nothing: what was stored stays, and what could not be written is written later.

use std::fs;

use harness::{Caller, Disk, eventually};
use serde_json::json;
use uuid::Uuid;

use crate::scene::{Scene, eventually_serves, state_serving, value_at};

const FAILURES: &str = "halyard_edge_cache_failures_total";
const DAMAGED: &str = "halyard_edge_cache_damaged_total";
const MISSING: &str = "halyard_edge_cache_missing_environments";

/// A scene whose edge has its cache on a small disk, and an SDK in production.
async fn scene_on_a_small_disk() -> (Scene, Disk, Caller) {
    let mut scene = Scene::start_with(&[("USAGE_FLUSH_INTERVAL", "200ms")]).await;
    assert!(scene.edge.process.terminate().success());
    fs::remove_dir_all(scene.edge.cache()).unwrap();
    let disk = Disk::below(&mut scene.edge);
    scene.edge.start().await;
    let project = scene.owner.default_project().await;
    let key = scene.owner.api_key(&project.production).await;
    let production = scene.edge.with_key(&key);
    serve_in_production(&scene, "p0").await;
    eventually_serves(&production, "p0").await;
    everything_is_stored(&scene).await;
    (scene, disk, production)
}

async fn serve_in_production(scene: &Scene, value: &str) {
    let project = scene.owner.default_project().await;
    let path = scene.state_path().replace(&scene.env, &project.production);
    scene.owner.change(&path, state_serving(value)).await;
}

/// Changes the flag until the edge cannot store that; the value that it serves last.
async fn change_until_it_fails(scene: &Scene) -> String {
    let failures = metric(scene, FAILURES).await.unwrap_or(0.0);
    for _ in 0..100 {
        let value: String = (0..1_200)
            .map(|_| Uuid::new_v4().simple().to_string())
            .collect();
        scene.serve(&value).await;
        scene.edge_serves(&value).await;
        if metric(scene, FAILURES).await.unwrap_or(0.0) > failures {
            return value;
        }
    }
    panic!("the disk never filled up");
}

async fn everything_is_stored(scene: &Scene) {
    eventually("nothing is missing in the cache", || async {
        (metric(scene, MISSING).await == Some(0.0)).then_some(())
    })
    .await;
}

async fn something_is_missing(scene: &Scene) {
    eventually("something is missing in the cache", || async {
        (metric(scene, MISSING).await > Some(0.0)).then_some(())
    })
    .await;
}

async fn metric(scene: &Scene, name: &str) -> Option<f64> {
    let metrics = scene.edge.admin().get("/metrics").await;
    let text = metrics.body.as_str().unwrap();
    let mut values = text.lines().filter_map(|line| line.strip_prefix(name));
    values.find_map(|value| value.trim().parse().ok())
}

/// Kills the edge and starts it again where no control plane answers.
async fn restart_alone(scene: &mut Scene) {
    scene.edge.process.kill();
    scene.stack.control.kill();
    scene.edge.start().await;
}

#[tokio::test]
async fn a_disk_that_was_full_for_a_while_holds_everything_again() {
    let (mut scene, disk, production) = scene_on_a_small_disk().await;
    disk.fill(&mut scene.edge.process);
    change_until_it_fails(&scene).await;
    something_is_missing(&scene).await;
    scene.serve("during").await;
    scene.edge_serves("during").await;
    serve_in_production(&scene, "p1").await;
    eventually_serves(&production, "p1").await;

    disk.free(&mut scene.edge.process);
    everything_is_stored(&scene).await;
    assert_eq!(metric(&scene, DAMAGED).await, Some(0.0));

    restart_alone(&mut scene).await;
    assert_eq!(scene.value().await, "during");
    assert_eq!(value_at(&production).await, "p1");
    assert_eq!(metric(&scene, DAMAGED).await, Some(0.0));
}

#[tokio::test]
async fn what_waited_for_the_disk_needs_no_control_plane() {
    let (mut scene, disk, production) = scene_on_a_small_disk().await;
    disk.fill(&mut scene.edge.process);
    change_until_it_fails(&scene).await;
    // More than wait one by one.
    for number in 1..100 {
        serve_in_production(&scene, &format!("p{number}")).await;
    }
    eventually_serves(&production, "p99").await;
    scene.serve("during").await;
    scene.edge_serves("during").await;
    scene.stack.control.kill();

    disk.free(&mut scene.edge.process);
    everything_is_stored(&scene).await;
    restart_alone(&mut scene).await;
    assert_eq!(scene.value().await, "during");
    assert_eq!(value_at(&production).await, "p99");
}

#[tokio::test]
async fn what_a_full_disk_took_in_part_is_followed_by_all_that_came_after() {
    let (mut scene, disk, _) = scene_on_a_small_disk().await;
    disk.fill(&mut scene.edge.process);
    // The first of them may be in the store although writing it failed, and more follow than wait one by one.
    for number in 0..200 {
        scene.serve(&format!("v{number}")).await;
    }
    scene.serve("last").await;
    something_is_missing(&scene).await;
    scene.edge_serves("last").await;
    scene.stack.control.kill();

    disk.free(&mut scene.edge.process);
    everything_is_stored(&scene).await;
    restart_alone(&mut scene).await;
    assert_eq!(scene.value().await, "last");
    assert_eq!(metric(&scene, DAMAGED).await, Some(0.0));
}

#[tokio::test]
async fn an_edge_killed_while_the_disk_is_full_loses_nothing_that_was_stored() {
    let (mut scene, disk, production) = scene_on_a_small_disk().await;
    disk.fill(&mut scene.edge.process);
    change_until_it_fails(&scene).await;
    scene.edge.process.kill();

    // It serves without its cache, and leaves that alone.
    scene.edge.start().await;
    scene.serve("without").await;
    scene.edge_serves("without").await;
    assert_eq!(value_at(&production).await, "p0");
    scene.edge.process.kill();

    scene.stack.control.kill();
    disk.free(&mut scene.edge.process);
    scene.edge.start().await;
    assert_eq!(value_at(&production).await, "p0");
    // As new as the last that was stored.
    assert_ne!(scene.value().await, "off");
    assert_eq!(metric(&scene, DAMAGED).await, Some(0.0));

    scene.stack.start_control().await;
    scene.edge_serves("without").await;
    everything_is_stored(&scene).await;
    restart_alone(&mut scene).await;
    assert_eq!(scene.value().await, "without");
}

#[tokio::test]
async fn a_copy_that_cannot_be_read_at_first_is_served_once_it_can() {
    let (mut scene, disk, production) = scene_on_a_small_disk().await;
    disk.fill(&mut scene.edge.process);
    change_until_it_fails(&scene).await;
    scene.edge.process.kill();
    scene.stack.control.kill();

    scene.edge.start_unready().await;
    disk.free(&mut scene.edge.process);
    eventually_serves(&production, "p0").await;
    everything_is_stored(&scene).await;
}

#[tokio::test]
async fn a_copy_that_is_gone_is_fetched_again_while_the_edge_runs() {
    let (mut scene, disk, production) = scene_on_a_small_disk().await;
    disk.fill(&mut scene.edge.process);
    change_until_it_fails(&scene).await;
    scene.serve("during").await;
    scene.edge_serves("during").await;
    // As somebody does who needs the room.
    for entry in fs::read_dir(scene.edge.cache()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            fs::remove_dir_all(path).unwrap();
        }
    }
    disk.free(&mut scene.edge.process);
    everything_is_stored(&scene).await;
    restart_alone(&mut scene).await;
    assert_eq!(scene.value().await, "during");
    assert_eq!(value_at(&production).await, "p0");
}

#[tokio::test]
async fn usage_that_was_stored_outlives_a_full_disk() {
    let (mut scene, disk, _) = scene_on_a_small_disk().await;
    scene.stack.control.kill();
    let unknown = json!({"flag_key": "counted", "context": {"key": "user-1"}});
    for _ in 0..7 {
        scene.sdk().act("/v1/evaluate", unknown.clone()).await;
    }
    assert!(scene.edge.process.terminate().success());
    disk.fill(&mut scene.edge.process);
    scene.stack.start_control().await;
    scene.edge.start().await;
    scene.edge.process.kill();
    disk.free(&mut scene.edge.process);
    scene.edge.start().await;
    eventually("all answers are counted", || async {
        let answer = scene.owner.get("/v1/metrics/evaluations").await;
        let counters = answer.body["counters"].as_array()?;
        let counted = counters.iter().find(|one| one["flag_key"] == "counted")?;
        (counted["count"] == 7).then_some(())
    })
    .await;
}
