//! The other end of the link, as the protocol describes it, and an edge process to talk to it.

use std::{
    net::{Ipv4Addr, SocketAddr, UdpSocket},
    sync::Arc,
    time::Duration,
};

use edge_node::{
    config::{Config, LinkSettings, Signatures, SnapshotsFrom, UpstreamSettings},
    files::CannotServe,
    process::{self, Listeners},
};
use metrics_exporter_prometheus::PrometheusBuilder;
use protocol::wire::{
    codec::Decode,
    frame::{self, FrameHeader},
    message::{
        ALPN, ControlMessage, EdgeMessage, Epoch, Hello, Listed, Lists, Looked, Push, StreamSecret,
        Subscribe, Welcome,
    },
};
use quinn::{
    Connection, Endpoint, RecvStream, SendStream, ServerConfig, VarInt,
    crypto::rustls::QuicServerConfig,
};
use rcgen::{CertificateParams, KeyPair};
use rustls::{RootCertStore, server::WebPkiClientVerifier};
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use serving::{leaving::Leaving, listener::Limits};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

pub(crate) use crate::authority::Authority;
use crate::authority::Signer;
use crate::support::{LIMITS, PATIENCE, settings};

pub(crate) const EPOCH: Epoch = Epoch([1; 16]);
/// What its last look found.
pub(crate) const LOOKED: Looked = Looked {
    ago_ms: 0,
    position: 1,
};
/// What its clock shows: a moment in the year 2027.
pub(crate) const NOW_MS: i64 = 1_800_000_000_000;
const NAME: &str = "halyard-control";
/// Heartbeats that no test waits for.
pub(crate) const SLOW: Duration = Duration::from_secs(60);

/// A peer that nobody is connected to, and an enrolled folder.
pub(crate) fn enrolled() -> (Peer, TempDir) {
    let authority = Authority::new();
    let folder = TempDir::new().unwrap();
    authority.enroll(folder.path());
    (Peer::new(&authority, &authority), folder)
}

/// A control plane, as far as the link is concerned.
pub(crate) struct Peer {
    endpoint: Endpoint,
    pub(crate) epoch: Epoch,
    /// The certificates of those who sign; nothing if it speaks only the version without signatures.
    pub(crate) signers: Option<Vec<Vec<u8>>>,
}

impl Peer {
    /// Presents a certificate of one authority and accepts those of another.
    pub(crate) fn new(own: &Authority, accepted: &Authority) -> Self {
        let params = CertificateParams::new(vec![NAME.to_owned()]).unwrap();
        Self::presenting(&params, own, accepted)
    }

    /// One that speaks the version with signatures too, of these.
    pub(crate) fn signing(authority: &Authority, signers: &[&Signer]) -> Self {
        let params = CertificateParams::new(vec![NAME.to_owned()]).unwrap();
        let certificates = signers.iter().map(|signer| signer.certificate.clone());
        Self::speaking(&params, authority, authority, Some(certificates.collect()))
    }

    /// The same with a certificate that says this.
    pub(crate) fn presenting(
        params: &CertificateParams,
        own: &Authority,
        accepted: &Authority,
    ) -> Self {
        Self::speaking(params, own, accepted, None)
    }

    fn speaking(
        params: &CertificateParams,
        own: &Authority,
        accepted: &Authority,
        signers: Option<Vec<Vec<u8>>>,
    ) -> Self {
        let key = KeyPair::generate().unwrap();
        let certificate = own.sign(params, &key);
        let mut roots = RootCertStore::empty();
        roots.add(accepted.certificate().der().clone()).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let verifier =
            WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider.clone())
                .build()
                .unwrap();
        let chain: Vec<CertificateDer<'static>> = vec![certificate.der().clone()];
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let mut tls = rustls::ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&rustls::version::TLS13])
            .unwrap()
            .with_client_cert_verifier(verifier)
            .with_single_cert(chain, key)
            .unwrap();
        let versions = if signers.is_some() {
            &ALPN[..]
        } else {
            &ALPN[1..]
        };
        tls.alpn_protocols = versions.iter().map(|name| name.to_vec()).collect();
        let config = ServerConfig::with_crypto(Arc::new(QuicServerConfig::try_from(tls).unwrap()));
        Self {
            endpoint: Endpoint::server(config, ([127, 0, 0, 1], 0).into()).unwrap(),
            epoch: EPOCH,
            signers,
        }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.endpoint.local_addr().unwrap()
    }

    /// The next connection; an error if either side refused the other.
    pub(crate) async fn connection(&self) -> Result<Connection, quinn::ConnectionError> {
        let incoming = timeout(PATIENCE, self.endpoint.accept())
            .await
            .expect("no edge connects")
            .unwrap();
        incoming.await
    }

    /// The next edge, after its greeting.
    pub(crate) async fn greet(
        &self,
        environments: Vec<Listed>,
        heartbeat: Duration,
    ) -> (Link, Hello) {
        let connection = self.connection().await.unwrap();
        let (sending, mut receiving) = connection.accept_bi().await.unwrap();
        let EdgeMessage::Hello(hello) = read(&mut receiving).await else {
            panic!("no greeting")
        };
        let mut link = Link {
            connection,
            sending,
            receiving,
            now_ms: NOW_MS,
        };
        let welcome = Welcome {
            name: "edge-1".to_owned(),
            epoch: self.epoch,
            looked: LOOKED,
            now_ms: NOW_MS,
            heartbeat_ms: heartbeat.as_millis().try_into().unwrap(),
            stream_secret: StreamSecret([2; 32]),
            lists: Lists::Everything,
        };
        link.send(&ControlMessage::Welcome(welcome)).await;
        if let Some(certificates) = self.signers.clone() {
            link.send(&ControlMessage::Signers { certificates }).await;
        }
        let listing = ControlMessage::Listing {
            environments,
            is_last: true,
        };
        // An edge that cannot use the greeting so far may have gone.
        let listing = frame::encode(&listing).unwrap();
        drop(link.sending.write_all(&listing).await);
        (link, hello)
    }
}

/// One connection of a greeted edge.
pub(crate) struct Link {
    pub(crate) connection: Connection,
    sending: SendStream,
    receiving: RecvStream,
    /// The time in answers to heartbeats.
    pub(crate) now_ms: i64,
}

impl Link {
    pub(crate) async fn send(&mut self, message: &ControlMessage) {
        self.sending
            .write_all(&frame::encode(message).unwrap())
            .await
            .unwrap();
    }

    pub(crate) async fn push(&self, push: &Push) {
        self.push_bytes(&frame::encode(push).unwrap()).await;
    }

    pub(crate) async fn push_bytes(&self, bytes: &[u8]) {
        let mut stream = self.connection.open_uni().await.unwrap();
        stream.write_all(bytes).await.unwrap();
        stream.finish().unwrap();
    }

    /// The next message that is not a heartbeat; heartbeats are answered.
    pub(crate) async fn next(&mut self) -> EdgeMessage {
        loop {
            match timeout(PATIENCE, read(&mut self.receiving))
                .await
                .expect("the edge says nothing")
            {
                EdgeMessage::Heartbeat { number, .. } => {
                    self.send(&ControlMessage::Heartbeat {
                        number,
                        looked: LOOKED,
                        now_ms: self.now_ms,
                    })
                    .await;
                }
                message => return message,
            }
        }
    }
}

pub(crate) async fn read<M: Decode<()>>(stream: &mut RecvStream) -> M {
    let mut header = [0; FrameHeader::LENGTH];
    stream.read_exact(&mut header).await.unwrap();
    let header = FrameHeader::parse(header, frame::HELLO_LIMIT).unwrap();
    let mut payload = vec![0; header.payload_length()];
    stream.read_exact(&mut payload).await.unwrap();
    frame::decode(header, &payload).unwrap()
}

/// A running edge with a link and, in `folder`, an identity and a cache.
pub(crate) struct Process {
    pub(crate) http: SocketAddr,
    stop: CancellationToken,
    done: JoinHandle<Result<(), CannotServe>>,
}

impl Process {
    pub(crate) async fn start(folder: &TempDir, peer: SocketAddr) -> Self {
        Self::start_taking(folder, peer, Signatures::Optional).await
    }

    /// One that takes contents without signatures, or does not.
    pub(crate) async fn start_taking(
        folder: &TempDir,
        peer: SocketAddr,
        signatures: Signatures,
    ) -> Self {
        Self::start_subscribed(folder, peer, Subscribe::All, None, None, signatures).await
    }

    /// One that serves other edges, and where.
    pub(crate) async fn start_relay(folder: &TempDir, peer: SocketAddr) -> (Self, SocketAddr) {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = socket.local_addr().unwrap();
        let optional = Signatures::Optional;
        let socket = Some(socket);
        let started = Self::start_subscribed(folder, peer, Subscribe::All, None, socket, optional);
        (started.await, address)
    }

    /// On demand, within this many bytes.
    pub(crate) async fn start_within(folder: &TempDir, peer: SocketAddr, bytes: u64) -> Self {
        let (on_demand, optional) = (Subscribe::OnDemand, Signatures::Optional);
        Self::start_subscribed(folder, peer, on_demand, Some(bytes), None, optional).await
    }

    async fn start_subscribed(
        folder: &TempDir,
        peer: SocketAddr,
        subscribe: Subscribe,
        memory_limit: Option<u64>,
        relay: Option<UdpSocket>,
        signatures: Signatures,
    ) -> Self {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let listeners = Listeners {
            http: TcpListener::bind(any).await.unwrap(),
            http_is_passed: false,
            admin: TcpListener::bind(any).await.unwrap(),
            relay,
        };
        let http = listeners.http.local_addr().unwrap();
        let config = Config {
            edge: settings(&[("KEY_LOOKUP_TIMEOUT", "5s")]),
            from: SnapshotsFrom::Link(LinkSettings {
                upstream: UpstreamSettings {
                    addresses: vec![peer.to_string()],
                    identity: folder.path().to_owned(),
                    server_name: NAME.to_owned(),
                    region: None,
                    subscribe,
                    memory_limit,
                    signatures,
                },
                cache: Some(folder.path().join("cache")),
                relay_addr: None,
            }),
            http_addr: any,
            admin_addr: any,
            address_file: None,
            shutdown_delay: Duration::ZERO,
            limits: Limits {
                drain_deadline: Duration::from_secs(6),
                ..LIMITS
            },
        };
        let stop = CancellationToken::new();
        let metrics = PrometheusBuilder::new().build_recorder().handle();
        let done = tokio::spawn(process::run(
            config,
            listeners,
            metrics,
            Leaving::before(&stop),
            stop.clone(),
        ));
        Self { http, stop, done }
    }

    pub(crate) async fn stop(self) {
        self.stop.cancel();
        timeout(PATIENCE, self.done)
            .await
            .expect("the edge does not stop")
            .unwrap()
            .unwrap();
    }

    /// The whole answer to a request, as text.
    pub(crate) async fn ask(&self, key: &str, flag: &str) -> String {
        let body = format!(r#"{{"flag_key":"{flag}","context":{{"key":"u"}}}}"#);
        let request = format!(
            "POST /v1/evaluate HTTP/1.1\r\nhost: edge\r\nx-api-key: {key}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        self.exchange(&request).await
    }

    pub(crate) async fn get(&self, path: &str) -> String {
        self.exchange(&format!(
            "GET {path} HTTP/1.1\r\nhost: edge\r\nconnection: close\r\n\r\n"
        ))
        .await
    }

    /// Waits until the edge reports that it is ready.
    pub(crate) async fn becomes_ready(&self) {
        self.eventually("/ready", "HTTP/1.1 200 ").await;
    }

    /// Waits until the edge has applied what a greeting said.
    pub(crate) async fn is_greeted(&self) {
        self.eventually("/ready", r#""connected":true"#).await;
    }

    pub(crate) async fn eventually(&self, path: &str, expected: &str) {
        let seen = async {
            while !self.get(path).await.contains(expected) {
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(PATIENCE, seen)
            .await
            .unwrap_or_else(|_| panic!("{path} never says {expected}"));
    }

    async fn exchange(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(self.http).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }
}

/// Closes the link at once, which even a killed control plane would not do.
pub(crate) fn cut(link: &Link) {
    link.connection.close(VarInt::from_u32(0), b"");
}
