//! Two hundred edges that come back at once.

use std::net::{SocketAddr, UdpSocket};

use futures_util::future::join_all;
use harness::{App, eventually};
use protocol::wire::message::{Epoch, Held, Push};
use serde_json::json;
use tokio_util::task::TaskTracker;

use super::counted::counted;
use super::peer::{Identity, Peer, hello, holding};

const EDGES: usize = 200;

/// A replica that has compiled nothing yet.
async fn fresh_replica(app: &App) -> SocketAddr {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    app.another_publisher()
        .serve_edges(socket, &app.publish, &app.stop, &TaskTracker::new())
        .await
        .unwrap()
}

/// All of them at once; each does something once it is greeted. Whoever is turned away, since too many come, tries again.
async fn return_at_once(
    identity: &Identity,
    to: SocketAddr,
    epoch: Epoch,
    holds: &[Held],
    then: impl AsyncFn(Peer),
) {
    let joining = (0..EDGES).map(async |_| {
        let connection = eventually("the handshake succeeds", async || {
            identity.connect(to).await.ok()
        });
        then(Peer::greet(connection.await, holding(epoch, holds.to_vec())).await).await;
    });
    join_all(joining).await;
}

#[tokio::test]
async fn two_hundred_edges_that_come_back_cost_no_compile_and_no_contents() {
    let wholes = || counted("halyard_compile_seconds_count{kind=\"whole\"}");
    let pushed = || counted("halyard_pushed_bytes_total");
    let (app, owner) = App::with_owner_and(&[("SNAPSHOT_WAIT", "30s")]).await;
    let project = owner.default_project().await;
    let identity = Identity::enroll(&app, "edge-1", None).await;
    let mut first = identity.join(app.serve_edges().await, hello()).await;
    let epoch = first.welcome.epoch;
    let holds = first.take_wholes(3).await;
    drop(first);

    let replica = fresh_replica(&app).await;
    let (compiled, sent) = (wholes(), pushed());
    return_at_once(&identity, replica, epoch, &holds, async |mut edge| {
        assert_eq!(edge.listed.len(), 3);
        edge.expect_no_push().await;
    })
    .await;
    assert_eq!(wholes() - compiled, 0.0, "the digests are stored");
    assert_eq!(pushed() - sent, 0.0, "bytes of contents");

    // One change behind: a delta for each environment, small, and made once for all.
    let flags = format!("/v1/projects/{}/flags", project.id);
    let flag = json!({"key": "a", "name": "A", "flag_type": "boolean"});
    // Answered when the built-in edge has it, which costs compiling too.
    owner.create(&flags, flag).await;
    let replica = fresh_replica(&app).await;
    let deltas = || counted("halyard_compile_seconds_count{kind=\"delta\"}");
    let (compiled, made, sent) = (wholes(), deltas(), pushed());
    return_at_once(&identity, replica, epoch, &holds, async |edge| {
        for _ in 0..3 {
            let push = edge.receive().await;
            assert!(matches!(push, Push::Delta(_)), "{push:?}");
        }
    })
    .await;
    assert_eq!(wholes() - compiled, 3.0, "one for each environment");
    assert_eq!(deltas() - made, 3.0);
    let each = (pushed() - sent) / 200.0;
    assert!(each < 1_024.0, "{each} bytes for each edge");
}
