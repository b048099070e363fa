//! What is below relays: who is there, what they serve, and what relays are told about them.

use protocol::wire::relay::{EdgeBelow, MAX_BELOW, ToRelay};

use super::*;
use crate::Reached;

const CERTIFICATE: Fingerprint = [9; 32];

fn relay(hub: &Arc<Hub>, name: &str, holds: &[(EnvId, Option<Version>)]) -> Subscription {
    connect_as(hub, name, true, holds)
}

fn edge(name: &str) -> EdgeBelow {
    EdgeBelow {
        certificate: CERTIFICATE,
        name: name.to_owned(),
        region: None,
        build: "test".to_owned(),
        since_ms: 0,
        rtt_us: 1_500,
        streams: 2,
        held: 3,
        behind: 1,
        via: None,
    }
}

/// A relay that serves version 2 of `ENV`, with these edges below.
fn relay_with(hub: &Arc<Hub>, name: &str, below: &[&str]) -> Subscription {
    let relay = relay(hub, name, &[(ENV, Some(2))]);
    relay.set_below(below.iter().copied().map(edge).collect());
    relay
}

fn reached(acknowledged: &[&str], lagging: &[&str]) -> Reached {
    let names = |names: &[&str]| names.iter().copied().map(str::to_owned).collect();
    Reached {
        acknowledged: names(acknowledged),
        lagging: names(lagging),
    }
}

/// The number of the question that a relay is asked, and how long it may wait.
async fn asked(relay: &Subscription) -> (u64, u32) {
    let message = timeout(LONG, relay.next_for_relay()).await.unwrap();
    let ToRelay::AskReached {
        request,
        version: 2,
        environments,
        patience_ms,
    } = message
    else {
        panic!("{message:?}");
    };
    assert_eq!(environments, [ENV]);
    (request, patience_ms)
}

async fn told_nothing(relay: &Subscription) -> bool {
    timeout(SHORT, relay.next_for_relay()).await.is_err()
}

#[tokio::test]
async fn what_several_relays_answer_is_one_answer() {
    let hub = hub(&[(ENV, 2)]);
    let first = relay_with(&hub, "relay-1", &["edge-1", "edge-2"]);
    let second = relay_with(&hub, "relay-2", &["edge-3"]);
    let empty = relay_with(&hub, "relay-3", &[]);
    let written = change(2, ENV);
    let answered = async {
        let (request, patience_ms) = asked(&first).await;
        assert!(patience_ms > 1_000 && u128::from(patience_ms) < LONG.as_millis());
        assert!(first.answered_below(request, reached(&["edge-1"], &[]), false));
        assert!(first.answered_below(request, reached(&[], &["edge-2"]), true));
        let (request, _) = asked(&second).await;
        assert!(second.answered_below(request, reached(&["edge-3"], &["edge-1"]), true));
    };
    let (reached_all, ()) = tokio::join!(hub.acknowledged(&written, LONG), answered);
    assert_eq!(
        reached_all,
        // One of them has left for the other relay, or has just come from there.
        reached(
            &["edge-1", "edge-3", "relay-1", "relay-2", "relay-3"],
            &["edge-2"]
        )
    );
    assert!(told_nothing(&empty).await, "nobody is below it");
    assert_eq!(hub.state().questions.count(), 0);
}

#[tokio::test]
async fn the_edges_below_a_relay_that_does_not_answer_lag() {
    let hub = hub(&[(ENV, 2)]);
    let relay = relay_with(&hub, "relay", &["edge-1", "edge-2"]);
    let silent = hub.acknowledged(&change(2, ENV), SHORT).await;
    assert_eq!(silent, reached(&["relay"], &["edge-1", "edge-2"]));
    let (request, patience_ms) = asked(&relay).await;
    assert_eq!(u128::from(patience_ms), SHORT.as_millis() / 2);
    // Too late: nobody waits any more.
    assert!(relay.answered_below(request, reached(&["edge-1"], &[]), true));
    assert_eq!(hub.state().questions.count(), 0);
}

#[tokio::test]
async fn a_relay_far_away_has_less_time_to_wait() {
    let hub = hub(&[(ENV, 2)]);
    let relay = relay_with(&hub, "relay", &["edge"]);
    relay.note(Some(Duration::from_millis(400)), 0);
    let written = change(2, ENV);
    let patience = Duration::from_secs(2);
    let asking = hub.acknowledged(&written, patience);
    let (_, (_, patience_ms)) = tokio::join!(timeout(SHORT, asking), asked(&relay));
    assert_eq!(patience_ms, 1_500);
}

#[tokio::test]
async fn a_question_is_forgotten_with_whoever_asked() {
    let hub = hub(&[(ENV, 2)]);
    let _relay = relay_with(&hub, "relay", &["edge"]);
    let written = change(2, ENV);
    assert!(
        timeout(SHORT, hub.acknowledged(&written, LONG))
            .await
            .is_err()
    );
    assert_eq!(hub.state().questions.count(), 0);
}

#[tokio::test]
async fn only_the_relay_that_was_asked_can_answer() {
    let hub = hub(&[(ENV, 2)]);
    let right = relay_with(&hub, "right", &["edge"]);
    let wrong = relay(&hub, "wrong", &[(ENV, Some(2))]);
    let written = change(2, ENV);
    let answered = async {
        let (request, _) = asked(&right).await;
        assert!(wrong.answered_below(request, reached(&["edge"], &[]), true));
        assert!(right.answered_below(request + 1, reached(&["edge"], &[]), true));
        assert!(right.answered_below(request, reached(&[], &["edge"]), true));
    };
    let (heard, ()) = tokio::join!(hub.acknowledged(&written, LONG), answered);
    assert_eq!(heard.lagging, ["edge"]);
}

#[tokio::test]
async fn a_relay_that_has_left_is_not_waited_for() {
    let hub = hub(&[(ENV, 2)]);
    for end in [Ended::Unsighted, Ended::EpochChanged] {
        let relay = relay_with(&hub, "relay", &["edge"]);
        let written = change(2, ENV);
        let leaving = async {
            asked(&relay).await;
            match end {
                Ended::Unsighted => drop(relay),
                _ => hub.state().questions.answered_no_more(relay.id()),
            }
        };
        let asking = hub.acknowledged(&written, LONG * 2);
        let (heard, ()) = tokio::join!(timeout(LONG, asking), leaving);
        let lagging = heard.expect("it is not waited for").lagging;
        assert!(lagging.contains(&"edge".to_owned()), "{lagging:?}");
    }
}

#[tokio::test]
async fn an_answer_that_names_more_edges_than_there_can_be_is_none() {
    let hub = hub(&[(ENV, 2)]);
    let relay = relay_with(&hub, "relay", &["edge"]);
    let written = change(2, ENV);
    let part = reached(&["a"; 100], &[]);
    let answered = async {
        let (request, _) = asked(&relay).await;
        for _ in 0..2 * MAX_BELOW / 100 {
            assert!(relay.answered_below(request, part.clone(), false));
        }
        assert!(!relay.answered_below(request, part.clone(), false));
    };
    let (heard, ()) = tokio::join!(hub.acknowledged(&written, LONG), answered);
    assert_eq!(heard.lagging, ["edge"]);
}

#[tokio::test]
async fn an_edge_that_was_missing_has_come_back_below_a_relay() {
    let hub = hub(&[(ENV, 2)]);
    let _built_in = connect(&hub, "built-in", &[(ENV, Some(2))]);
    let _edge = connect(&hub, "edge", &[(ENV, Some(2))]);
    hub.end_all(Ended::Unsighted);
    assert_eq!(hub.missing(9), ["edge"]);
    let relay = relay(&hub, "relay", &[(ENV, Some(2))]);
    let written = change(2, ENV);
    let waiting = hub.reached(&written, LONG * 2);
    tokio::pin!(waiting);
    assert!(timeout(SHORT, &mut waiting).await.is_err());
    relay.set_below(vec![edge("edge")]);
    timeout(LONG, waiting).await.expect("nobody is missing");
    assert!(hub.missing(9).is_empty());
    assert_eq!(hub.connected_of(&["edge".to_owned()]), ["edge"]);
}

#[tokio::test]
async fn the_edges_below_a_relay_that_was_sent_away_are_missing_with_it() {
    let hub = hub(&[(ENV, 2)]);
    let old = relay_with(&hub, "relay", &["edge"]);
    hub.end_all(Ended::Unsighted);
    let lagging = hub.acknowledged(&change(2, ENV), SHORT).await;
    assert_eq!(lagging, reached(&[], &["edge", "relay"]));
    drop(old);

    let new = relay(&hub, "relay", &[(ENV, Some(2))]);
    assert_eq!(hub.missing(9), ["edge"], "it has not told of its edges yet");
    new.set_below(vec![edge("edge")]);
    assert!(hub.missing(9).is_empty());
}

#[tokio::test]
async fn a_certificate_below_a_relay_is_refused_there() {
    let hub = hub(&[(ENV, 2)]);
    let concerned = relay_with(&hub, "relay-1", &["edge"]);
    let other = relay(&hub, "relay-2", &[]);
    let mut fingerprints = hub.fingerprints();
    fingerprints.sort_unstable();
    assert_eq!(fingerprints, [[7; 32], [7; 32], CERTIFICATE]);

    hub.refuse(&CERTIFICATE, Refusal::Revoked);
    let dismissed = ToRelay::Dismiss {
        certificate: CERTIFICATE,
        refusal: Refusal::Revoked,
    };
    // It waits for the relay's session.
    assert_eq!(concerned.next_for_relay().await, dismissed);
    assert!(told_nothing(&other).await);
    assert!(timeout(SHORT, concerned.ended()).await.is_err());

    concerned.set_below(Vec::new());
    hub.refuse(&CERTIFICATE, Refusal::Revoked);
    assert!(told_nothing(&concerned).await, "it is no longer there");
}

#[tokio::test]
async fn what_waits_for_a_relay_is_bounded() {
    let hub = hub(&[(ENV, 2)]);
    let relay = relay_with(&hub, "relay", &["edge"]);
    for _ in 0..300 {
        hub.refuse(&CERTIFICATE, Refusal::Expired);
    }
    let written = change(2, ENV);
    let unheard = timeout(LONG, hub.acknowledged(&written, LONG * 2))
        .await
        .expect("at once");
    assert_eq!(unheard, reached(&["relay"], &["edge"]));
    for _ in 0..256 {
        timeout(LONG, relay.next_for_relay()).await.unwrap();
    }
    assert!(told_nothing(&relay).await);
    hub.refuse(&CERTIFICATE, Refusal::Expired);
    assert!(!told_nothing(&relay).await, "the next check tells it again");
}

#[tokio::test]
async fn the_fleet_says_where_each_edge_is_connected() {
    let hub = hub(&[(ENV, 2)]);
    let _direct = connect(&hub, "edge-1", &[(ENV, Some(2))]);
    let upper = relay(&hub, "upper", &[(ENV, Some(1))]);
    let deep = EdgeBelow {
        via: Some("lower".to_owned()),
        region: Some("eu".to_owned()),
        ..edge("edge-2")
    };
    upper.set_below(vec![edge("lower"), deep]);

    let expected = [
        ("edge-1", None),
        ("edge-2", Some("lower")),
        ("lower", Some("upper")),
        ("upper", None),
    ];
    let mut edges = hub.edges(None);
    edges.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    let found = edges
        .iter()
        .map(|edge| (edge.name.as_str(), edge.via.as_deref()));
    assert_eq!(found.collect::<Vec<_>>(), expected);
    let below = &edges[1];
    assert_eq!((below.held, below.behind, below.streams), (3, 1, 2));
    assert_eq!(below.rtt_ms, Some(1.5));
    assert!(below.environments.is_empty(), "only its relay knows");

    // Whoever feeds this hub is told the same.
    let told = hub.below();
    let found = told
        .iter()
        .map(|edge| (edge.name.as_str(), edge.via.as_deref()));
    assert_eq!(found.collect::<Vec<_>>(), expected);
    let counts = |edge: &EdgeBelow| (edge.held, edge.behind, edge.certificate);
    assert_eq!(counts(&told[3]), (1, 1, [7; 32]));

    let mut present: Vec<_> = hub.present().into_iter().collect();
    present.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    let present: Vec<_> = present
        .iter()
        .map(|edge| (edge.name.as_str(), edge.region.as_deref()))
        .collect();
    let expected = [
        ("edge-1", None),
        ("edge-2", Some("eu")),
        ("lower", None),
        ("upper", None),
    ];
    assert_eq!(present, expected);
}

#[tokio::test]
async fn whoever_comes_or_goes_is_news() {
    let hub = hub(&[(ENV, 2)]);
    let news = async || timeout(LONG, hub.roster_changed()).await.unwrap();
    let relay = relay(&hub, "relay", &[]);
    news().await;
    relay.set_below(vec![edge("edge")]);
    news().await;
    hub.end_all(Ended::Unsighted);
    news().await;
    assert!(hub.below().is_empty());
    drop(relay);
    let other = connect(&hub, "edge", &[]);
    news().await;
    drop(other);
    news().await;
}

#[tokio::test]
async fn an_answer_about_catching_up_waits_for_what_was_owed_and_nothing_newer() {
    let hub = hub(&[(ENV, 1), (OTHER, 1)]);
    let relay = relay(&hub, "relay", &[(ENV, Some(1)), (OTHER, Some(1))]);
    timeout(LONG, relay.caught_up())
        .await
        .expect("nothing is owed");
    hub.see(&[seen(ENV, 2), seen(OTHER, 2)]);
    let caught_up = relay.caught_up();
    tokio::pin!(caught_up);
    assert!(timeout(SHORT, &mut caught_up).await.is_err());
    hub.see(&[seen(ENV, 3), Seen::Removed { env_id: OTHER }]);
    relay.acknowledge(ENV, 2);
    assert!(
        timeout(SHORT, &mut caught_up).await.is_err(),
        "the other one"
    );
    while let Ok(Work::Contents { .. }) = timeout(SHORT, relay.next_update()).await {}
    relay.acknowledge(OTHER, 0);
    timeout(LONG, caught_up)
        .await
        .expect("the third version is newer");
}

#[tokio::test]
async fn what_is_left_out_or_gone_is_not_caught_up_with() {
    let hub = hub(&[(ENV, 1), (OTHER, 1)]);
    let relay = relay(&hub, "relay", &[(ENV, Some(1)), (OTHER, None)]);
    hub.see(&[seen(ENV, 2)]);
    let caught_up = relay.caught_up();
    tokio::pin!(caught_up);
    assert!(timeout(SHORT, &mut caught_up).await.is_err());
    hub.leave_out(ENV, 2, Instant::now() + LONG * 2);
    assert!(timeout(SHORT, &mut caught_up).await.is_err());
    // Nothing of it was sent, so there is nothing to drop.
    hub.see(&[Seen::Removed { env_id: OTHER }]);
    let removal = timeout(LONG, relay.next_whole()).await.unwrap();
    assert_eq!(removal, Work::Removal { env_id: OTHER });
    relay.acknowledge(OTHER, 0);
    timeout(LONG, caught_up).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn everybody_who_waits_for_a_relay_to_catch_up_hears_of_it_at_once() {
    let hub = hub(&[(ENV, 1), (OTHER, 1)]);
    let relay = relay(&hub, "relay", &[]);
    let start = Instant::now();
    let waiting = futures_util::future::join_all((0..5).map(|_| relay.caught_up()));
    let acknowledging = async {
        for _ in 0..2 {
            let whole = relay.next_whole().await;
            relay.send(whole.env_id(), 1);
            tokio::task::yield_now().await;
            relay.acknowledge(whole.env_id(), 1);
        }
    };
    tokio::join!(waiting, acknowledging);
    assert_eq!(start.elapsed(), Duration::ZERO);
}

#[tokio::test]
async fn a_relay_whose_session_was_ended_never_catches_up() {
    let hub = hub(&[(ENV, 1)]);
    let relay = relay(&hub, "relay", &[(ENV, Some(1))]);
    hub.forget();
    assert!(timeout(SHORT * 4, relay.caught_up()).await.is_err());
}
