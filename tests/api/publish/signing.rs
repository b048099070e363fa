//! What is pushed is signed, by a key that edges learn of in time.

use std::collections::HashMap;

use data_encoding::BASE64URL_NOPAD;
use harness::App;
use harness::patience::patience;
use protocol::{
    digest,
    eval::Environment,
    signature::{Contents, PublicKey, SIGNER_NAME, Signature},
    snapshot::Snapshot,
    timestamp::Register,
    wire::{
        frame, merge,
        message::{ControlMessage, EdgeMessage, Push, SIGNING_ALPN},
        signed,
    },
};
use publish::signing::{RotateError, rotate};
use quinn::{Connection, RecvStream, SendStream};
use serde_json::{Value, json};
use time::{Duration, OffsetDateTime};
use tokio::time::timeout;

use super::peer::{Identity, hello, read};

const KEYS: &str = "/.well-known/halyard/signing-keys";

/// An edge of this release, after its greeting.
struct Edge {
    connection: Connection,
    sending: SendStream,
    receiving: RecvStream,
    /// The time that it was told.
    now_ms: i64,
    /// Who signs.
    certificates: Vec<Vec<u8>>,
}

impl Edge {
    async fn join(app: &App) -> Self {
        Self::join_as(app, "edge-1").await
    }

    async fn join_as(app: &App, name: &str) -> Self {
        let identity = Identity::enroll(app, name, None).await;
        let address = app.serve_edges().await;
        let connection = identity.connect_as(SIGNING_ALPN, address).await.unwrap();
        let (mut sending, mut receiving) = connection.open_bi().await.unwrap();
        let greeting = frame::encode(&EdgeMessage::Hello(hello())).unwrap();
        sending.write_all(&greeting).await.unwrap();
        let welcome: ControlMessage = read(&mut receiving).await;
        let ControlMessage::Welcome(welcome) = welcome else {
            panic!("{welcome:?}")
        };
        let ControlMessage::Signers { certificates } = read(&mut receiving).await else {
            panic!("it is not told who signs")
        };
        while let ControlMessage::Listing { is_last: false, .. } = read(&mut receiving).await {}
        Self {
            connection,
            sending,
            receiving,
            now_ms: welcome.now_ms,
            certificates,
        }
    }

    /// The next push with what is behind it, acknowledged.
    async fn receive(&mut self) -> (Push, Signature) {
        let accepted = timeout(patience(), self.connection.accept_uni()).await;
        let mut stream = accepted.expect("a push").unwrap();
        let bytes = stream.read_to_end(signed::LONGEST).await.unwrap();
        let push = merge::read(&bytes).unwrap();
        let version = match &push {
            Push::Snapshot(snapshot, _) => snapshot.head.version,
            Push::Delta(delta) => delta.head.version,
            Push::Removed { .. } => panic!("{push:?}"),
        };
        let env_id = push.env_id();
        let ack = frame::encode(&EdgeMessage::Ack { env_id, version }).unwrap();
        self.sending.write_all(&ack).await.unwrap();
        let signature = signed::signature(&bytes).unwrap();
        (push, signature.expect("a signature"))
    }

    /// The next timestamp that covers as many environments.
    async fn register(&mut self, environments: usize, keys: &[PublicKey]) -> Register {
        loop {
            if let ControlMessage::Timestamp(stamped) = read(&mut self.receiving).await
                && stamped.leaves.len() == environments
            {
                return stamped.verify(keys).unwrap();
            }
        }
    }

    /// The next message about something else.
    async fn hear(&mut self) -> ControlMessage {
        loop {
            let message = read(&mut self.receiving).await;
            let is_regular = matches!(
                message,
                ControlMessage::Timestamp(_)
                    | ControlMessage::Rehearsals(_)
                    | ControlMessage::Sampled(_)
            );
            if !is_regular {
                return message;
            }
        }
    }
}

fn contents(snapshot: &Snapshot) -> Contents {
    Environment::prepare(snapshot).unwrap().contents()
}

/// The public keys that are published.
async fn published(app: &App) -> Vec<PublicKey> {
    let answer = app.anonymous().get(KEYS).await;
    let keys = answer.expect_status(200).body["keys"].as_array().unwrap();
    let bytes = keys.iter().map(|key| {
        let text = key["x"].as_str().unwrap().as_bytes();
        BASE64URL_NOPAD.decode(text).unwrap()
    });
    bytes.map(|bytes| PublicKey::new(&bytes).unwrap()).collect()
}

/// Whether a certificate is for a key: its bytes are in it.
fn is_for(certificate: &[u8], key: &PublicKey) -> bool {
    let mut parts = certificate.windows(key.bytes().len());
    let names = certificate.windows(SIGNER_NAME.len());
    parts.any(|part| part == key.bytes())
        && names.filter(|name| *name == SIGNER_NAME.as_bytes()).count() == 2
}

#[tokio::test]
async fn every_push_is_signed_by_the_published_key() {
    let (app, owner, project) = App::with_project().await;
    let mut edge = Edge::join(&app).await;
    let keys = published(&app).await;
    assert_eq!(keys.len(), 1);
    assert_eq!(edge.certificates.len(), 1);
    assert!(is_for(&edge.certificates[0], &keys[0]));

    let mut held = HashMap::new();
    for _ in 0..3 {
        let (push, signature) = edge.receive().await;
        let Push::Snapshot(snapshot, _) = push else {
            panic!("{push:?}")
        };
        assert_eq!(signature.verify(&contents(&snapshot), &keys), Ok(()));
        assert_eq!(signature.signed_at_ms, app.clock.unix_ms());
        held.insert(snapshot.head.env_id, snapshot);
    }
    // A flag, a key of a server and a segment: each is in what is signed.
    let base = format!("/v1/projects/{}", project.id);
    let keys_of_dev = format!("/v1/environments/{}/api-keys", project.dev);
    let flag = json!({"key": "a", "name": "A", "flag_type": "boolean"});
    let key = json!({"name": "k", "type": "server"});
    let segment = json!({"key": "s", "name": "S", "match_type": "all", "rules": []});
    for (path, body, count) in [
        (format!("{base}/flags"), flag, 3),
        (format!("{base}/segments"), segment, 3),
        (keys_of_dev, key, 1),
    ] {
        let (_, ()) = tokio::join!(owner.create(&path, body), async {
            for _ in 0..count {
                let (push, signature) = edge.receive().await;
                let Push::Delta(delta) = push else {
                    panic!("{push:?}")
                };
                let snapshot = held.get_mut(&delta.head.env_id).unwrap();
                snapshot.apply(delta).unwrap();
                let contents = contents(snapshot);
                assert_eq!(signature.verify(&contents, &keys), Ok(()), "{path}");
                let older = Contents {
                    version: contents.version - 1,
                    ..contents
                };
                signature.verify(&older, &keys).unwrap_err();
            }
        });
    }
}

#[tokio::test]
async fn an_edge_of_the_release_before_is_sent_frames_alone() {
    let app = App::with_project().await.0;
    let identity = Identity::enroll(&app, "edge-1", None).await;
    let address = app.serve_edges().await;
    let edge = identity.join(address, hello()).await;
    for _ in 0..3 {
        let bytes = edge.receive_bytes().await;
        assert_eq!(signed::signature(&bytes), Ok(None));
        let Ok(Push::Snapshot(snapshot, told)) = merge::read(&bytes) else {
            panic!("no whole environment")
        };
        assert_eq!(digest::of(&snapshot), told);
    }
}

#[tokio::test]
async fn the_published_keys_are_a_set_that_anybody_reads() {
    let app = App::start().await;
    let answer = app.anonymous().get(KEYS).await;
    answer.expect_status(200);
    assert_eq!(answer.header("cache-control"), "public, max-age=300");
    let key = &answer.body["keys"][0];
    let whole = json!({"keys": [{
        "kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "use": "sig",
        "kid": key["kid"], "x": key["x"], "signs_from": key["signs_from"], "ends_at": Value::Null,
    }]});
    assert_eq!(answer.body, whole);
    assert_eq!(key["x"].as_str().unwrap().len(), 43);
    // Another replica has the same.
    let other = app.another_replica().await;
    let other = harness::Caller::new(&other, app.clock.clone());
    assert_eq!(other.get(KEYS).await.body, whole);
}

#[tokio::test]
async fn another_key_signs_once_edges_know_it_and_the_one_before_ends_later() {
    let (app, owner, project) = App::with_project().await;
    let mut edge = Edge::join(&app).await;
    for _ in 0..3 {
        edge.receive().await;
    }
    let first = published(&app).await;
    let secret = &app.publish.app_secret;
    let (after, overlap) = (Duration::minutes(1), Duration::minutes(3));
    let rotated = || rotate(app.db(), secret, app.clock.now(), after, overlap);
    rotated().await.unwrap();
    let again = rotated().await.unwrap_err();
    assert!(matches!(again, RotateError::Waiting(_)), "{again}");
    let told = "another key is to sign already, from ";
    assert!(again.to_string().starts_with(told), "{again}");

    app.publisher.clone().load_signing_keys().await.unwrap();
    let both = published(&app).await;
    assert_eq!((both.len(), &both[0]), (2, &first[0]));
    let ControlMessage::Signers { certificates } = edge.hear().await else {
        panic!("the edge is not told of the other key")
    };
    assert!(is_for(&certificates[0], &both[0]) && is_for(&certificates[1], &both[1]));

    let flags = format!("/v1/projects/{}/flags", project.id);
    let mut signers = Vec::new();
    for (key, pause) in [("a", 0), ("b", 61), ("c", 180)] {
        app.clock.advance(std::time::Duration::from_secs(pause));
        app.publisher.clone().load_signing_keys().await.unwrap();
        let flag = json!({"key": key, "name": key, "flag_type": "boolean"});
        let (_, signature) = tokio::join!(owner.create(&flags, flag), async {
            edge.receive().await;
            edge.receive().await;
            edge.receive().await.1
        });
        signers.push(signature.key);
    }
    assert_eq!(signers, [both[0].id(), both[1].id(), both[1].id()]);
    assert_eq!(published(&app).await, both[1..]);
}

#[tokio::test]
async fn signatures_are_not_dated_back_when_a_clock_is_set_back() {
    let (app, owner, project) = App::with_project().await;
    let mut edge = Edge::join(&app).await;
    for _ in 0..3 {
        edge.receive().await;
    }
    app.publisher.clone().load_signing_keys().await.unwrap();
    let before = app.clock.now();
    app.clock.adjust(-Duration::minutes(20));
    app.publisher.clone().load_signing_keys().await.unwrap();
    let flag = json!({"key": "a", "name": "A", "flag_type": "boolean"});
    let flags = format!("/v1/projects/{}/flags", project.id);
    let (_, (_, signature)) = tokio::join!(owner.create(&flags, flag), edge.receive());
    assert_eq!(signature.signed_at_ms, unix_ms(before));
}

#[tokio::test]
async fn signatures_and_edges_have_the_databases_time_where_this_machines_is_off() {
    let (app, owner, project) = App::with_project().await;
    let mut edge = Edge::join(&app).await;
    for _ in 0..3 {
        edge.receive().await;
    }
    let right = unix_ms(app.clock.now());
    let flags = format!("/v1/projects/{}/flags", project.id);
    let mut off = Duration::ZERO;
    for (number, minutes) in [30, -30, 45].into_iter().enumerate() {
        let jump = Duration::minutes(minutes) - off;
        off += jump;
        app.clock.adjust(jump);
        app.clock.set_machine_off(off);
        // At once, and after the keys were read again.
        for turn in ["before", "after"] {
            let key = format!("{turn}-{number}");
            let flag = json!({"key": key, "name": key, "flag_type": "boolean"});
            let (_, signature) = tokio::join!(owner.create(&flags, flag), async {
                edge.receive().await;
                edge.receive().await;
                edge.receive().await.1
            });
            let ahead = signature.signed_at_ms - right;
            assert!(ahead.abs() < 5_000, "{key}: {ahead} ms ahead");
            app.publisher.clone().load_signing_keys().await.unwrap();
        }
        // By the same time edges have keys expire.
        let told = Edge::join_as(&app, &format!("other-{number}")).await.now_ms - right;
        assert!(told.abs() < 5_000, "{number}: told {told} ms ahead");
    }
}

fn unix_ms(time: OffsetDateTime) -> i64 {
    i64::try_from(time.unix_timestamp_nanos() / 1_000_000).unwrap()
}

#[tokio::test]
async fn every_minute_it_is_signed_which_versions_are_current() {
    let (app, owner, project) = App::with_project().await;
    let mut edge = Edge::join(&app).await;
    let keys = published(&app).await;
    let mut versions = HashMap::new();
    for _ in 0..3 {
        let (push, _) = edge.receive().await;
        let Push::Snapshot(snapshot, _) = push else {
            panic!("{push:?}")
        };
        versions.insert(snapshot.head.env_id, snapshot.head.version);
    }
    app.publisher.clone().sign_timestamp().await.unwrap();
    let first = edge.register(3, &keys).await;
    assert_eq!(first.at_ms(), app.clock.unix_ms());
    assert!(
        versions
            .iter()
            .all(|(env_id, version)| first.has(*env_id, *version))
    );

    let flag = json!({"key": "a", "name": "A", "flag_type": "boolean"});
    let flags = format!("/v1/projects/{}/flags", project.id);
    let (_, ()) = tokio::join!(owner.create(&flags, flag), async {
        for _ in 0..3 {
            edge.receive().await;
        }
    });
    app.clock.advance(std::time::Duration::from_mins(1));
    app.publisher.clone().sign_timestamp().await.unwrap();
    let second = edge.register(3, &keys).await;
    assert_eq!(second.at_ms(), app.clock.unix_ms());
    assert!(
        !versions
            .iter()
            .any(|(env_id, version)| second.has(*env_id, *version))
    );

    // Whoever joins later is told at once.
    let mut other = Edge::join_as(&app, "edge-2").await;
    assert_eq!(other.register(3, &keys).await.at_ms(), second.at_ms());
}
