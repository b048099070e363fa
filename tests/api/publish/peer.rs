//! An edge's end of the link, byte by byte: what a test says is what goes out.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use harness::App;
use harness::patience::patience;
use protocol::ids::EnvId;
use protocol::snapshot::{Digest, Version};
use protocol::wire::codec::Decode;
use protocol::wire::frame::{self, FrameHeader};
use protocol::wire::message::{
    ControlMessage, EdgeMessage, EdgeStatus, Epoch, Held, Hello, Holds, Listed, Push, Subscribe,
    Welcome,
};
use protocol::wire::signed;
use publish::{
    edges::{self, Enrolment, model::DEFAULT_LIFE},
    tls::Authority,
};
use quinn::crypto::rustls::QuicClientConfig;
use quinn::{ClientConfig, Connection, ConnectionError, Endpoint, RecvStream, SendStream};
use rustls::RootCertStore;
use rustls::time_provider::TimeProvider;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use serving::clock::Clock;
use tempfile::TempDir;
use time::OffsetDateTime;
use tokio::time::timeout;

/// The certificates of an edge.
pub struct Identity {
    folder: TempDir,
    clock: Clock,
}

#[derive(Debug)]
struct Time(Clock);

impl TimeProvider for Time {
    fn current_time(&self) -> Option<UnixTime> {
        let since_1970 = self.0.now() - OffsetDateTime::UNIX_EPOCH;
        Some(UnixTime::since_unix_epoch(since_1970.try_into().ok()?))
    }
}

impl Identity {
    /// Enrolls an edge.
    pub async fn enroll(app: &App, name: &str, region: Option<&str>) -> Self {
        let enrolment = Enrolment {
            name,
            region,
            life: DEFAULT_LIFE,
            is_relay: false,
        };
        Self::enroll_as(app, enrolment).await
    }

    /// Enrolls a relay.
    pub async fn enroll_relay(app: &App, name: &str, region: Option<&str>) -> Self {
        let enrolment = Enrolment {
            name,
            region,
            life: DEFAULT_LIFE,
            is_relay: true,
        };
        Self::enroll_as(app, enrolment).await
    }

    /// Enrolls an edge or a relay.
    pub async fn enroll_as(app: &App, enrolment: Enrolment<'_>) -> Self {
        let authority = Authority::load(app.db(), &app.publish, app.clock.now())
            .await
            .unwrap();
        let folder = tempfile::tempdir().unwrap();
        edges::enroll(
            app.db(),
            &authority,
            enrolment,
            folder.path(),
            app.clock.now(),
        )
        .await
        .unwrap();
        Self {
            folder,
            clock: app.clock.clone(),
        }
    }

    /// Where its files are.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Another certificate of the same edge, and its key.
    pub fn replace(&self, certificate: &[u8], key: &rcgen::KeyPair) {
        std::fs::write(self.folder().join("edge.der"), certificate).unwrap();
        std::fs::write(self.folder().join("edge.key"), key.serialize_pem()).unwrap();
    }

    fn certificate(&self) -> CertificateDer<'static> {
        match std::fs::read(self.folder().join("edge.der")) {
            Ok(renewed) => renewed.into(),
            Err(_) => CertificateDer::from_pem_file(self.folder().join("edge.pem")).unwrap(),
        }
    }

    /// Connects. Under TLS 1.3 that succeeds even where the certificate will be refused.
    pub async fn connect(&self, to: SocketAddr) -> Result<Connection, ConnectionError> {
        self.connect_as(b"halyard/1", to).await
    }

    /// Connects, and speaks one version of the protocol alone.
    pub async fn connect_as(
        &self,
        version: &[u8],
        to: SocketAddr,
    ) -> Result<Connection, ConnectionError> {
        let mut roots = RootCertStore::empty();
        roots
            .add(CertificateDer::from_pem_file(self.folder().join("ca.pem")).unwrap())
            .unwrap();
        let certificate = self.certificate();
        let key = PrivateKeyDer::from_pem_file(self.folder().join("edge.key")).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let mut tls = rustls::ClientConfig::builder_with_details(
            provider,
            Arc::new(Time(self.clock.clone())),
        )
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_client_auth_cert(vec![certificate], key)
        .unwrap();
        tls.alpn_protocols = vec![version.to_vec()];
        let config = ClientConfig::new(Arc::new(QuicClientConfig::try_from(tls).unwrap()));
        let endpoint = Endpoint::client("127.0.0.1:0".parse().unwrap()).unwrap();
        endpoint
            .connect_with(config, to, "halyard-control")
            .unwrap()
            .await
    }

    /// Connects and greets.
    pub async fn join(&self, to: SocketAddr, hello: Hello) -> Peer {
        Peer::greet(self.connect(to).await.unwrap(), hello).await
    }
}

/// The id of an environment as the API tells it.
pub fn env_id(text: &str) -> EnvId {
    uuid::Uuid::try_parse(text).unwrap().into()
}

/// A greeting that holds nothing and wants everything.
pub fn hello() -> Hello {
    Hello {
        build: "test".to_owned(),
        region: None,
        epoch: None,
        position: 0,
        holds: Holds::Listed(Vec::new()),
        subscribe: Subscribe::All,
    }
}

/// A greeting that holds something.
pub fn holding(epoch: Epoch, holds: Vec<Held>) -> Hello {
    Hello {
        epoch: Some(epoch),
        holds: Holds::Listed(holds),
        ..hello()
    }
}

/// A connection that was greeted.
pub struct Peer {
    connection: Connection,
    sending: SendStream,
    receiving: RecvStream,
    pub welcome: Welcome,
    /// What followed it.
    pub listed: Vec<Listed>,
}

impl Peer {
    /// Enrolls an edge, which connects and greets.
    pub async fn enroll(app: &App, name: &str, to: SocketAddr, hello: Hello) -> Self {
        let identity = Identity::enroll(app, name, None).await;
        identity.join(to, hello).await
    }

    /// The same with a relay.
    pub async fn enroll_relay(app: &App, name: &str, to: SocketAddr) -> Self {
        let identity = Identity::enroll_relay(app, name, None).await;
        identity.join(to, hello()).await
    }

    /// Greets over a connection.
    pub async fn greet(connection: Connection, hello: Hello) -> Self {
        let (mut sending, mut receiving) = connection.open_bi().await.unwrap();
        sending
            .write_all(&frame::encode(&EdgeMessage::Hello(hello)).unwrap())
            .await
            .unwrap();
        let ControlMessage::Welcome(welcome) = read(&mut receiving).await else {
            panic!("no welcome")
        };
        let mut listed = Vec::new();
        loop {
            let ControlMessage::Listing {
                environments,
                is_last,
            } = read(&mut receiving).await
            else {
                panic!("no listing")
            };
            listed.extend(environments);
            if is_last {
                break;
            }
        }
        Self {
            connection,
            sending,
            receiving,
            welcome,
            listed,
        }
    }

    /// The environments that were listed, with their versions.
    pub fn versions(&self) -> BTreeSet<(EnvId, Version)> {
        let listed = self.listed.iter();
        listed
            .map(|listed| (listed.env_id, listed.version))
            .collect()
    }

    pub async fn say(&mut self, message: EdgeMessage) {
        self.sending
            .write_all(&frame::encode(&message).unwrap())
            .await
            .unwrap();
    }

    /// The next message on the control stream.
    pub async fn hear(&mut self) -> ControlMessage {
        read(&mut self.receiving).await
    }

    /// The next push.
    pub async fn receive(&self) -> Push {
        let mut stream = timeout(patience(), self.connection.accept_uni())
            .await
            .expect("a push")
            .unwrap();
        read(&mut stream).await
    }

    /// All bytes of the next push.
    pub async fn receive_bytes(&self) -> Vec<u8> {
        let accepted = timeout(patience(), self.connection.accept_uni()).await;
        let mut stream = accepted.expect("a push").unwrap();
        stream.read_to_end(signed::LONGEST).await.unwrap()
    }

    /// Acknowledges a push as an edge does that applied it; tells what it then holds.
    pub async fn acknowledge(&mut self, push: &Push) -> (EnvId, Version, Digest) {
        let (head, digest) = match push {
            Push::Snapshot(snapshot, digest) => (&snapshot.head, *digest),
            Push::Delta(delta) => (&delta.head, delta.digest),
            Push::Removed { .. } => panic!("{push:?}"),
        };
        self.say(EdgeMessage::Ack {
            env_id: head.env_id,
            version: head.version,
        })
        .await;
        (head.env_id, head.version, digest)
    }

    /// Takes and acknowledges that many pushes, which have to be whole environments.
    pub async fn take_wholes(&mut self, count: usize) -> Vec<Held> {
        let mut holds = Vec::new();
        for _ in 0..count {
            let push = self.receive().await;
            assert!(matches!(push, Push::Snapshot(..)), "{push:?}");
            let (env_id, version, digest) = self.acknowledge(&push).await;
            holds.push(Held {
                env_id,
                version,
                digest,
            });
        }
        holds
    }

    /// Proves that nothing was pushed until now: everything before the answer to a heartbeat would be here.
    pub async fn expect_no_push(&mut self) {
        let status = EdgeStatus::default();
        self.say(EdgeMessage::Heartbeat { number: 7, status }).await;
        let answer = self.hear().await;
        assert!(
            matches!(answer, ControlMessage::Heartbeat { number: 7, .. }),
            "{answer:?}"
        );
        let pushed = timeout(
            std::time::Duration::from_millis(50),
            self.connection.accept_uni(),
        )
        .await;
        assert!(pushed.is_err(), "something was pushed");
    }

    /// Sends bytes on a stream of their own, as an upload.
    pub async fn upload(&self, bytes: &[u8]) {
        let mut stream = self.connection.open_uni().await.unwrap();
        stream.write_all(bytes).await.unwrap();
        stream.finish().unwrap();
    }

    pub async fn closed(&self) -> (u64, String) {
        closed(&self.connection).await
    }
}

/// With which code and reason the control plane closed the connection.
pub async fn closed(connection: &Connection) -> (u64, String) {
    match timeout(patience(), connection.closed())
        .await
        .expect("the connection is closed")
    {
        ConnectionError::ApplicationClosed(close) => (
            close.error_code.into(),
            String::from_utf8_lossy(&close.reason).into_owned(),
        ),
        ConnectionError::ConnectionClosed(close) => {
            (close.error_code.into(), "transport".to_owned())
        }
        other => panic!("{other}"),
    }
}

/// The next message of a stream.
pub async fn read<M: Decode<()>>(stream: &mut RecvStream) -> M {
    let reading = async {
        let mut start = [0; FrameHeader::LENGTH];
        stream.read_exact(&mut start).await.unwrap();
        let header = FrameHeader::parse(start, frame::PUSH_LIMIT).unwrap();
        let mut payload = vec![0; header.payload_length()];
        stream.read_exact(&mut payload).await.unwrap();
        frame::decode(header, &payload).unwrap()
    };
    timeout(patience(), reading).await.expect("a message")
}
