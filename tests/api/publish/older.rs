//! Edges of the versions before: they speak `halyard/1` or `halyard/2`, in messages that are frozen, and get everything that
//! they know of.

use std::net::SocketAddr;
use std::time::Instant;

use harness::{App, eventually};
use protocol::reason::Reason;
use protocol::wire::frame;
use protocol::wire::message::Push;
use protocol::wire::usage::Upload;
use protocol::wire::v1::{ALPN, ControlMessage, EdgeMessage, Hello, Welcome};
use protocol::wire::{message, v2, v3};
use quinn::{Connection, RecvStream, SendStream};
use serde_json::json;
use sha2::Digest as _;
use tokio::time::timeout;

use super::peer::{Identity, Peer, env_id, read};
use harness::patience::patience;

/// A greeting that holds nothing and wants everything.
fn hello() -> Hello {
    Hello {
        build: "test".to_owned(),
        region: None,
        epoch: None,
        holds: Vec::new(),
        subscribe: message::Subscribe::All,
    }
}

/// The end of a link that knows version 1 alone.
struct OldEdge {
    connection: Connection,
    sending: SendStream,
    receiving: RecvStream,
    welcome: Welcome,
}

impl OldEdge {
    async fn join(identity: &Identity, to: SocketAddr) -> Self {
        let connection = identity.connect_as(ALPN, to).await.unwrap();
        let (mut sending, mut receiving) = connection.open_bi().await.unwrap();
        let greeting = frame::encode(&EdgeMessage::Hello(hello())).unwrap();
        sending.write_all(&greeting).await.unwrap();
        let ControlMessage::Welcome(welcome) = read(&mut receiving).await else {
            panic!("no welcome")
        };
        Self {
            connection,
            sending,
            receiving,
            welcome,
        }
    }

    async fn say(&mut self, message: EdgeMessage) {
        let frame = frame::encode(&message).unwrap();
        self.sending.write_all(&frame).await.unwrap();
    }

    async fn hear(&mut self) -> ControlMessage {
        read(&mut self.receiving).await
    }

    /// The next push, acknowledged.
    async fn take(&mut self) -> Push {
        let stream = timeout(patience(), self.connection.accept_uni()).await;
        let push: Push = read(&mut stream.expect("a push").unwrap()).await;
        let version = match &push {
            Push::Snapshot(snapshot, _) => snapshot.head.version,
            Push::Delta(delta) => delta.head.version,
            Push::Removed { .. } => 0,
        };
        let env_id = push.env_id();
        self.say(EdgeMessage::Ack { env_id, version }).await;
        push
    }
}

#[tokio::test]
async fn an_edge_of_version_1_gets_snapshots_deltas_removals_and_is_waited_for() {
    let app = App::start_with(&[("SNAPSHOT_WAIT", "10m")]).await;
    let owner = app.signup("acme").await;
    let project = owner.default_project().await;
    let key = owner.api_key(&project.dev).await;
    let address = app.serve_edges().await;
    let identity = Identity::enroll(&app, "edge-1", None).await;
    let mut edge = OldEdge::join(&identity, address).await;
    assert_eq!(edge.welcome.name, "edge-1");
    assert_eq!(edge.welcome.environments.len(), 3);
    for _ in 0..3 {
        let push = edge.take().await;
        assert!(matches!(push, Push::Snapshot(..)), "{push:?}");
    }

    let path = format!("/v1/projects/{}/flags", project.id);
    let flag = json!({"key": "a", "name": "A", "flag_type": "boolean"});
    let began = Instant::now();
    let (created, ()) = tokio::join!(owner.post(&path, flag), async {
        for _ in 0..3 {
            let push = edge.take().await;
            assert!(matches!(push, Push::Delta(_)), "{push:?}");
        }
    });
    created.expect_status(201);
    assert!(began.elapsed() < patience(), "its acknowledgements count");

    let path = format!(
        "/v1/projects/{}/environments/{}",
        project.id, project.staging
    );
    let (deleted, removed) = tokio::join!(owner.delete(&path), edge.take());
    deleted.expect_status(204);
    let env_id = uuid::Uuid::try_parse(&project.staging).unwrap().into();
    assert_eq!(removed, Push::Removed { env_id });

    let hash = sha2::Sha256::digest(&key).into();
    edge.say(EdgeMessage::LookupKey { request: 1, hash }).await;
    assert!(matches!(
        edge.hear().await,
        ControlMessage::KeyFound { request: 1, .. }
    ));

    // It is not asked for what it does not know: the next it hears is the answer to its heartbeat.
    app.publisher.flush_usage(patience()).await;
    edge.say(EdgeMessage::Heartbeat(9)).await;
    assert_eq!(edge.hear().await, ControlMessage::Heartbeat(9));
    app.stop.cancel();
    assert!(matches!(edge.hear().await, ControlMessage::Drain { .. }));
}

#[tokio::test]
async fn an_edge_of_version_2_is_greeted_asked_and_told_to_go() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    owner.default_project().await;
    let address = app.serve_edges().await;
    let identity = Identity::enroll(&app, "edge-1", None).await;
    let connection = identity.connect_as(v2::ALPN, address).await.unwrap();
    let (mut sending, mut receiving) = connection.open_bi().await.unwrap();
    let mut say = async |message: v2::EdgeMessage| {
        let frame = frame::encode(&message).unwrap();
        sending.write_all(&frame).await.unwrap();
    };
    say(v2::EdgeMessage::Hello(hello())).await;
    let v2::ControlMessage::Welcome(welcome) = read(&mut receiving).await else {
        panic!("no welcome")
    };
    assert_eq!(welcome.environments.len(), 3);

    let status = message::EdgeStatus::default();
    say(v2::EdgeMessage::Heartbeat { number: 9, status }).await;
    let answer: v2::ControlMessage = read(&mut receiving).await;
    assert_eq!(answer, v2::ControlMessage::Heartbeat(9));
    let flushing = app.publisher.flush_usage(patience());
    tokio::join!(flushing, async {
        let v2::ControlMessage::FlushUsage { request } = read(&mut receiving).await else {
            panic!("no request to flush")
        };
        say(v2::EdgeMessage::Flushed { request }).await;
    });
    app.stop.cancel();
    let last: v2::ControlMessage = read(&mut receiving).await;
    assert!(matches!(last, v2::ControlMessage::Drain { .. }));
}

#[tokio::test]
async fn what_an_edge_of_version_3_counted_is_stored() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let dev = owner.default_project().await.dev;
    let address = app.serve_edges().await;
    let identity = Identity::enroll(&app, "edge-1", None).await;
    let connection = identity.connect_as(v3::ALPN, address).await.unwrap();
    let edge = Peer::greet(connection, super::peer::hello()).await;
    let batch = v3::UsageBatch {
        boot: [1; 16],
        sequence: 1,
        evaluations: vec![v3::EvaluationCount {
            env_id: env_id(&dev),
            flag_key: "checkout".to_owned(),
            reason: Reason::Rollout,
            count: 7,
        }],
        impressions: Vec::new(),
        keys_used: Vec::new(),
    };
    let upload = frame::encode(&Upload::Usage(batch)).unwrap();
    // Sent again, it is counted once.
    for _ in 0..2 {
        edge.upload(&upload).await;
    }
    eventually("the batch is stored", async || {
        let counted = owner.get("/v1/metrics/evaluations").await;
        (counted.body["total_evaluations"] == 7).then_some(())
    })
    .await;
    let series = owner.get("/v1/metrics/series?flag_key=checkout").await;
    assert_eq!(series.body["series"][0]["reason"], "ROLLOUT");
    assert_eq!(series.body["series"][0]["value"], json!(null));
    assert_eq!(series.body["series"][0]["points"][0][1], 7);
}
