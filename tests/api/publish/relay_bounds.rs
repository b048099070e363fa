//! How much a relay may say for the edges below it, and how long it may take.

use std::net::SocketAddr;
use std::time::Duration;

use harness::{App, Response};
use protocol::ids::EnvId;
use protocol::wire::codec;
use protocol::wire::frame::{self, UPLOAD_LIMIT};
use protocol::wire::message::{ControlMessage, EdgeMessage, EdgeStatus};
use protocol::wire::parts::parts_of;
use protocol::wire::relay::{EdgeBelow, Fingerprint, NAMES_OF_A_PART, RelayMessage, ToRelay};
use protocol::wire::usage::{Impression, MAX_TEXT, Upload, UsageBatch};
use serde_json::json;
use tokio::time::{interval, sleep};

use super::peer::{Identity, Peer};

async fn join(app: &App, to: SocketAddr) -> Peer {
    let mut relay = Peer::enroll_relay(app, "relay-1", to).await;
    let first = relay.hear().await;
    assert!(
        matches!(first, ControlMessage::Relay(ToRelay::Serves { .. })),
        "{first:?}"
    );
    relay
}

/// A batch that an edge may just send.
fn longest() -> UsageBatch {
    let shown = |user_key: usize, variant_key: usize| Impression {
        env_id: EnvId::new(uuid::Uuid::nil()),
        flag_key: String::new(),
        variant_key: "v".repeat(variant_key),
        user_key: "u".repeat(user_key),
        at_ms: 0,
    };
    let mut batch = UsageBatch {
        boot: [1; 16],
        sequence: 7,
        evaluations: Vec::new(),
        impressions: Vec::new(),
        keys_used: Vec::new(),
    };
    let room = |batch: &UsageBatch| {
        let upload = Upload::Served(batch.clone());
        UPLOAD_LIMIT - codec::encode(&upload).len()
    };
    while room(&batch) > MAX_TEXT * 3 / 2 {
        batch.impressions.push(shown(MAX_TEXT, 0));
    }
    batch.impressions.push(shown(0, 0));
    let rest = room(&batch);
    let user_key = rest.min(MAX_TEXT);
    batch.impressions.pop();
    batch.impressions.push(shown(user_key, rest - user_key));
    assert_eq!(room(&batch), 0);
    batch
}

#[tokio::test]
async fn the_longest_upload_of_an_edge_is_not_too_long_from_its_relay() {
    let app = App::start().await;
    let address = app.serve_edges().await;
    let _edge = Identity::enroll(&app, "edge-1", None).await;
    let certificate: Vec<u8> = app
        .value(
            "SELECT fingerprint FROM edge_certificates WHERE name = 'edge-1'",
            &[],
        )
        .await;
    let certificate: Fingerprint = certificate.try_into().unwrap();
    let mut relay = join(&app, address).await;
    let batch = longest();
    let (boot, sequence) = (batch.boot, batch.sequence);
    let upload = Upload::ServedBelow { certificate, batch };
    relay.upload(&frame::encode(&upload).unwrap()).await;
    loop {
        if let ControlMessage::UsageStored {
            boot: of,
            sequence: number,
        } = relay.hear().await
        {
            assert_eq!((of, number), (boot, sequence));
            return;
        }
    }
}

#[tokio::test]
async fn a_relay_that_is_slow_to_receive_may_go_on_asking() {
    let app = App::start().await;
    app.signup("acme").await;
    let address = app.serve_edges().await;
    let mut relay = join(&app, address).await;
    // It is told once it serves everything, and it does not. Whoever asks gives up after ten seconds: that is 200
    // questions at a time.
    let mut ticks = interval(Duration::from_millis(50));
    for request in 0..300 {
        ticks.tick().await;
        relay
            .say(EdgeMessage::Relay(RelayMessage::CatchUp { request }))
            .await;
    }
    let status = EdgeStatus::default();
    relay
        .say(EdgeMessage::Heartbeat { number: 7, status })
        .await;
    loop {
        match relay.hear().await {
            ControlMessage::Heartbeat { number, .. } => return assert_eq!(number, 7),
            ControlMessage::Relay(ToRelay::CaughtUp { .. }) => panic!("it serves nothing"),
            _ => {}
        }
    }
}

#[tokio::test]
async fn a_relay_that_catches_up_late_is_told_how_long_ago_the_look_was() {
    let app = App::start().await;
    app.signup("acme").await;
    let address = app.serve_edges().await;
    let mut relay = join(&app, address).await;
    relay
        .say(EdgeMessage::Relay(RelayMessage::CatchUp { request: 1 }))
        .await;
    // What there is was looked for at once, and received late.
    sleep(Duration::from_secs(3)).await;
    relay.take_wholes(3).await;
    loop {
        if let ControlMessage::Relay(ToRelay::CaughtUp { looked, .. }) = relay.hear().await {
            assert!(looked.ago_ms > 1_000, "{looked:?}");
            return;
        }
    }
}

fn below(name: &str, via: Option<&str>) -> EdgeBelow {
    EdgeBelow {
        certificate: [3; 32],
        name: name.to_owned(),
        region: None,
        build: "any text".to_owned(),
        since_ms: 0,
        rtt_us: 0,
        streams: 0,
        held: 0,
        behind: 0,
        via: via.map(str::to_owned),
    }
}

/// A name that would end a header.
const HOSTILE: &str = "a\nb";

#[tokio::test]
async fn a_relay_that_tells_of_an_edge_with_a_name_that_none_has_is_disconnected() {
    for (name, via) in [(HOSTILE, None), ("edge-1", Some(HOSTILE))] {
        let app = App::start().await;
        let address = app.serve_edges().await;
        let mut relay = join(&app, address).await;
        let told = RelayMessage::Below {
            edges: vec![below(name, via)],
            is_last: true,
        };
        relay.say(EdgeMessage::Relay(told)).await;
        assert_eq!(relay.closed().await, (4, "protocol violation".to_owned()));
    }
}

/// Tells of an edge below it, and hears an answer to what it said after that.
async fn has_an_edge_below(relay: &mut Peer) {
    let told = RelayMessage::Below {
        edges: vec![below("edge-1", None)],
        is_last: true,
    };
    relay.say(EdgeMessage::Relay(told)).await;
    relay
        .say(EdgeMessage::Heartbeat {
            number: 1,
            status: EdgeStatus::default(),
        })
        .await;
    while !matches!(relay.hear().await, ControlMessage::Heartbeat { .. }) {}
}

/// Takes what comes, and answers the question about a write with these names.
async fn answer(mut relay: Peer, names: Vec<String>) -> Peer {
    loop {
        if let ControlMessage::Relay(ToRelay::AskReached { request, .. }) = relay.hear().await {
            for (acknowledged, is_last) in parts_of(NAMES_OF_A_PART, &names) {
                let reached = RelayMessage::Reached {
                    request,
                    acknowledged,
                    lagging: Vec::new(),
                    is_last,
                };
                relay.say(EdgeMessage::Relay(reached)).await;
            }
            return relay;
        }
    }
}

/// A write that waits for edges, and the end of the link to a relay that names these as reached.
async fn write_reaching(names: Vec<String>) -> (Response, Peer, App) {
    let (app, owner) = App::with_owner_and(&[("EDGES_WAIT", "2s")]).await;
    let project = owner.default_project().await;
    let mut relay = join(&app, app.serve_edges().await).await;
    relay.take_wholes(3).await;
    has_an_edge_below(&mut relay).await;
    let flags = format!("/v1/projects/{}/flags?wait=edges", project.id);
    let flag = json!({"key": "f", "name": "F"});
    let (written, relay) = tokio::join!(owner.create(&flags, flag), answer(relay, names));
    (written, relay, app)
}

#[tokio::test]
async fn a_name_that_no_edge_has_ends_the_link_of_its_relay_and_no_write() {
    let (_, relay, _app) = write_reaching(vec![HOSTILE.to_owned()]).await;
    assert_eq!(relay.closed().await, (4, "protocol violation".to_owned()));
}

#[tokio::test]
async fn a_write_names_fifty_of_four_hundred_edges_and_counts_the_others() {
    let below = (0..400).map(|number| format!("e{number:03}.eu-central-1"));
    let (written, _relay, _app) = write_reaching(below.collect()).await;
    let named = written.header("x-edges-acknowledged");
    let named: Vec<_> = named.split(',').collect();
    assert_eq!(named.len(), 51);
    let rest: usize = named[50].strip_prefix('+').unwrap().parse().unwrap();
    // The built-in edge is one more.
    assert_eq!(rest, 351);
}
