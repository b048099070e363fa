//! What relays are fed by changes: another control plane, another history of the database.

use harness::eventually;
use sqlx::{Connection, PgConnection};

use super::{Tree, is_connected_via, shown};
use crate::scene::{Scene, eventually_serves, readiness, value_at};

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_that_goes_to_another_control_plane_keeps_its_edges() {
    let mut scene = Scene::start().await;
    let mut second = scene.stack.another_control("second").await;
    let upstream = [second.quic.clone(), scene.stack.quic().to_owned()];
    let relay = scene.stack.relay_below(&[&upstream[0], &upstream[1]]).await;
    let leaf = scene.stack.edge_below(&[&relay.relay_address()]).await;
    let sdk = leaf.with_key(&scene.key);
    is_connected_via(&scene, &leaf, Some(&relay)).await;
    let since = shown(&scene, &leaf.name).await.unwrap()["connected_since"].clone();

    second.process.kill();
    scene.serve("v1").await;
    eventually_serves(&sdk, "v1").await;
    eventually("it is shown at the other control plane", async || {
        let leaf = shown(&scene, &leaf.name).await?;
        (leaf["connected"] == true && leaf["via"] == *relay.name).then_some(())
    })
    .await;
    let leaf_now = shown(&scene, &leaf.name).await.unwrap();
    assert_eq!(leaf_now["connected_since"], since, "it was never cut off");
    scene.serve("v2").await;
    assert_eq!(value_at(&sdk).await, "v2", "it is waited for");
    assert_eq!(readiness(&leaf).await["connected"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_history_of_the_database_reaches_the_edges_below_relays() {
    let tree = Tree::start().await;
    let sdk = tree.leaf.with_key(&tree.scene.key);
    for value in ["v1", "v2", "v3", "v4"] {
        tree.scene.serve(value).await;
    }
    assert_eq!(value_at(&sdk).await, "v4");

    // As a backup does that is loaded over what was there: what comes next has lower versions than the edges hold.
    let url = tree.scene.stack.database().url();
    let mut loading = PgConnection::connect(url).await.unwrap();
    let mut tx = loading.begin().await.unwrap();
    for statement in [
        "UPDATE projects SET version = 2",
        "UPDATE environments SET version = 2, changed_in = pg_current_xact_id()",
        "UPDATE flags SET changed_version = 1",
        "UPDATE flag_states SET changed_version = 1",
        "UPDATE api_keys SET changed_version = 1",
    ] {
        sqlx::query(statement).execute(&mut *tx).await.unwrap();
    }
    tx.commit().await.unwrap();
    tree.scene.serve("v5").await;
    eventually_serves(&sdk, "v5").await;
    for edge in [&tree.upper, &tree.lower] {
        assert_eq!(value_at(&edge.with_key(&tree.scene.key)).await, "v5");
    }
    is_connected_via(&tree.scene, &tree.leaf, Some(&tree.lower)).await;
    tree.scene.serve("v6").await;
    assert_eq!(value_at(&sdk).await, "v6", "it is waited for again");
}
