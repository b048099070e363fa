//! How far edges are behind, how much they evaluate, and that a large fleet is listed quickly.

use std::time::{Duration, Instant};

use harness::{App, User, eventually};
use serde_json::{Value, json};

use super::{flag, switch};
use crate::publish::replica::Manual;

async fn edge(owner: &User, is_it: impl Fn(&Value) -> bool) -> Option<Value> {
    let edges = owner.get("/v1/edges").await;
    let mut all = edges.body["data"].as_array().unwrap().clone().into_iter();
    all.find(|edge| is_it(edge))
}

#[tokio::test]
async fn an_edge_lags_by_the_changes_that_it_does_not_serve() {
    let (app, owner) = App::with_owner_and(&[("EDGES_WAIT", "300ms")]).await;
    let project = owner.default_project().await;
    flag(&owner, &project, "checkout").await;
    let built_in = edge(&owner, |_| true).await.unwrap();
    assert_eq!(built_in["lag"], json!([]));
    assert_eq!(built_in["evaluations_per_minute"], 0);
    let other = app.another_publisher();
    let slow = Manual::holding_all(&other, 3).await;
    for is_on in [false, true, false] {
        switch(&owner, &project, "checkout", is_on).await;
    }
    let lag = eventually("it lags by three", || async {
        let late = edge(&owner, |edge| edge["name"] != built_in["name"]).await?;
        let lag = late["lag"].as_array()?.clone();
        (lag.first()?["versions"] == 3).then_some(lag)
    })
    .await;
    assert_eq!(lag.len(), 1);
    assert_eq!(lag[0]["env_id"], *project.dev);
    let since = lag[0]["since"].as_str().unwrap();
    assert!(since.ends_with('Z'));
    drop(slow);
}

#[tokio::test]
async fn five_hundred_edges_are_listed_within_a_second() {
    let (app, owner, project) = App::with_project().await;
    flag(&owner, &project, "checkout").await;
    sqlx::query(
        "INSERT INTO edge_certificates (fingerprint, name, region, issued_at, expires_at, last_seen_at)
         SELECT decode(repeat(md5(number::text), 2), 'hex'), 'edge-' || number, NULL, $1, $1 + interval '90 days', $1
         FROM generate_series(1, 500) AS number",
    )
    .bind(app.clock.now())
    .execute(app.pool())
    .await
    .unwrap();
    let began = Instant::now();
    let edges = owner.get("/v1/edges").await;
    let took = began.elapsed();
    assert_eq!(edges.body["total"], 501);
    assert!(took < Duration::from_secs(1), "{took:?}");
    let away = &edges.body["data"].as_array().unwrap()[3];
    assert_eq!(away["kind"], "edge");
    assert!(away.get("lag").is_none(), "nobody saw what it holds");
    assert!(away["certificate_expires_at"].is_string());
}
