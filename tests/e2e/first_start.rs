//! Edges that greet: with nothing, with much, and when the database has another history.

use std::time::{Duration, Instant};

use harness::relay::{Line, Relay};
use harness::{Edge, Stack, eventually};
use sqlx::{Connection, PgConnection};

use crate::scene::{Scene, eventually_serves};

/// Environments besides those of the scene, a multiple of a hundred; `HALYARD_TEST_ENVIRONMENTS` for another number.
pub(crate) fn many() -> i64 {
    let number = std::env::var("HALYARD_TEST_ENVIRONMENTS").ok();
    number.map_or(1_500, |number| number.parse().expect("a number"))
}

/// A round trip of 200 ms: what is asked for one by one takes far longer than a slow machine needs for the rest.
pub(crate) const FAR: Line = Line {
    delay: Duration::from_millis(100),
    ..Line::GOOD
};

/// Adds many small environments, of projects with a hundred each.
pub(crate) async fn add_environments(stack: &Stack, project: &str) -> PgConnection {
    let mut connection = PgConnection::connect(stack.database().url()).await.unwrap();
    sqlx::query(
        "WITH owner AS (
             SELECT org_id FROM projects WHERE id = $1::uuid
         ), added AS (
             INSERT INTO projects (id, org_id, name, slug, version, created_at, updated_at)
             SELECT gen_random_uuid(), org_id, 'Small', 'small-' || number, 1, now(), now()
             FROM owner, generate_series(1, $2::bigint / 100) AS number
             RETURNING id, org_id
         )
         INSERT INTO environments (id, org_id, project_id, name, slug, color, version, created_at, updated_at)
         SELECT gen_random_uuid(), org_id, id, 'Small', 'small-' || number, '#000000', 1, now(), now()
         FROM added, generate_series(1, 100) AS number",
    )
    .bind(project)
    .bind(many())
    .execute(&mut connection)
    .await
    .unwrap();
    connection
}

pub(crate) async fn environments(edge: &Edge) -> i64 {
    let answer = edge.admin().get("/ready").await;
    answer.body["environments"].as_i64().unwrap_or(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn many_small_environments_arrive_together_and_are_compared_by_their_sums() {
    let mut scene = Scene::start().await;
    let mut connection = add_environments(&scene.stack, &scene.project).await;
    eventually("the edge beside it has them", async || {
        (environments(&scene.edge).await == many() + 3).then_some(())
    })
    .await;
    let relay = Relay::start(scene.stack.quic(), FAR).await;
    let upstream = relay.address().to_string();
    let mut edge = scene.stack.enrolled_edge(&[("EDGE_UPSTREAM", &upstream)]);

    let started = Instant::now();
    edge.start().await;
    let ready = started.elapsed();
    println!("{} environments arrived in {ready:?}", many());
    assert_eq!(environments(&edge).await, many() + 3, "ready means all");
    // Two a round trip would take 150 s with 1,500.
    assert!(ready < Duration::from_secs(60), "after {ready:?}");

    // It comes back with all of them.
    edge.process.terminate();
    let before = relay.delivered();
    edge.start().await;
    let sdk = edge.with_key(&scene.key);
    scene.serve("v1").await;
    eventually_serves(&sdk, "v1").await;
    let greeted = relay.delivered() - before;
    println!("a greeting and a change took {greeted} bytes");
    assert!(greeted < 32 << 10, "{greeted} bytes");

    // A promoted standby has another epoch and the same contents: nothing has to be compiled or sent to find that out.
    let before = relay.delivered();
    sqlx::query("UPDATE database_history SET id = gen_random_uuid()")
        .execute(&mut connection)
        .await
        .unwrap();
    let promoted = Instant::now();
    eventually("the edge is greeted anew", async || {
        let log = edge.process.log();
        (log.matches("connected to the control plane").count() >= 3).then_some(())
    })
    .await;
    scene.serve("v2").await;
    eventually_serves(&sdk, "v2").await;
    let (taken, sent) = (promoted.elapsed(), relay.delivered() - before);
    println!("a change after a promotion took {taken:?} and {sent} bytes");
    assert!(taken < Duration::from_secs(8), "after {taken:?}");
    assert!(sent < 64 << 10, "{sent} bytes");
}
