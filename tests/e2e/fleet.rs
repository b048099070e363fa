//! Edges of two control planes, as operators and members see them, and writes that wait for all of them.

use harness::{Caller, Control, Edge, eventually};
use serde_json::Value;

use crate::scene::{Scene, state_serving, value_at};

/// A scene, and a second control plane with an edge of its own.
struct Fleet {
    scene: Scene,
    second: Control,
    edge: Edge,
}

impl Fleet {
    async fn start() -> Self {
        let mut scene = Scene::start().await;
        let second = scene.stack.another_control("second").await;
        let edge = scene
            .stack
            .edge_with(&[("EDGE_UPSTREAM", &second.quic)])
            .await;
        Self {
            scene,
            second,
            edge,
        }
    }

    /// The separate edges that a list shows as connected, up to date in the scene's environment, and measured, at `path` of
    /// `caller`.
    async fn shows_both(&self, caller: &Caller, path: &str) {
        let names = [&self.scene.edge.name, &self.edge.name];
        let is_well = |edge: &Value| {
            edge["connected"] == true
                && edge["rtt_ms"].as_f64().is_some_and(|rtt| rtt > 0.0)
                && edge["build"].is_string()
                && edge["environments"].as_array().unwrap().iter().any(|held| {
                    held["env_id"] == *self.scene.env && held["version"] == held["current_version"]
                })
        };
        eventually(&format!("{path} shows both edges"), || async {
            let answer = caller.get(path).await;
            answer.expect_status(200);
            let list = answer.body.get("data").unwrap_or(&answer.body);
            let edges = list.as_array().unwrap();
            let shows = |name: &&String| {
                let edge = edges.iter().find(|edge| edge["name"] == **name);
                edge.is_some_and(is_well)
            };
            names.iter().all(shows).then_some(())
        })
        .await;
    }
}

fn names(header: &str) -> Vec<&str> {
    header.split(',').filter(|name| !name.is_empty()).collect()
}

#[tokio::test]
async fn every_control_plane_tells_of_the_edges_of_all() {
    let fleet = Fleet::start().await;
    let stack = &fleet.scene.stack;
    fleet.shows_both(&fleet.scene.owner, "/v1/edges").await;
    let at_second = fleet.scene.owner.at(&fleet.second.url);
    fleet.shows_both(&at_second, "/v1/edges").await;
    for operator in [stack.admin(), fleet.second.admin()] {
        fleet.shows_both(&operator, "/edges").await;
    }

    let listed = stack.halyard(&["edge", "list"]);
    for name in [&fleet.scene.edge.name, &fleet.edge.name] {
        let row = listed.lines().find(|line| line.starts_with(name)).unwrap();
        let since = row.split_whitespace().nth(3).unwrap();
        assert!(since.ends_with('Z'), "{row}");
    }
}

#[tokio::test]
async fn each_control_plane_measures_its_own_edges() {
    let fleet = Fleet::start().await;
    for (admin, edge) in [
        (fleet.scene.stack.admin(), &fleet.scene.edge.name),
        (fleet.second.admin(), &fleet.edge.name),
    ] {
        eventually("the gauges of an edge", || async {
            let metrics = admin.get("/metrics").await;
            let text = metrics.body.as_str().unwrap();
            let is_set = |gauge: &str, wrong: &str| {
                let start = format!("{gauge}{{edge=\"{edge}\"}} ");
                let mut lines = text.lines().filter_map(|line| line.strip_prefix(&start));
                lines.any(|value| value != wrong)
            };
            let all = is_set("halyard_connected_edge", "0")
                && is_set("halyard_connected_edge_rtt_seconds", "0")
                && is_set("halyard_connected_edge_environments", "0")
                && is_set("halyard_connected_edge_environments_behind", "1");
            all.then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn the_metrics_of_an_edge_go_when_it_goes() {
    let mut fleet = Fleet::start().await;
    let admin = fleet.second.admin();
    let label = format!("edge=\"{}\"", fleet.edge.name);
    let shown = async || {
        let metrics = admin.get("/metrics").await;
        metrics.body.as_str().unwrap().matches(&label).count()
    };
    eventually("its five gauges", async || {
        (shown().await == 5).then_some(())
    })
    .await;
    fleet.edge.process.kill();
    eventually("no gauge of an edge that is gone", async || {
        (shown().await == 0).then_some(())
    })
    .await;
    let metrics = admin.get("/metrics").await;
    let text = metrics.body.as_str().unwrap();
    assert!(text.contains("halyard_edges_connected "), "others stay");
    assert!(text.contains("edge=\"built-in-"), "others stay");
}

#[tokio::test]
async fn a_write_that_waits_names_who_serves_it_and_who_does_not() {
    let fleet = Fleet::start().await;
    fleet.shows_both(&fleet.scene.owner, "/v1/edges").await;
    let path = format!("{}?wait=edges", fleet.scene.state_path());
    let written = fleet.scene.owner.change(&path, state_serving("v1")).await;
    let acknowledged = names(written.header("x-edges-acknowledged"));
    assert_eq!(
        acknowledged.len(),
        4,
        "two edges, two built-in: {acknowledged:?}"
    );
    for edge in [&fleet.scene.edge, &fleet.edge] {
        assert!(acknowledged.contains(&edge.name.as_str()));
        let value = value_at(&edge.with_key(&fleet.scene.key)).await;
        assert_eq!(value, "v1", "who acknowledged serves it");
    }
    assert_eq!(written.header("x-edges-lagging"), "");

    fleet.edge.process.suspend();
    let written = fleet.scene.owner.put(&path, state_serving("v2")).await;
    fleet.edge.process.resume();
    written.expect_status(200);
    assert_eq!(written.header("x-edges-lagging"), fleet.edge.name);
    assert_eq!(names(written.header("x-edges-acknowledged")).len(), 3);
}

#[tokio::test]
async fn what_a_write_answered_is_read_at_the_edges_of_every_control_plane() {
    let fleet = Fleet::start().await;
    let scene = &fleet.scene;
    fleet.shows_both(&scene.owner, "/v1/edges").await;
    let at_second = scene.owner.at(&fleet.second.url);
    fleet.shows_both(&at_second, "/v1/edges").await;

    // What each control plane writes is read at the edge of the other.
    let pairs = [
        (&*scene.owner, fleet.edge.with_key(&scene.key)),
        (&at_second, scene.sdk()),
    ];
    let mut older = Vec::new();
    for number in 0..60 {
        for (writer, (owner, reader)) in pairs.iter().enumerate() {
            let value = format!("v{number}-{writer}");
            owner
                .change(&scene.state_path(), state_serving(&value))
                .await;
            if value_at(reader).await != value.as_str() {
                older.push(value);
            }
        }
    }
    assert_eq!(older, [""; 0], "older than what was answered");
}
