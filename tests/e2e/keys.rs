//! Keys that an edge does not hold: made-up ones, and those that it cannot have yet.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use harness::relay::{Line, Relay};
use harness::{Caller, Response, Stack, eventually};
use reqwest::Method;
use tokio::task::JoinSet;

use crate::{
    bulk::Bulk,
    scene::{FLAG, Scene, question},
};

const PROXY: (&str, &str) = ("TRUSTED_PROXIES", "127.0.0.1/32");
/// The default, which the harness raises.
const TIMEOUT: (&str, &str) = ("KEY_LOOKUP_TIMEOUT", "500ms");
const FLOODING: &str = "198.51.100.7";
const HONEST: &str = "203.0.113.5";
/// Clients that flood, and the pause of each between two requests: 1,200 a second.
const CLIENTS: usize = 600;
const PAUSE: Duration = Duration::from_millis(500);

/// A key in the right form that nobody has.
fn made_up(number: usize) -> String {
    format!("srv_{number:048x}")
}

/// Asks with a key, from an address.
async fn ask(anybody: &Caller, address: &str, key: &str) -> Response {
    let request = anybody
        .request(Method::POST, "/v1/evaluate")
        .header("x-api-key", key)
        .header("x-forwarded-for", address)
        .json(&question());
    anybody.send(request).await
}

/// Requests with made-up keys from one address, each key once. Dropping it ends it.
struct Flood {
    answered: Arc<AtomicUsize>,
    _clients: JoinSet<()>,
}

impl Flood {
    async fn start(anybody: &Caller) -> Self {
        let answered = Arc::new(AtomicUsize::new(0));
        let mut clients = JoinSet::new();
        for client in 0..CLIENTS {
            let (anybody, answered) = (anybody.clone(), Arc::clone(&answered));
            clients.spawn(async move {
                for round in 0.. {
                    let key = made_up(round * CLIENTS + client);
                    let status = ask(&anybody, FLOODING, &key).await.status;
                    assert!(status == 401 || status == 503, "{status}");
                    answered.fetch_add(1, Ordering::Relaxed);
                    tokio::time::sleep(PAUSE).await;
                }
            });
        }
        let flood = Self {
            answered,
            _clients: clients,
        };
        eventually("the flood is at its height", async || {
            (flood.answered() > CLIENTS).then_some(())
        })
        .await;
        flood
    }

    fn answered(&self) -> usize {
        self.answered.load(Ordering::Relaxed)
    }
}

/// The keys of all environments of some organizations.
async fn keys(stack: &Stack, organizations: &[&str]) -> Vec<String> {
    let mut keys = Vec::new();
    for name in organizations {
        let owner = stack.signup(name).await;
        let project = owner.default_project().await;
        for env in [&project.dev, &project.staging, &project.production] {
            keys.push(owner.api_key(env).await);
        }
    }
    keys
}

#[tokio::test(flavor = "multi_thread")]
async fn made_up_keys_of_one_client_leave_room_for_the_keys_of_others() {
    let mut stack = Stack::start().await;
    let keys = keys(&stack, &["one", "two", "three"]).await;
    let settings = [PROXY, ("EDGE_SUBSCRIBE", "on-demand")];
    let edge = stack.edge_with(&settings).await;
    let anybody = stack.anonymous().at(&edge.url());

    let flood = Flood::start(&anybody).await;
    let before = flood.answered();
    for key in &keys {
        let answer = ask(&anybody, HONEST, key).await;
        assert_eq!(answer.status, 200, "{:#}", answer.body);
    }
    // What the flood cannot have is known only for what was asked about.
    let unknown = ask(&anybody, HONEST, &made_up(usize::MAX)).await;
    assert_eq!(unknown.status, 401);
    eventually("the flood goes on", async || {
        (flood.answered() > before + CLIENTS).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn members_do_not_wait_for_made_up_keys() {
    let stack = Stack::start_with(&[PROXY]).await;
    let owner = stack.signup("acme").await;
    let anybody = stack.anonymous();
    let _flood = Flood::start(&anybody).await;
    let mut taken = Vec::new();
    for _ in 0..11 {
        let began = Instant::now();
        owner.get("/v1/projects").await.expect_status(200);
        taken.push(began.elapsed());
    }
    taken.sort();
    assert!(taken[5] < Duration::from_secs(1), "{taken:?}");
}

#[tokio::test]
async fn without_an_answer_nobody_can_tell_and_without_a_link_the_key_is_refused() {
    let mut scene = Scene::start_with(&[TIMEOUT]).await;
    let anybody = scene.stack.anonymous().at(&scene.edge.url());
    scene.stack.control.suspend();
    let answer = ask(&anybody, HONEST, &made_up(1)).await;
    assert_eq!(answer.status, 503);
    assert_eq!(answer.header("retry-after"), "1");
    assert_eq!(scene.value().await, "v0");

    scene.stack.control.resume();
    eventually(
        "the control plane says that there is no such key",
        async || {
            let answer = ask(&anybody, HONEST, &made_up(2)).await;
            (answer.status == 401).then_some(())
        },
    )
    .await;

    scene.stack.control.kill();
    eventually(
        "an edge without a link refuses what it does not hold",
        async || {
            let answer = ask(&anybody, HONEST, &made_up(3)).await;
            (answer.status == 401).then_some(())
        },
    )
    .await;
    assert_eq!(scene.value().await, "v0");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fresh_edge_refuses_no_key_whose_environment_is_on_its_way() {
    let mut scene = Scene::start().await;
    let bulk = Bulk::make(&scene.stack, 60).await;
    eventually("the edge beside it serves it", async || {
        bulk.is_served_by(&scene.edge).await.then_some(())
    })
    .await;
    // The large environment takes seconds.
    let line = Line {
        rate: 500_000,
        queue: 64 << 10,
        delay: Duration::from_millis(20),
        ..Line::GOOD
    };
    let relay = Relay::start(scene.stack.quic(), line).await;
    let upstream = relay.address().to_string();
    let mut fresh = scene
        .stack
        .enrolled_edge(&[("EDGE_UPSTREAM", &upstream), TIMEOUT]);
    fresh.start_unready().await;
    let anybody = scene.stack.anonymous().at(&fresh.url());

    let waited_for_the_rest = AtomicBool::new(false);
    eventually("the edge is ready", async || {
        let small = ask(&anybody, HONEST, &scene.key).await;
        let large = ask(&anybody, HONEST, bulk.key()).await;
        let is_ready = fresh.admin().get("/ready").await.status == 200;
        for answer in [&small, &large] {
            match answer.status {
                200 => {}
                503 => assert_eq!(answer.header("retry-after"), "1"),
                status => panic!("{status}: {:#}", answer.body),
            }
        }
        if small.status == 200 && large.status == 503 && !is_ready {
            waited_for_the_rest.store(true, Ordering::Relaxed);
        }
        is_ready.then_some(())
    })
    .await;
    assert!(
        waited_for_the_rest.into_inner(),
        "one came before the other"
    );
    for key in [&scene.key, bulk.key()] {
        assert_eq!(ask(&anybody, HONEST, key).await.status, 200);
    }
    assert_eq!(ask(&anybody, HONEST, &made_up(1)).await.status, 401);
    let served = ask(&anybody, HONEST, &scene.key).await;
    assert_eq!(served.body["flag_key"], FLAG);
}
