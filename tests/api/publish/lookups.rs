//! What look-ups of API keys may cost: connections of their own, and one rate for all edges, which take turns.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use harness::{App, eventually};
use protocol::wire::message::{ControlMessage, EdgeMessage};
use reqwest::Method;
use serde_json::json;
use sqlx::Connection as _;

use super::peer::{Identity, Peer, hello};

fn question() -> serde_json::Value {
    json!({"flag_key": "a", "context": {"key": "user-1"}})
}

/// A key in the right form that nobody has.
fn made_up(number: u64) -> String {
    format!("srv_{number:048x}")
}

async fn join(app: &App, name: &str, address: std::net::SocketAddr) -> Peer {
    let identity = Identity::enroll(app, name, None).await;
    identity.join(address, hello()).await
}

async fn ask(edge: &mut Peer, request: u64) {
    let mut hash = [0; 32];
    hash[..8].copy_from_slice(&request.to_le_bytes());
    edge.say(EdgeMessage::LookupKey { request, hash }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_are_looked_up_on_connections_of_their_own() {
    let (app, owner) = App::with_owner_and(&[("KEY_LOOKUP_TIMEOUT", "500ms")]).await;
    let mut connection = app.session().await;
    let mut holding = connection.begin().await.unwrap();
    sqlx::query("LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE")
        .execute(&mut *holding)
        .await
        .unwrap();

    // More than there are connections for requests.
    let anybody = app.anonymous();
    let look_ups = (0..40).map(|number| {
        let request = anybody
            .request(Method::POST, "/v1/evaluate")
            .header("x-api-key", made_up(number))
            .json(&question());
        anybody.send(request)
    });
    let members = async {
        app.until_waiting_for_locks(1).await;
        let began = Instant::now();
        owner.get("/v1/projects").await.expect_status(200);
        began.elapsed()
    };
    let (answers, taken) = tokio::join!(join_all(look_ups), members);
    assert!(taken < Duration::from_secs(2), "{taken:?}");
    for answer in answers {
        answer.expect_error(503, "the api key cannot be looked up now");
        assert_eq!(answer.header("retry-after"), "1");
    }

    holding.rollback().await.unwrap();
    eventually("keys are looked up again", async || {
        let request = anybody
            .request(Method::POST, "/v1/evaluate")
            .header("x-api-key", made_up(40))
            .json(&question());
        (anybody.send(request).await.status == 401).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn all_edges_share_one_rate_of_look_ups_and_take_turns() {
    let app = App::start_with(&[("KEY_LOOKUPS_PER_SECOND", "50")]).await;
    let address = app.serve_edges().await;
    let mut busy = [
        join(&app, "edge-1", address).await,
        join(&app, "edge-2", address).await,
    ];
    let mut quiet = join(&app, "edge-3", address).await;
    let began = Instant::now();
    for request in 0..100 {
        for edge in &mut busy {
            ask(edge, request).await;
        }
    }
    // The allowance of the first second is spent once so many are answered.
    for edge in &mut busy {
        for _ in 0..25 {
            assert!(matches!(
                edge.hear().await,
                ControlMessage::KeyUnknown { .. }
            ));
        }
    }
    ask(&mut quiet, 7).await;
    let asked = Instant::now();
    assert_eq!(
        quiet.hear().await,
        ControlMessage::KeyUnknown { request: 7 }
    );
    let waited = asked.elapsed();
    for edge in &mut busy {
        for _ in 25..100 {
            assert!(matches!(
                edge.hear().await,
                ControlMessage::KeyUnknown { .. }
            ));
        }
    }
    let all = began.elapsed();
    // 50 at once, and 150 at 50 a second.
    assert!(all >= Duration::from_millis(2_900), "{all:?}");
    assert!(waited < all / 2, "{waited:?} of {all:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_question_is_answered_also_beyond_what_may_wait() {
    let app = App::start_with(&[("KEY_LOOKUPS_PER_SECOND", "200")]).await;
    let address = app.serve_edges().await;
    let mut edge = join(&app, "edge-1", address).await;
    // 200 are looked up at once, and 256 wait: unless sending takes more than a second, some find no room.
    let mut open: HashSet<u64> = (0..700).collect();
    for request in 0..700 {
        ask(&mut edge, request).await;
    }
    let mut unavailable = 0;
    while !open.is_empty() {
        let request = match edge.hear().await {
            ControlMessage::KeyUnavailable { request } => {
                unavailable += 1;
                request
            }
            ControlMessage::KeyUnknown { request } => request,
            other => panic!("{other:?}"),
        };
        assert!(open.remove(&request), "{request} is answered once");
    }
    assert!(unavailable > 0);
}
