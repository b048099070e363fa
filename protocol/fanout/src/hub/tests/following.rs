//! How far a version is, as whoever follows it sees it.

use super::*;
use crate::{Following, Progress};

/// Follows `ENV` at a version.
fn follow(hub: &Arc<Hub>, version: Version) -> (Following, Arc<Notify>) {
    let progress = Arc::default();
    (hub.follow(ENV, version, &progress), progress)
}

fn names(progress: &Progress) -> (Vec<&str>, Vec<&str>) {
    let acknowledged = progress.acknowledged.iter();
    let lagging = progress.lagging.iter();
    (
        acknowledged.map(|one| &*one.edge).collect(),
        lagging.map(String::as_str).collect(),
    )
}

#[tokio::test]
async fn each_acknowledgement_is_news_with_the_time_that_it_took() {
    tokio::time::pause();
    let hub = hub(&[(ENV, 1)]);
    let quick = connect(&hub, "quick", &[(ENV, Some(1))]);
    let slow = connect(&hub, "slow", &[(ENV, Some(1))]);
    let (mut following, progress) = follow(&hub, 2);
    let unknown = following.look();
    assert!(!unknown.is_known && !unknown.is_over());

    hub.see(&[seen(ENV, 2)]);
    let begun = following.look();
    assert_eq!(names(&begun), (vec![], vec!["quick", "slow"]));
    assert!(begun.is_known);
    tokio::time::advance(Duration::from_millis(7)).await;
    quick.acknowledge(ENV, 2);
    progress.notified().await;
    tokio::time::advance(Duration::from_millis(30)).await;
    // Looked at later, it took no longer.
    let half = following.look();
    assert_eq!(names(&half), (vec!["quick"], vec!["slow"]));
    assert_eq!(half.acknowledged[0].after_ms, 7);
    assert!(!half.is_over());

    slow.acknowledge(ENV, 2);
    progress.notified().await;
    let last = following.look();
    assert!(last.is_over());
    let times: Vec<_> = last.acknowledged.iter().map(|one| one.after_ms).collect();
    assert_eq!(times, [7, 37]);
    // What comes after it changes nothing.
    hub.see(&[seen(ENV, 3)]);
    quick.acknowledge(ENV, 3);
    assert_eq!(following.look(), last);
}

#[tokio::test]
async fn whoever_follows_a_little_late_is_told_of_what_was_before() {
    tokio::time::pause();
    let hub = hub(&[(ENV, 1)]);
    hub.remember(true);
    let edge = connect(&hub, "edge", &[(ENV, Some(1))]);
    hub.see(&[seen(ENV, 2)]);
    tokio::time::advance(Duration::from_millis(7)).await;
    edge.acknowledge(ENV, 2);
    tokio::time::advance(Duration::from_millis(100)).await;
    let (mut following, _) = follow(&hub, 2);
    let progress = following.look();
    assert!(progress.is_over());
    assert_eq!(progress.acknowledged[0].after_ms, 7);
    assert_eq!(following.age(), Duration::from_millis(107));
}

#[tokio::test]
async fn an_edge_that_leaves_lags_unless_it_had_acknowledged() {
    let hub = hub(&[(ENV, 1)]);
    let leaves = connect(&hub, "leaves", &[(ENV, Some(1))]);
    let serves = connect(&hub, "serves", &[(ENV, Some(1))]);
    let (mut following, _) = follow(&hub, 2);
    hub.see(&[seen(ENV, 2)]);
    serves.acknowledge(ENV, 2);
    following.look();
    drop(leaves);
    drop(serves);
    let left = following.look();
    assert_eq!(names(&left), (vec!["serves"], vec!["leaves"]));
    // It comes back, and holds what there is.
    let _again = connect(&hub, "leaves", &[(ENV, Some(2))]);
    let last = following.look();
    assert_eq!(names(&last).1, Vec::<&str>::new());
    assert!(last.is_over());
    assert_eq!(last.acknowledged.len(), 2);
}

#[tokio::test]
async fn only_edges_that_were_there_when_it_was_listed_are_measured() {
    tokio::time::pause();
    let hub = hub(&[(ENV, 1)]);
    let quick = connect(&hub, "quick", &[(ENV, Some(1))]);
    let _frozen = connect(&hub, "frozen", &[(ENV, Some(1))]);
    hub.see(&[seen(ENV, 2)]);
    let (mut following, _) = follow(&hub, 2);
    following.look();
    let _late = connect(&hub, "late", &[(ENV, Some(1))]);
    quick.acknowledge(ENV, 2);
    let at = Instant::now();
    tokio::time::advance(Duration::from_secs(10)).await;
    assert_eq!(names(&following.look()).1, ["frozen", "late"]);
    assert_eq!(following.served(), [None, Some(at)]);
    // Nobody can be sent it.
    hub.leave_out(ENV, 2, Instant::now() + LONG);
    assert_eq!(following.served(), [Some(at)]);
}
