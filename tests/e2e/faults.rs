//! Lines that lose, reorder and break, control planes that freeze or leave, contents that differ: edges go on serving, and
//! come to what is right by themselves.

use std::time::{Duration, Instant};

use harness::relay::{Line, Relay};
use harness::{Edge, eventually};
use serde_json::json;
use sqlx::{Connection, PgConnection};

use crate::{
    bulk::Bulk,
    scene::{FLAG, Scene, eventually_serves, state_serving, value_at},
};

/// Through the relay instead of directly; started when it is.
fn edge_behind(scene: &mut Scene, relay: &Relay) -> Edge {
    let upstream = relay.address().to_string();
    scene.stack.enrolled_edge(&[("EDGE_UPSTREAM", &upstream)])
}

async fn is_served(bulk: &Bulk, edge: &Edge) {
    eventually("the large environment is served", async || {
        bulk.is_served_by(edge).await.then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_loses_and_reorders_delivers_everything() {
    let mut scene = Scene::start().await;
    let bulk = Bulk::make(&scene.stack, 40).await;
    let line = Line {
        delay: Duration::from_millis(5),
        lost: 30,
        late: 50,
        ..Line::GOOD
    };
    let relay = Relay::start(scene.stack.quic(), line).await;
    let mut edge = edge_behind(&mut scene, &relay);
    edge.start().await;
    is_served(&bulk, &edge).await;
    let sdk = edge.with_key(&scene.key);
    for round in 0..30 {
        scene.serve(&format!("v{round}")).await;
    }
    eventually_serves(&sdk, "v29").await;
    let metrics = edge.admin().get("/metrics").await.body;
    let metrics = metrics.as_str().expect("text");
    assert!(
        !metrics.contains(r#"outcome="refused""#),
        "nothing was damaged: {metrics}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_cut_in_the_middle_of_a_snapshot_is_taken_up_again() {
    let mut scene = Scene::start().await;
    let bulk = Bulk::make(&scene.stack, 100).await;
    is_served(&bulk, &scene.edge).await;
    // 4.5 MB take about nine seconds.
    let line = Line {
        rate: 500_000,
        queue: 64 << 10,
        delay: Duration::from_millis(5),
        ..Line::GOOD
    };
    let relay = Relay::start(scene.stack.quic(), line).await;
    let mut edge = edge_behind(&mut scene, &relay);
    edge.start_unready().await;
    let sdk = edge.with_key(&scene.key);
    eventually_serves(&sdk, "v0").await;
    eventually("the large environment is on its way", async || {
        (relay.delivered() > 1_000_000).then_some(())
    })
    .await;

    relay.set(Line { cut: true, ..line });
    scene.serve("v1").await;
    eventually("the edge notices", async || {
        edge.process
            .log()
            .contains("no link to the control plane")
            .then_some(())
    })
    .await;
    assert_eq!(value_at(&sdk).await, "v0", "it goes on serving");
    assert!(!bulk.is_served_by(&edge).await, "nothing is made of a part");

    relay.set(Line { cut: false, ..line });
    eventually_serves(&sdk, "v1").await;
    is_served(&bulk, &edge).await;
}

#[tokio::test]
async fn an_edge_leaves_a_control_plane_that_is_frozen_for_another() {
    let mut scene = Scene::start().await;
    let other = scene.stack.another_control("other").await;
    let upstream = format!("{},{}", scene.stack.quic(), other.quic);
    let edge = scene.stack.edge_with(&[("EDGE_UPSTREAM", &upstream)]).await;
    let sdk = edge.with_key(&scene.key);
    scene.serve("v1").await;
    eventually_serves(&sdk, "v1").await;

    let frozen = Instant::now();
    scene.stack.control.suspend();
    assert_eq!(value_at(&sdk).await, "v1");
    let state = state_serving("v2");
    let owner = scene.owner.at(&other.url);
    owner.change(&scene.state_path(), state).await;
    eventually_serves(&sdk, "v2").await;
    assert!(
        frozen.elapsed() < Duration::from_secs(20),
        "after {:?}",
        frozen.elapsed()
    );
    scene.stack.control.resume();
}

#[tokio::test]
async fn a_control_plane_that_stops_hands_its_edges_over() {
    let mut scene = Scene::start().await;
    let other = scene.stack.another_control("other").await;
    let upstream = format!("{},{}", scene.stack.quic(), other.quic);
    let edge = scene.stack.edge_with(&[("EDGE_UPSTREAM", &upstream)]).await;
    let sdk = edge.with_key(&scene.key);
    assert!(scene.stack.control.terminate().success());
    eventually("the edge has read that it leaves", async || {
        let log = edge.process.log();
        log.contains("control plane is going away").then_some(())
    })
    .await;

    let state = state_serving("v1");
    let owner = scene.owner.at(&other.url);
    owner.change(&scene.state_path(), state).await;
    eventually_serves(&sdk, "v1").await;
}

#[tokio::test]
async fn contents_that_differ_at_the_same_version_are_healed() {
    let mut scene = Scene::start().await;
    // As by a mistake of ours: a change that drew no version, so that no edge was told of it. Nobody compiles meanwhile.
    scene.stack.control.kill();
    let mut connection = PgConnection::connect(scene.stack.database().url())
        .await
        .unwrap();
    let changed = sqlx::query(
        "UPDATE flag_states SET default_value = '\"healed\"' WHERE flag_id = (SELECT id FROM flags WHERE key = $1)",
    )
    .bind(FLAG)
    .execute(&mut connection)
    .await
    .unwrap();
    assert_eq!(changed.rows_affected(), 1);
    assert_eq!(scene.value().await, "v0");

    // The digest of what is compiled now is another than that of what the edge says it holds.
    scene.stack.start_control().await;
    scene.edge_serves("healed").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_environment_that_cannot_be_sent_keeps_nobody_from_the_others() {
    let mut scene = Scene::start().await;
    let other = scene.stack.signup("other").await;
    let project = other.default_project().await;
    let key = other.api_key(&project.dev).await;
    let flags = format!("/v1/projects/{}/flags", project.id);
    let flag =
        json!({"key": FLAG, "name": "Greeting", "flag_type": "string", "default_value": "v0"});
    other.create(&flags, flag).await;
    eventually_serves(&scene.edge.with_key(&key), "v0").await;

    // As no write would be accepted: more than a message may hold. It is not JSON, which takes long to parse without
    // optimisation.
    let mut connection = PgConnection::connect(scene.stack.database().url())
        .await
        .unwrap();
    let change = async |connection: &mut PgConnection, group: i32, value: &str| {
        sqlx::query(
            "WITH drawn AS (
                 UPDATE projects SET version = version + 1 WHERE id = $1::uuid RETURNING id, version
             ), touched AS (
                 UPDATE environments SET version = drawn.version, changed_in = pg_current_xact_id()
                 FROM drawn WHERE project_id = drawn.id
             )
             UPDATE flags
             SET mutual_exclusion_group = repeat('x', $2), default_value = to_jsonb($3), changed_version = drawn.version
             FROM drawn WHERE project_id = drawn.id",
        )
        .bind(&project.id)
        .bind(group)
        .bind(value)
        .execute(connection)
        .await
        .unwrap();
    };
    change(&mut connection, 70 << 20, "v1").await;
    eventually("it is left out", async || {
        let metrics = scene.stack.admin().get("/metrics").await.body;
        let metrics = metrics.as_str().expect("text");
        metrics
            .contains("halyard_environments_left_out 3")
            .then_some(())
    })
    .await;
    let began = Instant::now();
    scene.serve("v1").await;
    scene.edge_serves("v1").await;
    assert_eq!(
        value_at(&scene.edge.with_key(&key)).await,
        "v0",
        "what it holds"
    );
    let fresh = scene.stack.edge().await;
    eventually_serves(&fresh.with_key(&scene.key), "v1").await;
    assert!(
        began.elapsed() < Duration::from_secs(15),
        "after {:?}",
        began.elapsed()
    );

    // The next version can be sent, and is sent at once.
    change(&mut connection, 0, "v2").await;
    for edge in [&scene.edge, &fresh] {
        eventually_serves(&edge.with_key(&key), "v2").await;
    }
}
