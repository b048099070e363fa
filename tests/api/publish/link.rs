//! The link over QUIC: greeting, pushes, acknowledgements, good-bye.

use std::{
    collections::HashMap,
    net::SocketAddr,
    time::{Duration, Instant},
};

use harness::App;
use harness::patience::patience;
use protocol::ids::EnvId;
use protocol::wire::message::{ControlMessage, EdgeMessage, Epoch, Held, Hello, Push};
use serde_json::json;

use super::peer::{Identity, Peer, env_id, hello, holding};

/// An edge that just joined.
async fn joined(app: &App) -> Peer {
    Peer::enroll(app, "edge-1", app.serve_edges().await, hello()).await
}

/// An edge that left with three environments: who it is, the epoch of these and what they are.
async fn left_with_all(app: &App, from: SocketAddr) -> (Identity, Epoch, Vec<Held>) {
    let identity = Identity::enroll(app, "edge-1", None).await;
    let mut edge = identity.join(from, hello()).await;
    let holds = edge.take_wholes(3).await;
    let epoch = edge.welcome.epoch;
    drop(edge);
    (identity, epoch, holds)
}

#[tokio::test]
async fn an_edge_is_told_what_belongs_to_it_and_gets_it() {
    let (app, owner, project) = App::with_project().await;
    let mut edge = joined(&app).await;

    assert_eq!(edge.welcome.name, "edge-1");
    assert_eq!(edge.welcome.now_ms, app.clock.unix_ms());
    let holds = edge.take_wholes(3).await;
    let versions = holds.iter().map(|held| (held.env_id, held.version));
    assert_eq!(edge.versions(), versions.collect());

    let flags = format!("/v1/projects/{}/flags", project.id);
    let flag = json!({"key": "a", "name": "A", "flag_type": "boolean"});
    let (created, deltas) = tokio::join!(owner.post(&flags, flag), async {
        let mut deltas = HashMap::new();
        for _ in 0..3 {
            let push = edge.receive().await;
            let (env_id, version, _) = edge.acknowledge(&push).await;
            assert!(matches!(push, Push::Delta(_)), "{push:?}");
            deltas.insert(env_id, version);
        }
        deltas
    });
    created.expect_status(201);
    assert_eq!(
        deltas[&env_id(&project.dev)].to_string(),
        created.header("x-snapshot-version")
    );
}

#[tokio::test]
async fn an_edge_that_comes_back_is_sent_only_what_differs() {
    let (app, owner, project) = App::with_project().await;
    let address = app.serve_edges().await;
    let (identity, epoch, mut holds) = left_with_all(&app, address).await;

    let mut again = identity.join(address, holding(epoch, holds.clone())).await;
    again.expect_no_push().await;
    drop(again);

    let flags = format!("/v1/projects/{}/flags", project.id);
    for key in ["a", "b"] {
        let flag = json!({"key": key, "name": key, "flag_type": "boolean"});
        owner.create(&flags, flag).await;
    }
    let mut again = identity.join(address, holding(epoch, holds.clone())).await;
    for _ in 0..3 {
        let push = again.receive().await;
        let (env_id, version, digest) = again.acknowledge(&push).await;
        let Push::Delta(delta) = push else {
            panic!("{push:?}")
        };
        assert_eq!((delta.flags.len(), delta.head.version - delta.base), (2, 2));
        let held = holds.iter_mut().find(|held| held.env_id == env_id).unwrap();
        assert_eq!(held.version, delta.base);
        (held.version, held.digest) = (version, digest);
    }
    drop(again);
}

#[tokio::test]
async fn what_was_removed_does_not_come_back_to_an_edge_that_changes_replicas() {
    let (app, _owner, project) = App::with_project().await;
    let address = app.serve_edges().await;
    let (identity, epoch, holds) = left_with_all(&app, address).await;

    // As by a replica that tells its own edge, and has not been heard of yet.
    app.execute(
        "WITH gone AS (DELETE FROM environments WHERE id = $1::uuid RETURNING id)
         INSERT INTO removed_environments (env_id, removed_at) SELECT id, now() FROM gone",
        &[&project.dev],
    )
    .await;
    let gone = env_id(&project.dev);
    let others: Vec<Held> = holds
        .into_iter()
        .filter(|held| held.env_id != gone)
        .collect();
    let again = identity.join(address, holding(epoch, others)).await;
    let belonging = &again.listed;
    assert_eq!(belonging.len(), 2);
    assert!(belonging.iter().all(|held| held.env_id != gone));
}

#[tokio::test]
async fn what_an_edge_asks_for_again_is_sent_whole() {
    let (app, _owner, project) = App::with_project().await;
    let mut edge = joined(&app).await;
    edge.take_wholes(3).await;

    edge.say(EdgeMessage::Resync {
        env_id: env_id(&project.dev),
    })
    .await;
    let wholes = edge.take_wholes(1).await;
    assert_eq!(wholes[0].env_id, env_id(&project.dev));
}

#[tokio::test]
async fn an_edge_that_cannot_use_an_environment_is_not_flooded_with_it() {
    let (app, _owner) = App::with_owner().await;
    let mut edge = joined(&app).await;
    // Of each environment the first, once more at once, and once more after a pause.
    let mut refused: HashMap<EnvId, Vec<Instant>> = HashMap::new();
    while refused.len() < 3 || refused.values().any(|times| times.len() < 3) {
        let push = edge.receive().await;
        let env_id = push.env_id();
        let times = refused.entry(env_id).or_default();
        if let [_, second] = times[..] {
            let pause = second.elapsed();
            assert!(pause >= Duration::from_secs(1), "{pause:?}");
        }
        times.push(Instant::now());
        edge.say(EdgeMessage::Ack { env_id, version: 0 }).await;
    }
}

#[tokio::test]
async fn an_edge_of_a_region_gets_its_organizations_alone() {
    let app = App::start().await;
    let _acme = app.signup("acme").await;
    let other = app.signup("other").await;
    app.execute(
        "UPDATE organizations SET data_region = 'eu' WHERE id = $1::uuid",
        &[&other.org_id],
    )
    .await;
    let project = other.default_project().await;
    // Any change makes publishers look at the organization again.
    let environments = format!("/v1/projects/{}/environments/{}", project.id, project.dev);
    other.change(&environments, json!({"slug": "moved"})).await;
    let address = app.serve_edges().await;

    let identity = Identity::enroll(&app, "edge-eu", Some("eu")).await;
    let edge = identity.join(address, hello()).await;
    let listed: Vec<_> = edge.listed.iter().map(|listed| listed.env_id).collect();
    assert!(listed.contains(&env_id(&project.dev)), "{listed:?}");
    let Push::Snapshot(snapshot, _) = edge.receive().await else {
        panic!("no snapshot")
    };
    assert_eq!(snapshot.head.org_id.to_string(), other.org_id);

    let asked = Hello {
        region: Some("eu".to_owned()),
        ..hello()
    };
    let narrowed = Peer::enroll(&app, "edge-all", address, asked).await;
    assert_eq!(narrowed.versions(), edge.versions());
}

#[tokio::test]
async fn an_edge_is_asked_to_flush_and_waited_for() {
    let app = App::start().await;
    let mut edge = joined(&app).await;
    edge.expect_no_push().await;
    let flushing = app.publisher.flush_usage(patience());
    let answering = async {
        let ControlMessage::FlushUsage { request } = edge.hear().await else {
            panic!("no request to flush")
        };
        edge.say(EdgeMessage::Flushed { request }).await;
    };
    let began = Instant::now();
    tokio::join!(flushing, answering);
    assert!(began.elapsed() < patience() / 2);
}

#[tokio::test]
async fn a_replica_that_stops_tells_its_edges_to_go() {
    let app = App::start().await;
    let mut edge = joined(&app).await;
    app.stop.cancel();
    assert!(matches!(
        edge.hear().await,
        ControlMessage::Drain {
            retry_after_ms: 1..
        }
    ));
    assert_eq!(edge.closed().await, (0, "going away".to_owned()));
}
