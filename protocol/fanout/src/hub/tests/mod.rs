mod below;
mod following;
mod model;
mod simple;
mod simulation;
mod truth;

use std::collections::HashMap;

use protocol::snapshot::Digest;
use time::OffsetDateTime;
use tokio::time::{Instant, timeout};
use uuid::Uuid;

use super::{listing::ListedEnvironment, *};

const ENV: EnvId = EnvId::new(Uuid::from_u128(1));
const OTHER: EnvId = EnvId::new(Uuid::from_u128(2));
/// Long enough for what should happen, on any machine.
const LONG: Duration = Duration::from_secs(30);
/// Short, since it passes where something should not happen.
const SHORT: Duration = Duration::from_millis(50);

fn seen(env_id: EnvId, version: Version) -> Seen {
    seen_with(env_id, version, None)
}

fn seen_with(env_id: EnvId, version: Version, digest: Option<Digest>) -> Seen {
    Seen::Environment {
        env_id,
        version,
        region: "us".into(),
        digest,
    }
}

fn change(version: Version, env_id: EnvId) -> Change {
    Change {
        version,
        environments: vec![env_id],
    }
}

/// A hub that has polled these environments.
fn hub(environments: &[(EnvId, Version)]) -> Arc<Hub> {
    let hub = Arc::new(Hub::default());
    let found: Vec<_> = environments
        .iter()
        .map(|(env_id, version)| seen(*env_id, *version))
        .collect();
    hub.see_all(&found);
    hub
}

/// Connects an edge of all regions that wants everything.
fn connect(hub: &Arc<Hub>, name: &str, holds: &[(EnvId, Option<Version>)]) -> Subscription {
    connect_as(hub, name, false, holds)
}

/// Connects such an edge, or a relay.
fn connect_as(
    hub: &Arc<Hub>,
    name: &str,
    is_relay: bool,
    holds: &[(EnvId, Option<Version>)],
) -> Subscription {
    let identity = Identity {
        name: name.to_owned(),
        region: None,
        build: "test".to_owned(),
        since: OffsetDateTime::UNIX_EPOCH,
        is_relay,
    };
    // The built-in edge has no certificate.
    let fingerprint = (name != "built-in").then_some([7; 32]);
    hub.subscribe(Regions::All, Interest::All, fingerprint, identity, holds)
}

fn listed(hub: &Hub) -> HashMap<EnvId, ListedEnvironment> {
    let all = hub.listing(&Regions::All, Interest::All, &[]);
    all.into_iter().map(|one| (one.env_id, one)).collect()
}

#[tokio::test]
async fn a_digest_belongs_to_one_version() {
    let hub = hub(&[(ENV, 1)]);
    let digest = |byte| Digest([byte; 32]);
    let known = |hub: &Hub| listed(hub)[&ENV].digest;
    assert_eq!(known(&hub), None);
    assert!(hub.digested(ENV, 2, digest(2)));
    assert_eq!(known(&hub), None, "of another version");
    assert!(hub.digested(ENV, 1, digest(1)));
    assert_eq!(known(&hub), Some(digest(1)));
    assert!(!hub.digested(ENV, 1, digest(9)), "it is known otherwise");
    assert_eq!(known(&hub), Some(digest(1)), "the first one stays");
    hub.see(&[seen(ENV, 1)]);
    assert_eq!(known(&hub), Some(digest(1)), "found again without one");
    hub.see(&[seen(ENV, 2)]);
    assert_eq!(known(&hub), None);
    hub.see(&[seen_with(ENV, 2, Some(digest(2)))]);
    assert_eq!(known(&hub), Some(digest(2)), "stored afterwards");
}

#[tokio::test]
async fn a_listing_has_what_belongs_to_the_edge() {
    let hub = hub(&[(ENV, 1)]);
    let eu = Seen::Environment {
        env_id: OTHER,
        version: 2,
        region: "eu".into(),
        digest: None,
    };
    hub.see(&[eu]);
    let ids = |regions: &Regions, interest, named: &[EnvId]| {
        let mut listing = hub.listing(regions, interest, named);
        listing.sort_unstable_by_key(|listed| listed.env_id);
        let ids = listing.into_iter().map(|listed| listed.env_id);
        ids.collect::<Vec<_>>()
    };
    assert_eq!(ids(&Regions::All, Interest::All, &[]), [ENV, OTHER]);
    let only_eu = Regions::Only("eu".into());
    assert_eq!(ids(&only_eu, Interest::All, &[]), [OTHER]);
    assert_eq!(ids(&only_eu, Interest::Named, &[ENV, OTHER]), [OTHER]);
    let unknown = EnvId::new(Uuid::from_u128(3));
    assert_eq!(ids(&Regions::All, Interest::Named, &[ENV, unknown]), [ENV]);
}

#[tokio::test]
async fn a_version_that_fell_is_reported_and_proves_nothing() {
    let hub = hub(&[(ENV, 5), (OTHER, 5)]);
    let _edge = connect(&hub, "edge", &[(ENV, Some(5)), (OTHER, Some(5))]);
    let sighting = hub.see(&[seen(ENV, 4), seen(OTHER, 6)]);
    assert_eq!(sighting.lowered, [ENV]);
    assert_eq!(sighting.raised, [(OTHER, 5)]);
    // The edge holds 5, but of another history.
    let fallen = change(4, ENV);
    assert!(timeout(SHORT, hub.reached(&fallen, LONG)).await.is_err());
    assert_eq!(hub.see_all(&[seen(OTHER, 3)]).lowered, [OTHER]);
}

#[tokio::test]
async fn other_contents_of_a_version_are_reported_and_prove_nothing() {
    let digest = |byte| Some(Digest([byte; 32]));
    let hub = Arc::new(Hub::default());
    hub.see_all(&[seen_with(ENV, 5, digest(1)), seen(OTHER, 5)]);
    let _edge = connect(&hub, "edge", &[(ENV, Some(5)), (OTHER, Some(5))]);
    let others = [seen_with(ENV, 5, digest(2)), seen_with(OTHER, 5, digest(2))];
    // Found again until somebody does something about it.
    for _ in 0..2 {
        assert_eq!(hub.see_all(&others).contradicted, [ENV]);
    }
    let written = change(5, ENV);
    assert!(timeout(SHORT, hub.reached(&written, LONG)).await.is_err());
    assert!(!hub.digested(OTHER, 5, Digest([3; 32])), "computed");
    let written = change(5, OTHER);
    assert!(timeout(SHORT, hub.reached(&written, LONG)).await.is_err());
}

#[tokio::test]
async fn whoever_is_fed_something_else_has_all_edges_greet_again() {
    let hub = Arc::new(Hub::default());
    hub.see_all(&[seen_with(ENV, 5, Some(Digest([1; 32]))), seen(OTHER, 5)]);
    let edges = ["first", "second"].map(|name| connect(&hub, name, &[(ENV, Some(5))]));
    let corrected = Digest([2; 32]);
    hub.correct(&[seen_with(ENV, 5, Some(corrected))]);
    for edge in &edges {
        assert_eq!(edge.ended().await, Ended::EpochChanged);
    }
    assert_eq!(listed(&hub)[&ENV].digest, Some(corrected));
    assert_eq!(listed(&hub).len(), 2, "the others are as they were");
}

#[tokio::test(start_paused = true)]
async fn removals_are_remembered_for_as_long_as_somebody_may_wait_for_them() {
    let hub = hub(&[(ENV, 1), (OTHER, 1)]);
    let edge = connect(&hub, "edge", &[(ENV, Some(1)), (OTHER, Some(1))]);
    hub.see_all(&[seen(OTHER, 1)]);
    assert_eq!(edge.next_update().await, Work::Removal { env_id: ENV });
    edge.acknowledge(ENV, 0);
    // That it is gone is known, though no look names it.
    timeout(SHORT, hub.reached(&change(2, ENV), LONG))
        .await
        .unwrap();
    assert_eq!(hub.state().removed.len(), 1);
    tokio::time::advance(Duration::from_secs(300)).await;
    hub.see(&[]);
    assert!(hub.state().removed.is_empty());
}

#[tokio::test]
async fn what_is_left_out_is_neither_sent_nor_waited_for() {
    let hub = hub(&[(ENV, 1), (OTHER, 1)]);
    let edge = connect(&hub, "edge", &[(ENV, Some(1)), (OTHER, Some(1))]);
    hub.see(&[seen(ENV, 2)]);
    hub.leave_out(ENV, 2, Instant::now() + LONG);
    assert_eq!(hub.left_out(), 1);
    assert!(timeout(SHORT, edge.next_update()).await.is_err());
    timeout(LONG, hub.reached(&change(2, ENV), LONG * 2))
        .await
        .unwrap();
    let reached = hub.acknowledged(&change(2, ENV), LONG).await;
    assert_eq!(reached.lagging, ["edge"], "told, but not waited for");

    // Others go on.
    hub.see(&[seen(OTHER, 2)]);
    let update = timeout(LONG, edge.next_update()).await.unwrap();
    let expected = Work::Contents {
        env_id: OTHER,
        base: Some(1),
    };
    assert_eq!(update, expected);
}

#[tokio::test]
async fn what_was_left_out_is_sent_when_its_time_has_come_or_it_is_newer() {
    let hub = hub(&[(ENV, 1)]);
    let edge = connect(&hub, "edge", &[(ENV, Some(1))]);
    let expected = Work::Contents {
        env_id: ENV,
        base: Some(1),
    };
    hub.see(&[seen(ENV, 2)]);
    assert_eq!(edge.next_update().await, expected);
    hub.leave_out(ENV, 2, Instant::now() + SHORT);
    edge.retry(ENV);
    assert_eq!(
        timeout(LONG, edge.next_update()).await.unwrap(),
        expected,
        "time has passed"
    );
    assert_eq!(hub.left_out(), 1, "nobody knows yet whether it can be sent");
    timeout(LONG, hub.reached(&change(2, ENV), LONG * 2))
        .await
        .expect("a write does not wait for the attempt");
    hub.take_in(ENV);
    assert_eq!(hub.left_out(), 0);
    assert!(
        timeout(SHORT, hub.reached(&change(2, ENV), LONG))
            .await
            .is_err(),
        "a write waits for what is on its way"
    );

    hub.leave_out(ENV, 2, Instant::now() + LONG);
    edge.retry(ENV);
    hub.see(&[seen(ENV, 3)]);
    assert_eq!(hub.left_out(), 0);
    assert_eq!(timeout(LONG, edge.next_update()).await.unwrap(), expected);
    hub.leave_out(ENV, 2, Instant::now() + LONG);
    assert_eq!(hub.left_out(), 0, "there is a newer version already");
}

#[tokio::test]
async fn edges_of_another_history_lag_until_they_greet_again() {
    let hub = hub(&[(ENV, 1)]);
    let old = connect(&hub, "edge", &[(ENV, Some(9))]);
    hub.forget();
    assert_eq!(old.ended().await, Ended::EpochChanged);
    // Nobody is connected, and nothing is known.
    assert!(
        timeout(SHORT, hub.reached(&change(2, ENV), LONG))
            .await
            .is_err()
    );
    hub.see_all(&[seen(ENV, 2)]);
    old.acknowledge(ENV, 9);
    let reached = hub.acknowledged(&change(2, ENV), SHORT).await;
    assert_eq!(reached.lagging, ["edge"]);
    assert!(reached.acknowledged.is_empty());

    let written = change(2, ENV);
    let waiting = hub.reached(&written, LONG * 2);
    tokio::pin!(waiting);
    assert!(timeout(SHORT, &mut waiting).await.is_err());
    let _new = connect(&hub, "edge", &[(ENV, Some(2))]);
    timeout(LONG, waiting).await.unwrap();
    let reached = hub.acknowledged(&change(2, ENV), LONG).await;
    assert_eq!(reached.acknowledged, ["edge"]);
    drop(old);
}

#[tokio::test]
async fn a_write_that_waited_in_vain_for_missing_edges_is_the_last_one() {
    let hub = hub(&[(ENV, 1)]);
    let _built_in = connect(&hub, "built-in", &[(ENV, Some(2))]);
    let edge = connect(&hub, "edge", &[(ENV, Some(1))]);
    hub.see(&[seen(ENV, 2)]);
    hub.end_all(Ended::Unsighted);
    assert_eq!(edge.ended().await, Ended::Unsighted);
    hub.reached(&change(2, ENV), SHORT).await;
    timeout(LONG, hub.reached(&change(2, ENV), LONG * 2))
        .await
        .unwrap();
    let reached = hub.acknowledged(&change(2, ENV), SHORT).await;
    assert_eq!(reached.acknowledged, ["built-in"], "it goes on");
    assert_eq!(reached.lagging, ["edge"]);
}

#[tokio::test]
async fn a_write_that_waited_in_vain_for_a_poll_is_the_last_one_until_the_next() {
    let hub = hub(&[(ENV, 1)]);
    let _edge = connect(&hub, "edge", &[(ENV, Some(1))]);
    let written = change(2, ENV);
    hub.reached(&written, SHORT).await;
    timeout(LONG, hub.reached(&written, LONG * 2))
        .await
        .unwrap();
    hub.see(&[]);
    assert!(timeout(SHORT, hub.reached(&written, LONG)).await.is_err());
    let reached = hub.acknowledged(&written, SHORT).await;
    assert_eq!(reached.lagging, ["edge"], "nobody knows what is not found");
}
