//! Relays: edges that serve the link to other edges.

mod filling;
mod fleet;
mod gone;
mod hop;
mod joining;
mod moving;
mod regions;
mod renewal;
mod slow;
mod usage;
mod writes;

use harness::{Edge, eventually};
use serde_json::{Value, json};

use crate::scene::{Scene, eventually_serves};

/// A scene, and beside its edge a control plane, two relays and an edge in a row.
pub struct Tree {
    pub scene: Scene,
    /// Connected to the control plane.
    pub upper: Edge,
    /// Connected to the upper relay.
    pub lower: Edge,
    /// Connected to the lower relay.
    pub leaf: Edge,
}

impl Tree {
    pub async fn start() -> Self {
        let mut scene = Scene::start().await;
        let quic = scene.stack.quic().to_owned();
        let upper = scene.stack.relay_below(&[&quic]).await;
        let lower = scene.stack.relay_below(&[&upper.relay_address()]).await;
        let leaf = scene.stack.edge_below(&[&lower.relay_address()]).await;
        let tree = Self {
            scene,
            upper,
            lower,
            leaf,
        };
        eventually_serves(&tree.leaf.with_key(&tree.scene.key), "v0").await;
        let rows = [
            (&tree.upper, None),
            (&tree.lower, Some(&tree.upper)),
            (&tree.leaf, Some(&tree.lower)),
        ];
        for (edge, via) in rows {
            is_connected_via(&tree.scene, edge, via).await;
        }
        tree
    }
}

/// A relay below the control plane of a scene, and an edge below that.
pub async fn one_level(scene: &mut Scene) -> (Edge, Edge) {
    let quic = scene.stack.quic().to_owned();
    let relay = scene.stack.relay_below(&[&quic]).await;
    let leaf = scene.stack.edge_below(&[&relay.relay_address()]).await;
    eventually_serves(&leaf.with_key(&scene.key), "v0").await;
    is_connected_via(scene, &leaf, Some(&relay)).await;
    (relay, leaf)
}

/// How `/edges` shows an edge.
pub async fn shown(scene: &Scene, name: &str) -> Option<Value> {
    let edges = scene.stack.admin().get("/edges").await.body;
    let mut edges = edges.as_array().unwrap().iter();
    edges.find(|edge| edge["name"] == *name).cloned()
}

/// Waits until an edge is connected to that relay, or to a control plane, and the control plane knows.
pub async fn is_connected_via(scene: &Scene, edge: &Edge, via: Option<&Edge>) {
    let via = json!(via.map(|relay| &relay.name));
    eventually(&format!("{} is connected via {via}", edge.name), || async {
        let shown = shown(scene, &edge.name).await?;
        (shown["connected"] == true && shown["via"] == via).then_some(())
    })
    .await;
}

pub fn names(header: &str) -> Vec<&str> {
    header.split(',').filter(|name| !name.is_empty()).collect()
}
