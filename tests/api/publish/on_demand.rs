//! Questions of edges about API keys, and edges that hold only what they asked for.

use std::time::Duration;

use harness::App;
use protocol::wire::message::{ControlMessage, EdgeMessage, Hello, Subscribe};
use serde_json::json;
use sha2::Digest as _;

use super::peer::{Identity, env_id, hello};

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
    let held = edge.take_wholes(1).await.remove(0);

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
    let again = edge.take_wholes(1).await.remove(0);
    assert_eq!((again.env_id, again.version), (held.env_id, version));
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
