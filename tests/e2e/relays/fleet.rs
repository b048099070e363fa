//! The tree as operators and members see it.

use harness::{Caller, eventually};
use serde_json::{Value, json};

use super::{Tree, is_connected_via};

/// Waits until a list of edges shows each of these with the relay that it is connected to.
async fn shows(caller: &Caller, path: &str, rows: &[(&str, Option<&str>)]) {
    eventually(&format!("{path} shows the tree"), || async {
        let answer = caller.get(path).await;
        answer.expect_status(200);
        let list = answer.body.get("data").unwrap_or(&answer.body);
        let edges = list.as_array().unwrap();
        let is_shown = |&(name, via): &(&str, Option<&str>)| {
            let of_name: Vec<&Value> = edges.iter().filter(|edge| edge["name"] == name).collect();
            let [edge] = of_name[..] else {
                return false;
            };
            edge["via"] == json!(via)
                && edge["connected"] == true
                && edge["build"].is_string()
                && edge["connected_since"].is_string()
        };
        rows.iter().all(is_shown).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn edges_below_relays_are_listed_with_the_relay_they_are_connected_to() {
    let mut tree = Tree::start().await;
    let scene = &tree.scene;
    let second = scene.stack.another_control("second").await;
    let (upper, lower, leaf) = (&tree.upper.name, &tree.lower.name, &tree.leaf.name);
    let rows = [
        (scene.edge.name.as_str(), None),
        (upper, None),
        (lower, Some(upper.as_str())),
        (leaf, Some(lower.as_str())),
    ];
    shows(&scene.owner, "/v1/edges", &rows).await;
    shows(&scene.owner.at(&second.url), "/v1/edges", &rows).await;
    shows(&scene.stack.admin(), "/edges", &rows).await;
    shows(&second.admin(), "/edges", &rows).await;

    let listed = scene.stack.halyard(&["edge", "list"]);
    for (name, via) in rows {
        let row = listed.lines().find(|line| line.starts_with(name)).unwrap();
        let cells: Vec<_> = row.split_whitespace().collect();
        let is_named = |other: &&String| cells[1..].contains(&other.as_str());
        let expected: Vec<_> = [upper, lower]
            .into_iter()
            .filter(|relay| via == Some(relay.as_str()))
            .collect();
        let named: Vec<_> = [upper, lower].into_iter().filter(is_named).collect();
        assert_eq!(named, expected, "{listed}");
    }

    // Whoever is gone is shown as gone.
    tree.leaf.process.kill();
    let name = &tree.leaf.name;
    eventually("the edge is shown as gone", || async {
        let edge = super::shown(&tree.scene, name).await?;
        (edge["connected"] == false && edge["via"] == Value::Null).then_some(())
    })
    .await;
    tree.leaf.start().await;
    is_connected_via(&tree.scene, &tree.leaf, Some(&tree.lower)).await;
}
