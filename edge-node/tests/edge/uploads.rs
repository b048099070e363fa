//! Batches of usage on their way over the link.

use std::time::Duration;

use protocol::{
    digest,
    wire::{
        message::{ALPN, ControlMessage, Listed},
        usage::Upload,
        v3,
    },
};
use tempfile::TempDir;

use crate::{
    peer::{Authority, Link, Peer, Process, read},
    support::*,
};

/// The next upload that has evaluations; those before it are stored as well.
async fn evaluations(link: &mut Link) -> Upload {
    loop {
        let mut stream = link.connection.accept_uni().await.unwrap();
        let upload: Upload = read(&mut stream).await;
        let (_, batch) = upload.clone().into_batch();
        let (boot, sequence) = (batch.boot, batch.sequence);
        let stored = ControlMessage::UsageStored { boot, sequence };
        link.send(&stored).await;
        if !batch.evaluations.is_empty() {
            return upload;
        }
    }
}

#[tokio::test]
async fn a_control_plane_of_version_3_is_told_of_no_values() {
    for (version, is_told) in [(ALPN, true), (v3::ALPN, false)] {
        let authority = Authority::new();
        let folder = TempDir::new().unwrap();
        authority.enroll(folder.path());
        let peer = Peer::speaking(version, &authority, &authority);
        let edge = Process::start(&folder, peer.address()).await;
        let snapshot = snapshot(9, 1, vec![toggle(1, "on", true)]);
        let listed = Listed {
            env_id: snapshot.head.env_id,
            version: snapshot.head.version,
            digest: Some(digest::of(&snapshot)),
        };
        let (mut link, _) = peer.greet(vec![listed], Duration::from_secs(60)).await;
        link.push(&whole(&snapshot)).await;
        edge.becomes_ready().await;
        assert!(edge.ask(KEY, "on").await.contains("FALLTHROUGH"));

        let upload = evaluations(&mut link).await;
        assert_eq!(matches!(upload, Upload::Served(_)), is_told);
        assert_eq!(matches!(upload, Upload::Usage(_)), !is_told);
        let (_, batch) = upload.into_batch();
        let [counted] = &batch.evaluations[..] else {
            panic!("{batch:?}")
        };
        let value = if is_told { "true" } else { "" };
        assert_eq!((counted.flag_key.as_str(), counted.count), ("on", 1));
        assert_eq!(counted.value, value);
        edge.stop().await;
    }
}
