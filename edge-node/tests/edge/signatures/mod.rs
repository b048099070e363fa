//! Contents that a control plane signed, and such that it did not.

mod below;
mod refusals;
mod sessions;
mod timestamps;
mod what_if;

use data_encoding::BASE64;
use protocol::{
    eval::Environment,
    signature::{Contents, PublicKey, Signature},
    snapshot::Snapshot,
    wire::{
        merge::decode,
        message::{EdgeMessage, Holds, Push},
        signed,
    },
};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
    time::timeout,
};

use crate::{
    authority::{Authority, Signer},
    peer::{Link, NOW_MS, Peer, Process, SLOW},
    support::{held as held_at, *},
};

const HOUR: i64 = 3_600_000;

fn version(number: u64, enabled: bool) -> Snapshot {
    snapshot(9, number, vec![toggle(1, "a", enabled)])
}

fn ack(version: u64) -> EdgeMessage {
    EdgeMessage::Ack {
        env_id: env_id(9),
        version,
    }
}

fn resync() -> EdgeMessage {
    EdgeMessage::Resync { env_id: env_id(9) }
}

/// An installation with one who signs, and an enrolled folder.
struct Scene {
    authority: Authority,
    signer: Signer,
    folder: TempDir,
}

impl Scene {
    fn new() -> Self {
        let authority = Authority::new();
        let folder = TempDir::new().unwrap();
        authority.enroll(folder.path());
        Self {
            signer: Signer::new(&authority, 1),
            authority,
            folder,
        }
    }

    /// An edge that serves version 7 with its signature.
    async fn connected(&self) -> (Peer, Process, Link) {
        let peer = Peer::signing(&self.authority, &[&self.signer]);
        let process = Process::start(&self.folder, peer.address()).await;
        let held = version(7, true);
        let (mut link, _) = peer.greet(vec![listed(&held)], SLOW).await;
        let push = self.signer.push(&whole(&held), &held, NOW_MS);
        link.push_bytes(&push).await;
        assert_eq!(link.next().await, ack(7));
        (peer, process, link)
    }
}

/// The body of the answer to an SDK.
async fn fetch(process: &Process) -> Vec<u8> {
    let mut stream = TcpStream::connect(process.http).await.unwrap();
    let request = format!(
        "GET /v1/sdk/snapshot HTTP/1.1\r\nhost: edge\r\nx-api-key: {KEY}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    assert!(answer.starts_with(b"HTTP/1.1 200 "));
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n");
    answer.split_off(end.unwrap() + 4)
}

/// An open stream of an SDK, after its first event.
struct Changes(BufReader<TcpStream>);

impl Changes {
    async fn open(process: &Process) -> Self {
        let mut stream = TcpStream::connect(process.http).await.unwrap();
        let request =
            format!("GET /v1/sdk/stream HTTP/1.1\r\nhost: edge\r\nx-api-key: {KEY}\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut changes = Self(BufReader::new(stream));
        assert!(changes.data().await.contains("\"version\""));
        changes
    }

    /// The data of the next event.
    async fn data(&mut self) -> String {
        let read = async {
            loop {
                let mut line = String::new();
                self.0.read_line(&mut line).await.unwrap();
                if let Some(data) = line.strip_prefix("data: ") {
                    return data.trim_end().to_owned();
                }
            }
        };
        timeout(PATIENCE, read).await.expect("the stream is silent")
    }
}

/// An environment as an SDK holds it, if its signature is by one of these keys.
fn verified(push: &[u8], environment: &Environment, keys: &[PublicKey]) -> Signature {
    let signature = signed::signature(push).unwrap().expect("no signature");
    let contents = Contents {
        keys: signature.keys,
        ..environment.contents()
    };
    assert_eq!(signature.verify(&contents, keys), Ok(()));
    signature
}

fn prepared(whole: &[u8]) -> Environment {
    let Push::Snapshot(snapshot, _) = decode(env_id(9), whole).unwrap() else {
        panic!("not a whole")
    };
    assert_eq!(snapshot.keys, []);
    Environment::prepare(&snapshot).unwrap()
}

/// What an SDK fetches, of this version and with the signature of one of these.
async fn is_fetched(process: &Process, version: u64, signer: &Signer) {
    let whole = fetch(process).await;
    let environment = prepared(&whole);
    assert_eq!(environment.head().version, version);
    verified(&whole, &environment, &[signer.public_key()]);
}

#[tokio::test(flavor = "multi_thread")]
async fn sdks_are_given_what_the_control_plane_signed() {
    let scene = Scene::new();
    let (_peer, process, mut link) = scene.connected().await;
    is_fetched(&process, 7, &scene.signer).await;
    let mut environment = prepared(&fetch(&process).await);
    let mut changes = Changes::open(&process).await;
    let mut held = version(7, true);
    for number in 8..=10 {
        let mut next = version(number, number % 2 == 0);
        // Nothing of the key is told, but it is signed.
        next.keys[0].expires_at_ms = Some(NOW_MS + i64::try_from(number).unwrap() * HOUR);
        let push = scene.signer.push(&delta(&held, &next), &next, NOW_MS);
        link.push_bytes(&push).await;
        assert_eq!(link.next().await, ack(number));
        let told = BASE64.decode(changes.data().await.as_bytes()).unwrap();
        let Push::Delta(delta) = decode(env_id(9), &told).unwrap() else {
            panic!("not a delta")
        };
        assert_eq!(delta.keys, []);
        environment = environment.apply(&delta).unwrap();
        verified(&told, &environment, &[scene.signer.public_key()]);
        held = next;
    }
    // Made of four frames.
    is_fetched(&process, 10, &scene.signer).await;
    process.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_without_a_control_plane_keeps_the_signature() {
    let scene = Scene::new();
    let (peer, process, mut link) = scene.connected().await;
    let (held, next) = (version(7, true), version(8, false));
    let push = scene.signer.push(&delta(&held, &next), &next, NOW_MS);
    link.push_bytes(&push).await;
    assert_eq!(link.next().await, ack(8));
    process.stop().await;

    let process = Process::start(&scene.folder, peer.address()).await;
    process.becomes_ready().await;
    is_fetched(&process, 8, &scene.signer).await;
    // And nobody is asked for anything.
    let (mut link, hello) = peer.greet(vec![listed(&next)], SLOW).await;
    assert_eq!(hello.holds, Holds::Listed(vec![held_at(&next)]));
    let last = version(9, true);
    link.push_bytes(&scene.signer.push(&delta(&next, &last), &last, NOW_MS))
        .await;
    assert_eq!(link.next().await, ack(9));
    process.stop().await;
}
