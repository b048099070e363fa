//! Keys that the edge does not hold: who is asked about them, and what is answered meanwhile.

use std::{
    future::pending,
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use axum::{Router, body::Body, extract::ConnectInfo, http::Request};
use edge_node::{Edge, KeyLookup, Listing, Located, Unavailable};
use futures_util::{FutureExt, future::BoxFuture};
use protocol::{snapshot::KeyHash, wire::message::Epoch};

use crate::support::*;

const EPOCH: Epoch = Epoch([1; 16]);
const QUESTION: &str = r#"{"flag_key": "on", "context": {"key": "u"}}"#;

/// How the control plane of a test answers.
#[derive(Clone, Copy)]
enum Answer {
    Never,
    NotNow,
    Unknown,
    /// The key is of environment 9 at version 7.
    Found,
}

/// A control plane that answers in this way, and notes what it is asked.
struct ControlPlane {
    answer: Mutex<Answer>,
    is_reachable: AtomicBool,
    asked: Mutex<Vec<KeyHash>>,
}

impl ControlPlane {
    fn new(answer: Answer) -> Arc<Self> {
        Arc::new(Self {
            answer: Mutex::new(answer),
            is_reachable: AtomicBool::new(true),
            asked: Mutex::default(),
        })
    }

    fn answers(&self, answer: Answer) {
        *self.answer.lock().unwrap() = answer;
    }

    fn asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

impl KeyLookup for ControlPlane {
    fn is_reachable(&self) -> bool {
        self.is_reachable.load(Ordering::SeqCst)
    }

    fn look_up(&self, hash: KeyHash) -> BoxFuture<'static, Result<Option<Located>, Unavailable>> {
        self.asked.lock().unwrap().push(hash);
        let answer = *self.answer.lock().unwrap();
        async move {
            match answer {
                Answer::Never => pending().await,
                Answer::NotNow => Err(Unavailable),
                Answer::Unknown => Ok(None),
                Answer::Found => Ok(Some(Located {
                    env_id: env_id(9),
                    version: 7,
                })),
            }
        }
        .boxed()
    }
}

fn edge(control: &Arc<ControlPlane>) -> (Edge, Router) {
    edge_with(control, &[("KEY_LOOKUP_TIMEOUT", "50ms")])
}

fn edge_with(control: &Arc<ControlPlane>, changed: &[(&str, &str)]) -> (Edge, Router) {
    let edge = Edge::new(settings(changed), clock(), Some(control.clone()));
    let router = edge.router();
    (edge, router)
}

/// An edge to which nothing belongs yet.
fn complete(control: &Arc<ControlPlane>) -> (Edge, Router) {
    let (edge, router) = edge(control);
    edge.expect(EPOCH, &Listing::default());
    (edge, router)
}

/// A key in the right form that nobody has.
fn made_up(number: usize) -> String {
    format!("srv_{number:048x}")
}

async fn ask(router: &Router, key: &str) -> Answered {
    let answer = post(router, "/v1/evaluate", key, QUESTION).await;
    (
        answer.status.as_u16(),
        answer.header("retry-after").to_owned(),
    )
}

type Answered = (u16, String);

fn not_yet() -> Answered {
    (503, "1".to_owned())
}

fn refused() -> Answered {
    (401, String::new())
}

#[tokio::test]
async fn only_the_control_plane_makes_a_key_unknown() {
    let control = ControlPlane::new(Answer::Never);
    let (_edge, router) = complete(&control);
    assert_eq!(ask(&router, NOBODY).await, not_yet());
    control.answers(Answer::NotNow);
    assert_eq!(ask(&router, NOBODY).await, not_yet());
    control.answers(Answer::Unknown);
    assert_eq!(ask(&router, NOBODY).await, refused());
    assert_eq!(control.asked(), 3);

    // Said once, it holds for a while; and without a link it is all that can be said.
    control.answers(Answer::Never);
    assert_eq!(ask(&router, NOBODY).await, refused());
    control.is_reachable.store(false, Ordering::SeqCst);
    assert_eq!(ask(&router, LATE).await, refused());
    assert_eq!(control.asked(), 3);
}

#[tokio::test]
async fn every_path_says_that_a_key_cannot_be_looked_up_now() {
    let control = ControlPlane::new(Answer::Never);
    let (_edge, router) = complete(&control);
    let key = [("x-api-key", NOBODY)];
    for path in ["/v1/client/dev/flags", "/v1/stream/dev"] {
        let answer = get(&router, path, &key).await;
        assert_eq!(answer.status, 503, "{path}");
        assert_eq!(answer.header("retry-after"), "1", "{path}");
    }
    for path in [
        "/v1/evaluate",
        "/v1/evaluate/bulk",
        "/v1/track",
        "/ofrep/v1/evaluate/flags",
        "/ofrep/v1/evaluate/flags/on",
    ] {
        let answer = post(&router, path, NOBODY, "{}").await;
        assert_eq!(answer.status, 503, "{path}");
        assert_eq!(answer.header("retry-after"), "1", "{path}");
        let error = serde_json::json!({"error": "the api key cannot be looked up now"});
        assert_eq!(answer.json(), error, "{path}");
    }
}

#[tokio::test]
async fn a_key_whose_environment_is_on_its_way_is_not_refused() {
    let control = ControlPlane::new(Answer::Found);
    let (edge, router) = edge(&control);
    let large = snapshot(9, 7, vec![toggle(2, "on", true)]);
    let mut small = snapshot(10, 3, vec![toggle(2, "on", true)]);
    small.keys = vec![key(LATE, None)];

    // Before a greeting there is nobody to ask.
    control.is_reachable.store(false, Ordering::SeqCst);
    assert_eq!(ask(&router, KEY).await, not_yet());
    control.is_reachable.store(true, Ordering::SeqCst);

    edge.expect(EPOCH, &listing([&large, &small]));
    assert_eq!(ask(&router, KEY).await, not_yet());
    edge.apply(&whole(&small));
    assert!(!edge.is_ready());
    assert_eq!(ask(&router, LATE).await.0, 200);
    assert_eq!(ask(&router, KEY).await, not_yet());
    control.answers(Answer::Unknown);
    assert_eq!(ask(&router, NOBODY).await, refused());
    // The link is lost in the middle: what is missing may have any key.
    control.is_reachable.store(false, Ordering::SeqCst);
    assert_eq!(ask(&router, KEY).await, not_yet());
    control.is_reachable.store(true, Ordering::SeqCst);

    edge.apply(&whole(&large));
    assert!(edge.is_ready());
    assert_eq!(ask(&router, KEY).await.0, 200);
}

#[tokio::test]
async fn what_is_held_of_another_history_does_not_disprove_a_key() {
    let control = ControlPlane::new(Answer::Found);
    let (edge, router) = complete(&control);
    let mut old = snapshot(9, 100, vec![]);
    old.keys = vec![key(LATE, None)];
    edge.apply(&whole(&old));
    let new = snapshot(9, 7, vec![toggle(2, "on", true)]);
    edge.expect(Epoch([2; 16]), &listing([&new]));
    assert_eq!(ask(&router, KEY).await, not_yet());
    edge.apply(&whole(&new));
    assert_eq!(ask(&router, KEY).await.0, 200);
}

#[tokio::test]
async fn a_version_without_the_key_shows_that_it_was_revoked() {
    let control = ControlPlane::new(Answer::Found);
    let (edge, router) = complete(&control);
    edge.apply(&whole(&snapshot(9, 8, vec![])));
    assert_eq!(ask(&router, LATE).await, refused());
}

#[tokio::test]
async fn nobody_is_asked_about_what_cannot_be_a_key() {
    let control = ControlPlane::new(Answer::Found);
    let (edge, router) = edge(&control);
    for text in [
        "unknown",
        "srv_",
        &KEY[..KEY.len() - 1],
        &format!("{KEY}0"),
        &KEY.to_uppercase(),
    ] {
        assert_eq!(ask(&router, text).await, refused(), "{text}");
    }
    assert_eq!(control.asked(), 0);

    // What is held is opened all the same.
    let mut older = snapshot(9, 7, vec![toggle(2, "on", true)]);
    older.keys = vec![key("older", None)];
    edge.expect(EPOCH, &Listing::default());
    edge.apply(&whole(&older));
    assert_eq!(ask(&router, "older").await.0, 200);
}

/// Asks from an address, which a proxy names.
async fn ask_from(router: &Router, address: &str, key: &str) -> u16 {
    let mut request = Request::post("/v1/evaluate")
        .header("x-api-key", key)
        .header("x-forwarded-for", address)
        .body(Body::from(QUESTION))
        .unwrap();
    let peer: SocketAddr = ([127, 0, 0, 1], 4711).into();
    request.extensions_mut().insert(ConnectInfo(peer));
    send_from(router, request).await.status.as_u16()
}

#[tokio::test]
async fn a_client_network_has_its_share_of_the_look_ups_under_way() {
    let control = ControlPlane::new(Answer::Never);
    let (_edge, router) = edge_with(
        &control,
        &[
            ("TRUSTED_PROXIES", "127.0.0.1/32"),
            ("KEY_LOOKUPS_PER_NETWORK", "0"),
            ("KEY_LOOKUP_TIMEOUT", "2s"),
        ],
    );
    let flood = (0..1_000).map(|number| {
        let address = format!("2001:db8:0:{:x}::1", number % 256);
        let router = router.clone();
        tokio::spawn(async move { ask_from(&router, &address, &made_up(number)).await })
    });
    let flood: Vec<_> = flood.collect();
    while control.asked() < 52 {
        tokio::task::yield_now().await;
    }
    // A site's networks are one, and the others are asked about.
    control.answers(Answer::Unknown);
    for number in 0..9 {
        let address = format!("2001:db8:1:{number:x}00::1");
        let key = made_up(1_000 + number);
        assert_eq!(ask_from(&router, &address, &key).await, 401, "{address}");
    }
    assert_eq!(control.asked(), 52 + 9);
    for answer in flood {
        assert_eq!(answer.await.unwrap(), 503);
    }
    assert_eq!(control.asked(), 52 + 9);
}

#[tokio::test]
async fn a_client_network_has_so_many_look_ups_a_second() {
    let control = ControlPlane::new(Answer::Unknown);
    let (_edge, router) = edge_with(
        &control,
        &[
            ("TRUSTED_PROXIES", "127.0.0.1/32"),
            ("KEY_LOOKUPS_PER_NETWORK", "10"),
        ],
    );
    for number in 0..20 {
        let answered = ask_from(&router, "198.51.100.1", &made_up(number)).await;
        assert_eq!(answered, if number < 10 { 401 } else { 503 }, "{number}");
    }
    // What is known already costs nothing.
    assert_eq!(ask_from(&router, "198.51.100.1", &made_up(3)).await, 401);
    assert_eq!(ask_from(&router, "198.51.100.2", &made_up(20)).await, 401);
    assert_eq!(control.asked(), 11);
}
