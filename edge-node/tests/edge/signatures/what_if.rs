//! Questions about what was asked of edges, which a relay passes on, and what they find.

use std::{collections::HashSet, sync::Arc, time::Duration};

use protocol::{
    what_if::{Draft, Finding, Keys, Question, Sampled, SignedQuestion},
    wire::{message::ControlMessage, usage::Upload},
};
use tokio::time::{sleep, timeout};

use super::{below::serves, version};
use crate::{
    authority::{Authority, Signer},
    peer::{Link, NOW_MS, Peer, Process, read},
    relays::{Relayed, answer},
    support::*,
};

fn sampled() -> Sampled {
    Sampled {
        env_id: env_id(9),
        attributes: vec!["plan".to_owned()],
        keys: Keys::Hashed,
    }
}

/// What if the flag were off?
fn question(number: u8) -> Question {
    Question {
        id: [number; 16],
        sampled: sampled(),
        version: 7,
        draft: Draft {
            flags: vec![toggle(1, "a", false)],
            ..Draft::default()
        },
        by: None,
        examples: 2,
        asked_ms: NOW_MS,
    }
}

/// Asks, and returns what is found within a second.
async fn ask(link: &mut Link, signed: SignedQuestion) -> Vec<Finding> {
    let id = signed.question.id;
    link.send(&ControlMessage::Question(Arc::new(signed))).await;
    let connection = link.connection.clone();
    let mut found = Vec::new();
    let collecting = async {
        while found.len() < 2 {
            let mut stream = connection.accept_uni().await.unwrap();
            if let Upload::Finding(finding) = read(&mut stream).await
                && finding.question == id
            {
                found.push(finding);
            }
        }
    };
    let talking = async {
        loop {
            answer(link).await;
        }
    };
    tokio::select! {
        () = collecting => {}
        () = talking => {}
        () = sleep(Duration::from_secs(1)) => {}
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn edges_and_those_below_a_relay_answer_what_was_signed() {
    let authority = Authority::new();
    let signer = Signer::new(&authority, 1);
    let peer = Peer::signing(&authority, &[&signer]);
    let held = version(7, true);
    let mut above = Relayed::start(&authority, &peer, &held, Duration::from_secs(3)).await;
    let whole = signer.push(&whole(&held), &held, NOW_MS);
    above.link.push_bytes(&whole).await;
    let leaf = Process::start(&above.below, above.address).await;
    serves(&leaf, 7, &mut above.link).await;

    // Nobody samples before it is told to.
    let findings = ask(&mut above.link, question(1).sign(&signer.key)).await;
    assert_eq!(findings.len(), 2);
    assert!(findings.iter().all(|finding| finding.failed.is_some()));

    let all = vec![sampled()];
    above.link.send(&ControlMessage::Sampled(all)).await;
    let mut number = 2;
    let findings = async {
        loop {
            for _ in 0..5 {
                leaf.ask(KEY, "a").await;
                above.relay.ask(KEY, "a").await;
            }
            number += 1;
            let findings = ask(&mut above.link, question(number).sign(&signer.key)).await;
            // The edge below may not have heard of it yet.
            if findings.len() == 2 && findings.iter().all(|finding| finding.samples >= 5) {
                break findings;
            }
        }
    };
    let findings = timeout(PATIENCE, findings).await.expect("two findings");
    let boots: HashSet<_> = findings.iter().map(|finding| finding.boot).collect();
    assert_eq!(boots.len(), 2, "two edges");
    for finding in &findings {
        assert_eq!(finding.version, 7);
        assert!(finding.answers >= 5 && finding.changed == finding.answers);
        assert!(finding.since_ms > NOW_MS - 3_600_000);
        assert_eq!(finding.transitions.len(), 1);
        assert_eq!(finding.examples.len(), 2);
    }

    // A relay passes on nothing that the control plane did not sign, and neither answers it.
    let other = Signer::new(&authority, 2);
    for signed in [question(200).unsigned(), question(201).sign(&other.key)] {
        assert_eq!(ask(&mut above.link, signed).await, []);
    }
    leaf.stop().await;
    above.relay.stop().await;
}
