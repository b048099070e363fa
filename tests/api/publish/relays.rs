//! What a relay says of the edges below it, seen from the relay's end of a link to a control plane.

use fanout::fingerprint;
use harness::App;
use protocol::snapshot::Digest;
use protocol::wire::frame;
use protocol::wire::message::{ControlMessage, EdgeMessage, Epoch, Held};
use protocol::wire::relay::{Fingerprint, RelayMessage, ToRelay};
use protocol::wire::usage::{Upload, UsageBatch};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;

use super::peer::{Identity, Peer, hello};

/// Waits for a message that is only for relays.
async fn told(relay: &mut Peer) -> ToRelay {
    loop {
        if let ControlMessage::Relay(message) = relay.hear().await {
            return message;
        }
    }
}

/// A batch of nothing: what is of interest is who it is from.
fn below(certificate: Fingerprint, boot: u8) -> Vec<u8> {
    let batch = UsageBatch {
        boot: [boot; 16],
        sequence: 1,
        evaluations: Vec::new(),
        impressions: Vec::new(),
        keys_used: Vec::new(),
    };
    frame::encode(&Upload::ServedBelow { certificate, batch }).unwrap()
}

#[tokio::test]
async fn four_fifths_of_the_time_that_a_write_waits_are_left_to_the_edges_below_a_relay() {
    let app = App::start().await;
    let address = app.serve_edges().await;
    let mut relay = Peer::enroll_relay(&app, "relay-1", address).await;
    let patience = app.publish.snapshot_wait.as_millis() * 4 / 5;
    let serves = ToRelay::Serves {
        region: None,
        patience_ms: patience.try_into().unwrap(),
    };
    assert_eq!(told(&mut relay).await, serves);
}

#[tokio::test]
async fn an_edge_that_is_no_relay_may_not_say_what_relays_say() {
    let app = App::start().await;
    let address = app.serve_edges().await;
    let identity = Identity::enroll(&app, "edge-1", None).await;
    let violation = (4, "protocol violation".to_owned());

    let mut edge = identity.join(address, hello()).await;
    let asked = RelayMessage::CatchUp { request: 1 };
    edge.say(EdgeMessage::Relay(asked)).await;
    assert_eq!(edge.closed().await, violation);

    let edge = identity.join(address, hello()).await;
    edge.upload(&below([1; 32], 1)).await;
    assert_eq!(edge.closed().await, violation);
}

#[tokio::test]
async fn a_rewind_that_a_relay_tells_of_is_compared_with_what_is_known() {
    let newer = |held: Held| Held {
        version: held.version + 1,
        ..held
    };
    proves_a_rewind(newer).await;
}

#[tokio::test]
async fn other_contents_of_a_version_that_a_relay_tells_of_are_a_rewind() {
    let other = |held: Held| Held {
        digest: Digest([9; 32]),
        ..held
    };
    proves_a_rewind(other).await;
}

async fn proves_a_rewind(impossible: impl Fn(Held) -> Held) {
    let app = App::start().await;
    app.signup("acme").await;
    let address = app.serve_edges().await;
    let mut first = Peer::enroll_relay(&app, "relay-1", address).await;
    let epoch = first.welcome.epoch;
    let position = first.welcome.looked.position;
    let held = first.take_wholes(3).await[0];
    let impossible = impossible(held);

    let no_proofs = [
        (Epoch([7; 16]), u64::MAX, Some(impossible)),
        (epoch, position, None),
        (epoch, position, Some(held)),
    ];
    for (epoch, position, held) in no_proofs {
        let told = RelayMessage::Rewound {
            epoch,
            position,
            held,
        };
        first.say(EdgeMessage::Relay(told)).await;
    }
    // It is answered after what came before it.
    let asked = RelayMessage::CatchUp { request: 1 };
    first.say(EdgeMessage::Relay(asked)).await;
    while !matches!(told(&mut first).await, ToRelay::CaughtUp { .. }) {}
    let second = Peer::enroll_relay(&app, "relay-2", address).await;
    assert_eq!(second.welcome.epoch, epoch, "the history goes on");

    let proof = RelayMessage::Rewound {
        epoch,
        position,
        held: Some(impossible),
    };
    first.say(EdgeMessage::Relay(proof)).await;
    let (code, _) = first.closed().await;
    assert_eq!(code, 6);
    let third = Peer::enroll_relay(&app, "relay-3", address).await;
    assert_ne!(third.welcome.epoch, epoch, "another one has begun");
}

#[tokio::test]
async fn what_is_counted_below_a_relay_belongs_to_the_edge_of_the_certificate() {
    let app = App::start().await;
    let address = app.serve_edges().await;
    let edge = Identity::enroll(&app, "edge-1", None).await;
    let certificate = CertificateDer::from_pem_file(edge.folder().join("edge.pem")).unwrap();
    let mut relay = Peer::enroll_relay(&app, "relay-1", address).await;

    relay.upload(&below([1; 32], 1)).await;
    relay.upload(&below(fingerprint(&certificate), 2)).await;
    let boot = loop {
        if let ControlMessage::UsageStored { boot, .. } = relay.hear().await {
            break boot;
        }
    };
    assert_eq!(boot, [2; 16], "nobody has the other certificate");
    let edges: Vec<(String, Vec<u8>)> = sqlx::query_as("SELECT edge, boot FROM usage_reports")
        .fetch_all(app.pool())
        .await
        .unwrap();
    assert_eq!(edges, [("edge-1".to_owned(), vec![2; 16])]);
}

#[tokio::test]
async fn a_relay_gets_no_certificate_for_more_than_it_holds() {
    let app = App::start().await;
    let address = app.serve_edges().await;
    let identity = Identity::enroll_relay(&app, "relay-1", Some("eu")).await;
    let mut relay = identity.join(address, hello()).await;
    let unreadable = "the certificate request cannot be read, or its signature is wrong";
    for (request, region, expected) in [
        (1, None, "the relay does not hold the certificate's regions"),
        (
            2,
            Some("us"),
            "the relay does not hold the certificate's regions",
        ),
        (3, Some("eu"), unreadable),
    ] {
        let edge = Identity::enroll(&app, &format!("edge-{request}"), region).await;
        let certificate = CertificateDer::from_pem_file(edge.folder().join("edge.pem")).unwrap();
        let question = RelayMessage::Renew {
            request,
            certificate: fingerprint(&certificate),
            certificate_request: vec![1, 2, 3],
        };
        relay.say(EdgeMessage::Relay(question)).await;
        let refused = loop {
            let message = told(&mut relay).await;
            if let ToRelay::NotRenewed { .. } = message {
                break message;
            }
        };
        let reason = expected.to_owned();
        assert_eq!(refused, ToRelay::NotRenewed { request, reason });
    }
}
