//! How often an edge comes back to a control plane that does not keep it.

use std::time::Duration;

use protocol::wire::message::ControlMessage;
use quinn::VarInt;
use tempfile::TempDir;
use tokio::time::{Instant, timeout_at};

use crate::peer::{Link, Peer, Process, SLOW, cut, enrolled};

/// Fifty times the average pause after a first failure.
const WATCHED: Duration = Duration::from_secs(5);

/// The links made until the time is over, each of which is ended at once.
async fn links(peer: &Peer, process: &Process, end: impl AsyncFn(&mut Link)) -> usize {
    let until = Instant::now() + WATCHED;
    let mut links = 0;
    let next = async || {
        let (mut link, _) = peer.greet(Vec::new(), SLOW).await;
        // Ended before that, it would not have been a link.
        process.is_greeted().await;
        end(&mut link).await;
        link.connection.closed().await;
    };
    while timeout_at(until, next()).await.is_ok() {
        links += 1;
    }
    links
}

async fn start() -> (Peer, TempDir, Process) {
    let (peer, folder) = enrolled();
    let process = Process::start(&folder, peer.address()).await;
    (peer, folder, process)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_control_plane_that_accepts_and_drops_at_once_is_asked_less_and_less() {
    let (peer, _folder, process) = start().await;
    let links = links(&peer, &process, async |link| cut(link)).await;
    assert!((2..=12).contains(&links), "{links} links");
    process.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edge_that_is_wanted_again_comes_back_at_once_but_not_over_and_over() {
    let (peer, _folder, process) = start().await;
    let begun = Instant::now();
    for _ in 0..3 {
        let (link, _) = peer.greet(Vec::new(), SLOW).await;
        process.is_greeted().await;
        link.connection.close(VarInt::from_u32(6), b"greet again");
        link.connection.closed().await;
    }
    let (mut link, _) = peer.greet(Vec::new(), SLOW).await;
    assert!(
        begun.elapsed() < Duration::from_secs(3),
        "{:?}",
        begun.elapsed()
    );
    link.send(&ControlMessage::Drain { retry_after_ms: 0 })
        .await;
    link.connection.closed().await;

    let links = links(&peer, &process, async |link| {
        link.send(&ControlMessage::Drain { retry_after_ms: 0 })
            .await;
    })
    .await;
    assert!(links <= 12, "{links} links");
    process.stop().await;
}
