//! Who is not let in, and what cannot be said: every refusal has its code, and changes nothing for the others.

use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;

use base::refusal::Refusal;
use harness::{App, eventually};
use protocol::wire::frame;
use protocol::wire::message::{EdgeMessage, Hello};
use protocol::wire::usage::{KeyUse, Upload, UsageBatch};
use publish::{
    edges::{self, EnrollError, Enrolment, model::DEFAULT_LIFE},
    tls::Authority,
};
use quinn::{Connection, WriteError};
use tokio::time::sleep;

use super::peer::{Identity, Peer, closed, hello};

/// Sends bytes as an edge's first ones; tells how the connection was closed.
async fn say(identity: &Identity, to: SocketAddr, bytes: &[u8]) -> (u64, String) {
    let connection = identity.connect(to).await.unwrap();
    let (mut sending, _receiving) = connection.open_bi().await.unwrap();
    sending.write_all(bytes).await.unwrap();
    closed(&connection).await
}

/// Others go on as before.
async fn serves(app: &App, to: SocketAddr, name: &str) {
    let edge = Peer::enroll(app, name, to, hello()).await;
    assert_eq!(edge.welcome.name, name);
}

#[tokio::test]
async fn a_certificate_of_another_authority_is_refused_in_the_handshake() {
    let (app, other) = (App::start().await, App::start().await);
    let address = app.serve_edges().await;
    let ours = Identity::enroll(&app, "edge-1", None).await;
    let foreign = Identity::enroll(&other, "edge-1", None).await;
    // It trusts our side, or it would leave first.
    std::fs::copy(
        ours.folder().join("ca.pem"),
        foreign.folder().join("ca.pem"),
    )
    .unwrap();

    let connection = foreign.connect(address).await.unwrap();
    let (code, by) = closed(&connection).await;
    assert!(
        (0x100..0x200).contains(&code) && by == "transport",
        "{code:#x} {by}"
    );
    serves(&app, address, "edge-2").await;
}

#[tokio::test]
async fn a_certificate_that_is_not_in_the_list_is_refused() {
    let app = App::start().await;
    let address = app.serve_edges().await;
    let identity = Identity::enroll(&app, "edge-1", None).await;
    app.execute("DELETE FROM edge_certificates", &[]).await;
    let connection = identity.connect(address).await.unwrap();
    assert_eq!(
        closed(&connection).await,
        (1, "unknown certificate".to_owned())
    );
}

#[tokio::test]
async fn a_revoked_edge_is_cut_off_within_three_seconds_and_not_let_in_again() {
    let app = App::start().await;
    let address = app.serve_edges().await;
    let identity = Identity::enroll(&app, "edge-1", None).await;
    let edge = identity.join(address, hello()).await;
    assert!(
        edges::revoke(app.db(), "edge-1", app.clock.now())
            .await
            .unwrap()
    );
    assert!(
        !edges::revoke(app.db(), "edge-1", app.clock.now())
            .await
            .unwrap()
    );

    let revoked = (2, "revoked certificate".to_owned());
    let cut_off = tokio::time::timeout(Duration::from_secs(3), edge.closed());
    assert_eq!(cut_off.await.expect("within three seconds"), revoked);
    let connection = identity.connect(address).await.unwrap();
    assert_eq!(closed(&connection).await, revoked);
    serves(&app, address, "edge-1").await;
}

#[tokio::test]
async fn an_expired_edge_is_cut_off_and_refused_in_the_handshake() {
    let app = App::start().await;
    let address = app.serve_edges().await;
    let identity = Identity::enroll(&app, "edge-1", None).await;
    let edge = identity.join(address, hello()).await;
    app.clock.advance(Duration::from_secs(3 * 365 * 24 * 3_600));
    assert_eq!(edge.closed().await, (3, "expired certificate".to_owned()));

    // By then the server's own certificate was made anew.
    let address = app.serve_edges().await;
    let connection = identity.connect(address).await.unwrap();
    let (code, _) = closed(&connection).await;
    assert!((0x100..0x200).contains(&code), "{code:#x}");
}

#[tokio::test]
async fn a_region_outside_the_certificate_is_refused() {
    let app = App::start().await;
    let address = app.serve_edges().await;
    let identity = Identity::enroll(&app, "edge-1", Some("eu")).await;
    let asked = Hello {
        region: Some("us".to_owned()),
        ..hello()
    };
    let bytes = frame::encode(&EdgeMessage::Hello(asked)).unwrap();
    let refused = say(&identity, address, &bytes).await;
    assert_eq!(
        refused,
        (
            5,
            "region outside the certificate's or the relay's".to_owned()
        )
    );
}

#[tokio::test]
async fn whoever_does_not_greet_properly_is_disconnected() {
    let app = App::start().await;
    let address = app.serve_edges().await;
    let identity = Identity::enroll(&app, "edge-1", None).await;
    let violation = (4, "protocol violation".to_owned());

    let too_long = [0xff, 0xff, 0xff, 0xff, 0];
    let unknown_flags = [1, 0, 0, 0, 0xfe, 0];
    let no_message = [4, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff];
    // A list of environments that claims to have 2^60 elements.
    let mut hostile = vec![0, 0, 0, 0];
    hostile.extend(4_u64.to_le_bytes());
    hostile.extend(b"test");
    hostile.extend([0, 0]);
    hostile.extend(0_u64.to_le_bytes());
    hostile.extend(0_u32.to_le_bytes());
    hostile.extend((1_u64 << 60).to_le_bytes());
    let mut frame = u32::try_from(hostile.len()).unwrap().to_le_bytes().to_vec();
    frame.push(0);
    frame.extend(hostile);
    for bytes in [&too_long[..], &unknown_flags, &no_message, &frame] {
        assert_eq!(say(&identity, address, bytes).await, violation, "{bytes:?}");
    }
    let ungreeted = frame::encode(&EdgeMessage::Flushed { request: 1 }).unwrap();
    assert_eq!(say(&identity, address, &ungreeted).await, violation);

    // Relays tell of their edges, and what they say has bounds too.
    let long = || "x".repeat(256);
    let wordy = Hello {
        build: long(),
        ..hello()
    };
    let nowhere = Hello {
        region: Some(long()),
        ..hello()
    };
    for hello in [wordy, nowhere] {
        let bytes = frame::encode(&EdgeMessage::Hello(hello)).unwrap();
        assert_eq!(say(&identity, address, &bytes).await, violation);
    }

    let mut twice = identity.join(address, hello()).await;
    twice.say(EdgeMessage::Hello(hello())).await;
    assert_eq!(twice.closed().await, violation);
    serves(&app, address, "edge-2").await;
}

/// Keeps the line moving, and takes for ever to greet.
async fn drip(connection: &Connection) -> Result<(), WriteError> {
    let (mut sending, _receiving) = connection.open_bi().await?;
    // A greeting of 1 MiB.
    sending.write_all(&[0, 0, 0x10, 0, 0]).await?;
    loop {
        sending.write_all(&[0]).await?;
        sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test]
async fn whoever_greets_one_byte_after_the_other_keeps_nobody_out() {
    let app = App::start().await;
    let address = app.serve_edges().await;
    let identity = Identity::enroll(&app, "edge-1", None).await;
    let mut slow = Vec::new();
    // As many as one address may have, which is fewer than this.
    for _ in 0..100 {
        slow.extend(identity.connect(address).await.ok());
    }
    let dripping = slow.iter().map(async |connection| {
        let _ended = drip(connection).await;
        closed(connection).await
    });
    let dripping = futures_util::future::join_all(dripping);
    let newcomer = eventually("a place is free", async || {
        identity.connect(address).await.ok()
    });
    let (ended, newcomer) = tokio::join!(dripping, newcomer);
    assert!(!ended.is_empty() && ended.len() < 100, "{}", ended.len());
    let violation = (4, "protocol violation".to_owned());
    assert!(ended.iter().all(|end| *end == violation), "{ended:?}");
    Peer::greet(newcomer, hello()).await;
}

#[tokio::test]
async fn an_upload_beyond_its_bounds_ends_the_link() {
    let app = App::start().await;
    let address = app.serve_edges().await;
    let identity = Identity::enroll(&app, "edge-1", None).await;
    let use_of = |number: u32| KeyUse {
        hash: [0; 32],
        at_ms: number.into(),
    };
    let batch = |entries| {
        let batch = UsageBatch {
            boot: [1; 16],
            sequence: 1,
            evaluations: Vec::new(),
            impressions: Vec::new(),
            keys_used: (0..entries).map(use_of).collect(),
        };
        frame::encode(&Upload::Served(batch)).unwrap()
    };
    // One byte more than 1 MiB.
    let too_long = [0x01, 0x00, 0x10, 0x00, 0];
    for bytes in [
        &batch(10_001)[..],
        &batch(100_000),
        &too_long,
        b"\x04\0\0\0\0nope",
    ] {
        let edge = identity.join(address, hello()).await;
        edge.upload(bytes).await;
        assert_eq!(edge.closed().await, (4, "protocol violation".to_owned()));
    }
    let mut edge = identity.join(address, hello()).await;
    edge.upload(&batch(10_000)).await;
    edge.expect_no_push().await;
}

#[tokio::test]
async fn an_edge_that_speaks_no_version_of_ours_is_refused_in_the_handshake() {
    let app = App::start().await;
    let address = app.serve_edges().await;
    let identity = Identity::enroll(&app, "edge-1", None).await;
    for other in ["halyard/0", "halyard/3"] {
        let refused = identity.connect_as(other.as_bytes(), address).await;
        let refused = refused.unwrap_err().to_string();
        let alert = "the cryptographic handshake failed: error 120: peer doesn't support any known protocol";
        assert_eq!(refused, format!("aborted by peer: {alert}"));
    }
    serves(&app, address, "edge-2").await;
}

#[tokio::test]
async fn garbage_datagrams_are_dropped() {
    let app = App::start().await;
    let address = app.serve_edges().await;
    let mut edge = Peer::enroll(&app, "edge-1", address, hello()).await;
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    for first in 0..=255 {
        for length in [1, 30, 1_200] {
            let mut packet = vec![first; length];
            packet
                .iter_mut()
                .zip((0..=255_u8).cycle())
                .for_each(|(byte, index)| *byte ^= index);
            socket.send_to(&packet, address).unwrap();
        }
    }
    edge.expect_no_push().await;
    serves(&app, address, "edge-2").await;
}

#[tokio::test]
async fn many_connections_at_once_are_all_served() {
    let app = App::start().await;
    let address = app.serve_edges().await;
    let identity = Identity::enroll(&app, "edge-1", None).await;
    let joins = (0..100).map(async |_| {
        // Whoever comes while too many are at it is turned away, and comes again.
        eventually("the handshake succeeds", async || {
            identity.connect(address).await.ok()
        })
        .await;
    });
    futures_util::future::join_all(joins).await;
    serves(&app, address, "edge-2").await;
}

#[tokio::test]
async fn a_name_is_enrolled_once_and_its_key_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;

    let app = App::start().await;
    let identity = Identity::enroll(&app, "edge-1", None).await;
    let mode = identity
        .folder()
        .join("edge.key")
        .metadata()
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);

    let authority = Authority::load(app.db(), &app.publish, app.clock.now())
        .await
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let now = app.clock.now();
    let named = |name| Enrolment {
        name,
        region: None,
        life: DEFAULT_LIFE,
        is_relay: false,
    };
    let taken = edges::enroll(app.db(), &authority, named("edge-1"), folder.path(), now).await;
    assert!(matches!(
        taken,
        Err(EnrollError::Insert(Refusal::Conflict(_)))
    ));
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);

    let unwritable = edges::enroll(
        app.db(),
        &authority,
        named("edge-2"),
        identity.folder(),
        now,
    )
    .await;
    assert!(
        matches!(unwritable, Err(EnrollError::File { .. })),
        "files are never overwritten"
    );
    assert_eq!(
        edges::store::list(&mut app.pool().acquire().await.unwrap())
            .await
            .unwrap()
            .len(),
        1
    );
}

#[tokio::test]
async fn the_authority_is_made_once_and_opens_under_its_secret_alone() {
    let app = App::start().await;
    let now = app.clock.now();
    let load = async || {
        Authority::load(app.db(), &app.publish, now)
            .await
            .unwrap()
            .certificate_pem()
            .to_owned()
    };
    let (first, second) = tokio::join!(load(), load());
    assert_eq!(first, second);

    let mut settings = app.publish.clone();
    settings.app_secret = "another secret of at least 32 bytes".into();
    let refused = Authority::load(app.db(), &settings, now).await;
    assert!(refused.is_err());

    // An own one, from a folder: here the same certificate without a key of ours.
    let folder = tempfile::tempdir().unwrap();
    settings.ca_dir = Some(folder.path().to_owned());
    let missing = Authority::load(app.db(), &settings, now)
        .await
        .err()
        .unwrap()
        .to_string();
    assert_eq!(missing, "cannot read ca.pem in CONTROL_CA_DIR");
}
