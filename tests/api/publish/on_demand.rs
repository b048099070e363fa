//! Questions of edges about API keys, and edges that hold only what they asked for.

use std::time::Duration;

use harness::App;
use protocol::wire::message::{ControlMessage, EdgeMessage, Hello, Subscribe};
use serde_json::json;
use sha2::Digest as _;

use super::peer::{Peer, env_id, hello};

fn hash_of(key: &str) -> [u8; 32] {
    sha2::Sha256::digest(key).into()
}

/// An edge that holds what it asks for.
async fn on_demand(app: &App) -> Peer {
    let on_demand = Hello {
        subscribe: Subscribe::OnDemand,
        ..hello()
    };
    Peer::enroll(app, "edge-1", app.serve_edges().await, on_demand).await
}

#[tokio::test]
async fn an_edge_on_demand_gets_the_environments_of_the_keys_it_asks_about() {
    let (app, owner, project) = App::with_project().await;
    let hash = hash_of(&owner.api_key(&project.dev).await);
    let mut edge = on_demand(&app).await;
    assert_eq!(edge.listed, []);

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
    let wholes = edge.take_wholes(1).await;
    assert_eq!((wholes[0].env_id, wholes[0].version), (found, version));

    let another = owner.api_key(&project.staging).await;
    let hash = hash_of(&another);
    let told = ControlMessage::KeyCreated { hash };
    assert_eq!(edge.hear().await, told);
}

#[tokio::test]
async fn what_an_edge_on_demand_forgot_is_not_sent_until_its_key_comes_back() {
    let (app, owner, project) = App::with_project().await;
    let hash = hash_of(&owner.api_key(&project.dev).await);
    let mut edge = on_demand(&app).await;
    let look_up = |request| EdgeMessage::LookupKey { request, hash };
    edge.say(look_up(1)).await;
    edge.hear().await;
    let held = edge.take_wholes(1).await.remove(0);

    edge.say(EdgeMessage::Forget {
        env_id: held.env_id,
    })
    .await;
    // What is said on the control stream is heard in its order.
    edge.expect_no_push().await;
    let flags = format!("/v1/projects/{}/flags", project.id);
    let flag = json!({"key": "a", "name": "A", "flag_type": "boolean"});
    owner.create(&flags, flag).await;
    edge.expect_no_push().await;

    edge.say(look_up(2)).await;
    let ControlMessage::KeyFound { version, .. } = edge.hear().await else {
        panic!("the key is there")
    };
    assert!(version > held.version);
    let again = edge.take_wholes(1).await.remove(0);
    assert_eq!((again.env_id, again.version), (held.env_id, version));
}

#[tokio::test]
async fn a_revoked_or_expired_key_is_unknown_to_edges() {
    let (app, owner, project) = App::with_project().await;
    let path = format!("/v1/environments/{}/api-keys", project.dev);
    let short = owner
        .post(&path, json!({"name": "short", "expires_in_days": 1}))
        .await;
    let revoked = owner.post(&path, json!({"name": "revoked"})).await;
    owner
        .remove(&format!("/v1/api-keys/{}", revoked.text("/id")))
        .await;
    app.clock.advance(Duration::from_secs(25 * 3_600));
    let mut edge = Peer::enroll(&app, "edge-1", app.serve_edges().await, hello()).await;

    for (request, key) in [(1, short.text("/key")), (2, revoked.text("/key"))] {
        let hash = hash_of(&key);
        edge.say(EdgeMessage::LookupKey { request, hash }).await;
        assert_eq!(edge.hear().await, ControlMessage::KeyUnknown { request });
    }
}
