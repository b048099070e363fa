//! What an edge does with pushes: versions, digests, epochs, readiness, keys that are looked up.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use crate::support::*;
use edge_node::{Edge, Greeting, KeyLookup, Listing, Located, Outcome, Unavailable};
use futures_util::{FutureExt, future::BoxFuture};
use protocol::{
    snapshot::{Digest, KeyHash, Snapshot},
    wire::message::{Epoch, Push},
};
use serving::clock::Clock;
use time::macros::datetime;

const EPOCH: Epoch = Epoch([1; 16]);
const OTHER_EPOCH: Epoch = Epoch([2; 16]);

fn edge(lookup: Option<Arc<dyn KeyLookup>>) -> Edge {
    Edge::new(
        settings(&[]),
        Clock::manual(datetime!(2026-01-01 00:00 UTC)),
        lookup,
    )
}

fn version(number: u64, enabled: bool) -> Snapshot {
    snapshot(9, number, vec![toggle(1, "a", enabled)])
}

fn applied(version: u64) -> Outcome {
    Outcome::Applied {
        env_id: env_id(9),
        version,
    }
}

fn resync() -> Outcome {
    Outcome::Resync { env_id: env_id(9) }
}

#[test]
fn what_is_newer_than_what_there_is_has_not_arrived() {
    let edge = edge(None);
    let (held, there_is) = (version(7, true), version(6, false));
    edge.expect(EPOCH, &listing([&held, &snapshot(10, 7, Vec::new())]));
    assert_eq!(edge.apply(&whole(&held)), applied(7));
    edge.expect(EPOCH, &listing([&there_is]));
    assert!(!edge.is_ready(), "the database was rewound");
    edge.expect(OTHER_EPOCH, &listing([&there_is]));
    assert_eq!(edge.apply(&whole(&there_is)), applied(6));
    assert!(edge.is_ready());
}

#[tokio::test]
async fn a_newer_version_is_never_replaced_by_an_older_one() {
    let edge = edge(None);
    edge.apply(&whole(&version(7, true)));
    assert_eq!(edge.apply(&whole(&version(6, false))), Outcome::Ignored);
    assert_eq!(
        edge.apply(&delta(&version(5, true), &version(6, false))),
        Outcome::Ignored
    );
    assert_eq!(evaluate(&edge.router(), "a").await, "true FALLTHROUGH");
    assert_eq!(edge.version(env_id(9)), Some(7));
}

#[tokio::test]
async fn a_delta_that_does_not_fit_requests_the_whole_and_changes_nothing() {
    let edge = edge(None);
    let next = delta(&version(7, true), &version(8, false));
    assert_eq!(edge.apply(&next), resync());

    edge.apply(&whole(&version(6, true)));
    assert_eq!(edge.apply(&next), resync());

    edge.apply(&whole(&version(7, true)));
    let Push::Delta(mut wrong) = next.clone() else {
        unreachable!()
    };
    wrong.digest = Digest([0; 32]);
    assert_eq!(edge.apply(&Push::Delta(wrong)), resync());
    assert_eq!(evaluate(&edge.router(), "a").await, "true FALLTHROUGH");

    assert_eq!(edge.apply(&next), applied(8));
    assert_eq!(evaluate(&edge.router(), "a").await, "false DISABLED");
}

#[tokio::test]
async fn a_whole_environment_with_a_wrong_digest_is_not_served() {
    let edge = edge(None);
    edge.apply(&whole(&version(7, true)));
    let damaged = Push::Snapshot(version(8, false), Digest([0; 32]));
    assert_eq!(edge.apply(&damaged), resync());
    assert_eq!(evaluate(&edge.router(), "a").await, "true FALLTHROUGH");
}

#[tokio::test]
async fn in_a_new_epoch_lower_versions_are_accepted() {
    let edge = edge(None);
    edge.expect(EPOCH, &Listing::default());
    edge.apply(&whole(&version(7, true)));

    let restored = version(3, false);
    assert_eq!(
        edge.expect(OTHER_EPOCH, &listing([&restored])),
        Greeting::default()
    );
    assert_eq!(
        edge.apply(&delta(&version(7, true), &version(8, false))),
        resync()
    );
    assert_eq!(edge.apply(&whole(&restored)), applied(3));
    assert_eq!(edge.apply(&whole(&version(2, true))), Outcome::Ignored);
    assert_eq!(evaluate(&edge.router(), "a").await, "false DISABLED");
}

#[tokio::test]
async fn an_edge_is_ready_once_all_that_was_listed_is_served() {
    let edge = edge(None);
    let listed = listing(&[version(7, true), snapshot(10, 3, vec![])]);
    edge.expect(EPOCH, &listed);
    edge.apply(&whole(&version(7, true)));
    assert!(!edge.is_ready());
    let mut other = snapshot(10, 3, vec![]);
    other.keys.clear();
    edge.apply(&whole(&other));
    assert!(edge.is_ready());
}

#[tokio::test]
async fn an_edge_to_which_nothing_belongs_refuses_every_key() {
    let edge = edge(None);
    let router = edge.router();
    let ask = async || post(&router, "/v1/evaluate", NOBODY, "{}").await.status;
    assert_eq!(ask().await, 503);
    edge.expect(EPOCH, &Listing::default());
    assert_eq!(ask().await, 401);
}

#[tokio::test]
async fn what_is_confirmed_without_being_listed_is_kept_and_adopted() {
    let edge = edge(None);
    edge.expect(EPOCH, &Listing::default());
    edge.apply(&whole(&version(7, true)));
    edge.apply(&whole(&snapshot(10, 7, vec![])));
    let confirmed = Listing {
        confirmed: vec![env_id(9)],
        ..Listing::default()
    };
    let greeting = edge.expect(OTHER_EPOCH, &confirmed);
    assert_eq!(greeting.adopted, [env_id(9)]);
    assert_eq!(greeting.dropped, [env_id(10)]);
    assert!(edge.is_ready());
    let next = delta(&version(7, true), &version(8, false));
    assert_eq!(edge.apply(&next), applied(8));
}

#[tokio::test]
async fn without_a_digest_versions_of_one_epoch_are_compared() {
    let undigested = |number| {
        let mut listing = listing(&[version(number, true)]);
        listing.environments[0].digest = None;
        listing
    };
    let edge = edge(None);
    edge.expect(EPOCH, &undigested(7));
    edge.apply(&whole(&version(7, true)));
    assert!(edge.is_ready());

    // In another epoch the same version may be something else.
    let greeting = edge.expect(OTHER_EPOCH, &undigested(7));
    assert_eq!(greeting, Greeting::default());
    let next = delta(&version(7, true), &version(8, false));
    assert_eq!(edge.apply(&next), resync());
}

#[tokio::test]
async fn what_was_not_named_in_one_epoch_says_nothing_when_the_epoch_before_comes_back() {
    let edge = edge(None);
    edge.expect(EPOCH, &Listing::default());
    edge.apply(&whole(&version(8, false)));
    edge.expect(OTHER_EPOCH, &listing(&[version(7, true)]));
    assert_eq!(edge.holds(), (Some(OTHER_EPOCH), Vec::new()));
    // The same backup, restored once more.
    edge.expect(EPOCH, &listing(&[version(7, true)]));
    assert_eq!(edge.apply(&whole(&version(7, true))), applied(7));
}

#[tokio::test]
async fn what_is_not_listed_is_dropped_and_what_is_the_same_is_adopted() {
    let edge = edge(None);
    edge.expect(EPOCH, &Listing::default());
    edge.apply(&whole(&version(7, true)));
    let mut other = snapshot(10, 7, vec![]);
    other.keys = vec![key("other", None)];
    edge.apply(&whole(&other));

    let greeting = edge.expect(OTHER_EPOCH, &listing(&[version(7, true)]));
    assert_eq!(greeting.dropped, [env_id(10)]);
    assert_eq!(greeting.adopted, [env_id(9)]);
    assert_eq!(edge.version(env_id(10)), None);
    assert_eq!(
        post(&edge.router(), "/v1/evaluate", "other", "{}")
            .await
            .status,
        401
    );
    assert_eq!(
        edge.apply(&delta(&version(7, true), &version(8, false))),
        applied(8)
    );
}

#[tokio::test]
async fn ten_thousand_environments_are_loaded_in_linear_time() {
    let edge = edge(None);
    for env in 0..10_000 {
        let mut snapshot = snapshot(env, 1, vec![toggle(1, "a", true)]);
        snapshot.keys = (0..3).map(|n| key(&format!("{env}-{n}"), None)).collect();
        snapshot.keys.sort_by_key(|key| key.hash);
        assert!(matches!(
            edge.apply(&whole(&snapshot)),
            Outcome::Applied { .. }
        ));
    }
    let body = r#"{"flag_key": "a", "context": {"key": "u"}}"#;
    for env in [0, 4_711, 9_999] {
        assert_eq!(
            post(&edge.router(), "/v1/evaluate", &format!("{env}-2"), body)
                .await
                .status,
            200
        );
    }
}

/// Knows one key, pushes its environment shortly after answering, and counts the questions.
struct Directory {
    edge: std::sync::OnceLock<Edge>,
    asked: AtomicU32,
}

impl KeyLookup for Directory {
    fn is_reachable(&self) -> bool {
        true
    }

    fn look_up(&self, hash: KeyHash) -> BoxFuture<'static, Result<Option<Located>, Unavailable>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let edge = self.edge.get().unwrap().clone();
        async move {
            if hash != key(LATE, None).hash {
                return Ok(None);
            }
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(50)).await;
                let mut next = version(8, true);
                next.keys = vec![key(LATE, None)];
                edge.apply(&whole(&next));
            });
            Ok(Some(Located {
                env_id: env_id(9),
                version: 8,
            }))
        }
        .boxed()
    }
}

#[tokio::test]
async fn an_unknown_key_is_looked_up_once_and_waited_for() {
    let directory = Arc::new(Directory {
        edge: std::sync::OnceLock::new(),
        asked: AtomicU32::new(0),
    });
    let edge = edge(Some(directory.clone()));
    directory.edge.set(edge.clone()).ok();
    edge.apply(&whole(&version(7, true)));
    let router = edge.router();
    let body = r#"{"flag_key": "a", "context": {"key": "u"}}"#;

    let requests = (0..20).map(|_| post(&router, "/v1/evaluate", LATE, body));
    let answers = futures_util::future::join_all(requests).await;
    assert!(
        answers
            .iter()
            .all(|answer| answer.status == 200 && answer.header("x-snapshot-version") == "8")
    );
    assert_eq!(directory.asked.load(Ordering::SeqCst), 1);

    for _ in 0..5 {
        assert_eq!(
            post(&router, "/v1/evaluate", NOBODY, body).await.status,
            401
        );
    }
    assert_eq!(directory.asked.load(Ordering::SeqCst), 2);
    edge.key_created(&key(NOBODY, None).hash);
    assert_eq!(
        post(&router, "/v1/evaluate", NOBODY, body).await.status,
        401
    );
    assert_eq!(directory.asked.load(Ordering::SeqCst), 3);
}
