//! An on-demand edge with room for some environments: the others are dropped, and come back when they are queried.

use std::time::Duration;

use protocol::{
    ids::EnvId,
    snapshot::Snapshot,
    wire::message::{ControlMessage, EdgeMessage, Holds},
};

use crate::{
    peer::{Link, Process, SLOW, enrolled},
    support::*,
};

/// Two environments of ten flags fit, three do not.
const ROOM: u64 = 15_000;

/// Environment `number`, with ten flags and a key of its own.
fn environment(number: u128) -> Snapshot {
    let flags = (1..=10).map(|flag| toggle(flag, &format!("flag-{flag}"), true));
    let mut snapshot = snapshot(number, 7, flags.collect());
    snapshot.keys = vec![key(&name(number), None)];
    snapshot
}

fn name(number: u128) -> String {
    format!("srv_{number:048x}")
}

/// Asks with the key of an environment that the edge does not hold, and has it sent.
async fn ask_for(process: &Process, link: &mut Link, number: u128) {
    let text = name(number);
    let sending = async {
        let EdgeMessage::LookupKey { request, hash } = link.next().await else {
            panic!("no question")
        };
        assert_eq!(hash, key(&name(number), None).hash);
        let (env_id, version) = (env_id(number), 7);
        link.send(&ControlMessage::KeyFound {
            request,
            env_id,
            version,
        })
        .await;
        link.push(&whole(&environment(number))).await;
        assert_eq!(link.next().await, EdgeMessage::Ack { env_id, version });
    };
    let (answer, ()) = tokio::join!(process.ask(&text, "flag-1"), sending);
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
}

async fn forgotten(link: &mut Link) -> EnvId {
    match link.next().await {
        EdgeMessage::Forget { env_id } => env_id,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_least_recently_used_is_dropped_reported_and_requested_again() {
    let (peer, folder) = enrolled();
    let process = Process::start_within(&folder, peer.address(), ROOM).await;
    let (mut link, _) = peer.greet(Vec::new(), SLOW).await;
    process.is_greeted().await;
    ask_for(&process, &mut link, 1).await;
    // Uses are recorded to the second.
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    ask_for(&process, &mut link, 2).await;
    ask_for(&process, &mut link, 3).await;

    assert_eq!(forgotten(&mut link).await, env_id(1));
    for number in [2, 3] {
        let answer = process.ask(&name(number), "flag-1").await;
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    }
    ask_for(&process, &mut link, 1).await;
    let dropped = forgotten(&mut link).await;
    assert!([env_id(2), env_id(3)].contains(&dropped));
    process.stop().await;

    // The cache dropped it as well.
    let process = Process::start_within(&folder, peer.address(), ROOM).await;
    let (_link, hello) = peer.greet(Vec::new(), SLOW).await;
    let Holds::Listed(holds) = hello.holds else {
        panic!("so little is told one by one")
    };
    let kept = if dropped == env_id(2) { 3 } else { 2 };
    assert_eq!(holds.len(), 2);
    assert!(
        [1, kept]
            .iter()
            .all(|number| holds.contains(&held(&environment(*number))))
    );
    process.stop().await;
}
