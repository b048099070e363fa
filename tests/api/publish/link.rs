//! The link over QUIC: greeting, pushes, acknowledgements, questions about keys, good-bye.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use harness::App;
use harness::patience::patience;
use protocol::ids::EnvId;
use protocol::snapshot::Digest;
use protocol::wire::message::{ControlMessage, EdgeMessage, Held, Hello, Push, Subscribe};
use serde_json::json;
use sha2::Digest as _;

use super::peer::{Identity, Peer, hello, holding};

fn env_id(text: &str) -> EnvId {
    uuid::Uuid::try_parse(text).unwrap().into()
}

/// Takes and acknowledges that many pushes, which have to be whole environments.
async fn take_wholes(peer: &mut Peer, count: usize) -> Vec<Held> {
    let mut holds = Vec::new();
    for _ in 0..count {
        let push = peer.receive().await;
        assert!(matches!(push, Push::Snapshot(..)), "{push:?}");
        let (env_id, version, digest) = peer.acknowledge(&push).await;
        holds.push(Held {
            env_id,
            version,
            digest,
        });
    }
    holds
}

fn sorted(mut held: Vec<Held>) -> Vec<Held> {
    held.sort_by_key(|held| held.env_id);
    held
}

#[tokio::test]
async fn an_edge_is_told_what_belongs_to_it_and_gets_it() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let project = owner.default_project().await;
    let address = app.serve_edges().await;
    let mut edge = Identity::enroll(&app, "edge-1", None)
        .await
        .join(address, hello())
        .await;

    assert_eq!(edge.welcome.name, "edge-1");
    assert_eq!(edge.welcome.now_ms, app.clock.unix_ms());
    let holds = take_wholes(&mut edge, 3).await;
    assert_eq!(sorted(holds), sorted(edge.welcome.environments.clone()));

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
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let project = owner.default_project().await;
    let address = app.serve_edges().await;
    let identity = Identity::enroll(&app, "edge-1", None).await;
    let mut first = identity.join(address, hello()).await;
    let epoch = first.welcome.epoch;
    let mut holds = take_wholes(&mut first, 3).await;
    drop(first);

    let mut again = identity.join(address, holding(epoch, holds.clone())).await;
    again.expect_no_push().await;
    drop(again);

    let flags = format!("/v1/projects/{}/flags", project.id);
    owner
        .post(
            &flags,
            json!({"key": "a", "name": "A", "flag_type": "boolean"}),
        )
        .await
        .expect_status(201);
    owner
        .post(
            &flags,
            json!({"key": "b", "name": "B", "flag_type": "boolean"}),
        )
        .await
        .expect_status(201);
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

    // A digest that is not that of the version: something went wrong there.
    holds[0].digest = Digest([7; 32]);
    let mut again = identity.join(address, holding(epoch, holds.clone())).await;
    let wholes = take_wholes(&mut again, 1).await;
    assert_eq!(wholes[0].env_id, holds[0].env_id);
    again.expect_no_push().await;
}

#[tokio::test]
async fn what_was_removed_does_not_come_back_to_an_edge_that_changes_replicas() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let project = owner.default_project().await;
    let address = app.serve_edges().await;
    let identity = Identity::enroll(&app, "edge-1", None).await;
    let mut first = identity.join(address, hello()).await;
    let epoch = first.welcome.epoch;
    let holds = take_wholes(&mut first, 3).await;
    drop(first);

    // As by a replica that tells its own edge, and has not been heard of yet.
    sqlx::query(
        "WITH gone AS (DELETE FROM environments WHERE id = $1::uuid RETURNING id)
         INSERT INTO removed_environments (env_id, removed_at) SELECT id, now() FROM gone",
    )
    .bind(&project.dev)
    .execute(app.pool())
    .await
    .unwrap();
    let gone = env_id(&project.dev);
    let others: Vec<Held> = holds
        .into_iter()
        .filter(|held| held.env_id != gone)
        .collect();
    let again = identity.join(address, holding(epoch, others)).await;
    let belonging = &again.welcome.environments;
    assert_eq!(belonging.len(), 2);
    assert!(belonging.iter().all(|held| held.env_id != gone));
}

#[tokio::test]
async fn what_an_edge_asks_for_again_is_sent_whole() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let project = owner.default_project().await;
    let address = app.serve_edges().await;
    let mut edge = Identity::enroll(&app, "edge-1", None)
        .await
        .join(address, hello())
        .await;
    take_wholes(&mut edge, 3).await;

    edge.say(EdgeMessage::Resync {
        env_id: env_id(&project.dev),
    })
    .await;
    let wholes = take_wholes(&mut edge, 1).await;
    assert_eq!(wholes[0].env_id, env_id(&project.dev));
}

#[tokio::test]
async fn an_edge_that_cannot_use_an_environment_is_not_flooded_with_it() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let _project = owner.default_project().await;
    let address = app.serve_edges().await;
    let mut edge = Identity::enroll(&app, "edge-1", None)
        .await
        .join(address, hello())
        .await;
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
    sqlx::query("UPDATE organizations SET data_region = 'eu' WHERE id = $1::uuid")
        .bind(&other.org_id)
        .execute(app.pool())
        .await
        .unwrap();
    let project = other.default_project().await;
    // Any change makes publishers look at the organization again.
    let environments = format!("/v1/projects/{}/environments/{}", project.id, project.dev);
    other
        .put(&environments, json!({"slug": "moved"}))
        .await
        .expect_status(200);
    let address = app.serve_edges().await;

    let identity = Identity::enroll(&app, "edge-eu", Some("eu")).await;
    let edge = identity.join(address, hello()).await;
    let listed: Vec<_> = edge
        .welcome
        .environments
        .iter()
        .map(|held| held.env_id)
        .collect();
    assert!(listed.contains(&env_id(&project.dev)), "{listed:?}");
    let Push::Snapshot(snapshot, _) = edge.receive().await else {
        panic!("no snapshot")
    };
    assert_eq!(snapshot.head.org_id.to_string(), other.org_id);

    let asked = Hello {
        region: Some("eu".to_owned()),
        ..hello()
    };
    let narrowed = Identity::enroll(&app, "edge-all", None)
        .await
        .join(address, asked)
        .await;
    assert_eq!(
        sorted(narrowed.welcome.environments),
        sorted(edge.welcome.environments)
    );
}

#[tokio::test]
async fn an_edge_on_demand_gets_the_environments_of_the_keys_it_asks_about() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let project = owner.default_project().await;
    let key = owner.api_key(&project.dev).await;
    let hash = sha2::Sha256::digest(&key).into();
    let address = app.serve_edges().await;
    let on_demand = Hello {
        subscribe: Subscribe::OnDemand,
        ..hello()
    };
    let mut edge = Identity::enroll(&app, "edge-1", None)
        .await
        .join(address, on_demand)
        .await;
    assert_eq!(edge.welcome.environments, []);

    edge.say(EdgeMessage::LookupKey {
        request: 1,
        hash: [0; 32],
    })
    .await;
    assert_eq!(edge.hear().await, ControlMessage::KeyUnknown { request: 1 });
    edge.say(EdgeMessage::LookupKey { request: 2, hash }).await;
    let ControlMessage::KeyFound {
        request,
        env_id: found,
        version,
    } = edge.hear().await
    else {
        panic!("the key is there")
    };
    assert_eq!((request, found), (2, env_id(&project.dev)));
    let wholes = take_wholes(&mut edge, 1).await;
    assert_eq!((wholes[0].env_id, wholes[0].version), (found, version));

    let another = owner.api_key(&project.staging).await;
    let told = ControlMessage::KeyCreated {
        hash: sha2::Sha256::digest(&another).into(),
    };
    assert_eq!(edge.hear().await, told);
}

#[tokio::test]
async fn what_an_edge_on_demand_forgot_is_not_sent_until_its_key_comes_back() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let project = owner.default_project().await;
    let key = owner.api_key(&project.dev).await;
    let hash = sha2::Sha256::digest(&key).into();
    let address = app.serve_edges().await;
    let on_demand = Hello {
        subscribe: Subscribe::OnDemand,
        ..hello()
    };
    let mut edge = Identity::enroll(&app, "edge-1", None)
        .await
        .join(address, on_demand)
        .await;
    let look_up = |request| EdgeMessage::LookupKey { request, hash };
    edge.say(look_up(1)).await;
    edge.hear().await;
    let held = take_wholes(&mut edge, 1).await.remove(0);

    edge.say(EdgeMessage::Forget {
        env_id: held.env_id,
    })
    .await;
    // What is said on the control stream is heard in its order.
    edge.expect_no_push().await;
    let flags = format!("/v1/projects/{}/flags", project.id);
    let flag = json!({"key": "a", "name": "A", "flag_type": "boolean"});
    owner.post(&flags, flag).await.expect_status(201);
    edge.expect_no_push().await;

    edge.say(look_up(2)).await;
    let ControlMessage::KeyFound { version, .. } = edge.hear().await else {
        panic!("the key is there")
    };
    assert!(version > held.version);
    let again = take_wholes(&mut edge, 1).await.remove(0);
    assert_eq!((again.env_id, again.version), (held.env_id, version));
}

#[tokio::test]
async fn an_edge_is_asked_to_flush_and_waited_for() {
    let app = App::start().await;
    let address = app.serve_edges().await;
    let mut edge = Identity::enroll(&app, "edge-1", None)
        .await
        .join(address, hello())
        .await;
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
async fn a_revoked_or_expired_key_is_unknown_to_edges() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let project = owner.default_project().await;
    let path = format!("/v1/environments/{}/api-keys", project.dev);
    let short = owner
        .post(&path, json!({"name": "short", "expires_in_days": 1}))
        .await;
    let revoked = owner.post(&path, json!({"name": "revoked"})).await;
    owner
        .delete(&format!("/v1/api-keys/{}", revoked.text("/id")))
        .await
        .expect_status(204);
    app.clock.advance(Duration::from_secs(25 * 3_600));
    let address = app.serve_edges().await;
    let mut edge = Identity::enroll(&app, "edge-1", None)
        .await
        .join(address, hello())
        .await;

    for (request, key) in [(1, short.text("/key")), (2, revoked.text("/key"))] {
        let hash = sha2::Sha256::digest(key).into();
        edge.say(EdgeMessage::LookupKey { request, hash }).await;
        assert_eq!(edge.hear().await, ControlMessage::KeyUnknown { request });
    }
}

#[tokio::test]
async fn a_replica_that_stops_tells_its_edges_to_go() {
    let app = App::start().await;
    let address = app.serve_edges().await;
    let mut edge = Identity::enroll(&app, "edge-1", None)
        .await
        .join(address, hello())
        .await;
    app.stop.cancel();
    assert!(matches!(
        edge.hear().await,
        ControlMessage::Drain {
            retry_after_ms: 1..
        }
    ));
    assert_eq!(edge.closed().await, (0, "going away".to_owned()));
}
