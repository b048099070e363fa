//! The Rust SDK beside a control plane and an edge that are real.

mod signed;
mod usage;
mod versions;

use std::time::{Duration, Instant};

use halyard::{Builder, Client, Context, StartError, State, Status};
use harness::eventually;
use serde_json::json;

use crate::scene::{FLAG, Scene};

/// Changes whose way is timed.
const CHANGES: usize = 100;
/// Within this time 99 of 100 changes answer, from the request of the write on. On a machine that is busy with other tests.
const BOUND: Duration = Duration::from_secs(1);

/// A client of the scene's edge that reports often.
fn builder(scene: &Scene) -> Builder {
    Client::builder(&scene.key, scene.edge.url()).usage_interval(Duration::from_millis(200))
}

fn value(client: &Client) -> String {
    client
        .string(FLAG, &Context::new("user-1"), "none")
        .to_string()
}

async fn says(client: &Client, wanted: &str) {
    eventually(&format!("the SDK says {wanted}"), || async {
        (value(client) == wanted).then_some(())
    })
    .await;
}

async fn is(client: &Client, what: &str, wanted: impl Fn(&Status) -> bool) {
    eventually(&format!("the SDK is {what}"), || async {
        wanted(&client.status()).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_is_answered_within_a_second() {
    let scene = Scene::start().await;
    let client = builder(&scene).start().await.unwrap();
    assert_eq!(value(&client), "v0");
    is(&client, "ready", |status| status.state == State::Ready).await;
    let mut changes = client.subscribe();
    let mut times = Vec::new();
    for round in 1..=CHANGES {
        let wanted = format!("v{round}");
        let began = Instant::now();
        let came = async {
            while value(&client) != wanted {
                let changed = changes.next().await.unwrap();
                assert_eq!(changed.flags, [FLAG]);
            }
            began.elapsed()
        };
        let (_, time) = tokio::join!(scene.serve(&wanted), came);
        times.push(time);
    }
    times.sort_unstable();
    let slow = times[CHANGES - 2];
    assert!(slow < BOUND, "{slow:?}, the fastest {:?}", times[0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_edge_leaves_the_sdk_with_what_it_has_until_it_is_back() {
    let mut scene = Scene::start().await;
    let client = builder(&scene).start().await.unwrap();
    says(&client, "v0").await;
    scene.edge.process.kill();
    is(&client, "stale", |status| {
        matches!(status.state, State::Stale { .. })
    })
    .await;
    assert_eq!(value(&client), "v0");
    scene.serve("v1").await;
    assert_eq!(value(&client), "v0");
    scene.edge.start().await;
    says(&client, "v1").await;
    is(&client, "ready", |status| status.state == State::Ready).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_a_local_copy_an_sdk_starts_when_nothing_runs() {
    let mut scene = Scene::start().await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flags");
    let client = builder(&scene).local_copy(&path).start().await.unwrap();
    scene.serve("v1").await;
    says(&client, "v1").await;
    client.close().await;

    scene.edge.process.kill();
    scene.stack.control.kill();
    let began = Instant::now();
    let client = builder(&scene).local_copy(&path).start().await.unwrap();
    let took = began.elapsed();
    assert!(took < Duration::from_secs(1), "{took:?}");
    assert_eq!(value(&client), "v1");
    assert!(matches!(client.status().state, State::Stale { .. }));
    assert_eq!(value(&Client::from_snapshot_file(&path).unwrap()), "v1");

    let without = builder(&scene).start_timeout(Duration::from_millis(500));
    let refused = without.start().await.unwrap_err();
    assert!(matches!(refused, StartError::Timeout(_)), "{refused}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_revoked_key_is_told_and_what_is_held_goes_on() {
    let scene = Scene::start().await;
    let keys = format!("/v1/environments/{}/api-keys", scene.env);
    let body = json!({"name": "to be revoked", "type": "server"});
    let made = scene.owner.create(&keys, body).await;
    let client = Client::builder(made.text("/key"), scene.edge.url());
    let client = client.start().await.unwrap();
    says(&client, "v0").await;
    let revoke = format!("/v1/api-keys/{}", made.text("/id"));
    scene.owner.remove(&revoke).await;
    is(&client, "refused", |status| status.state == State::Refused).await;
    assert_eq!(value(&client), "v0");
    let why = client.status().last_error.unwrap();
    assert!(why.contains("401"), "{why}");

    let refused = Client::builder(made.text("/key"), scene.edge.url());
    let refused = refused.start().await.unwrap_err();
    assert!(matches!(refused, StartError::Refused(_)), "{refused}");
}
