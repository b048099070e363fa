//! A relay between the other end of the link and an edge.

use std::{net::SocketAddr, time::Duration};

use protocol::{
    snapshot::Snapshot,
    wire::{
        message::{ControlMessage, EdgeMessage},
        relay::{RelayMessage, SERVER_NAME, ToRelay},
    },
};
use rcgen::{CertificateParams, ExtendedKeyUsagePurpose};
use tempfile::TempDir;

use crate::{
    peer::{Authority, LOOKED, Link, Peer, Process},
    support::listed,
};

/// A relay that was greeted, and the folder of an edge that may connect to it.
pub(crate) struct Relayed {
    pub(crate) relay: Process,
    pub(crate) address: SocketAddr,
    pub(crate) link: Link,
    pub(crate) below: TempDir,
    _folder: TempDir,
}

impl Relayed {
    /// One to which an environment belongs, which it does not have yet.
    pub(crate) async fn start(
        authority: &Authority,
        peer: &Peer,
        contents: &Snapshot,
        heartbeat: Duration,
    ) -> Self {
        let (folder, below) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let names = ["edge-1", SERVER_NAME].map(str::to_owned);
        let mut params = CertificateParams::new(names).unwrap();
        params.extended_key_usages = vec![
            ExtendedKeyUsagePurpose::ClientAuth,
            ExtendedKeyUsagePurpose::ServerAuth,
        ];
        authority.enroll_as(folder.path(), &params);
        authority.enroll(below.path());
        let (relay, address) = Process::start_relay(&folder, peer.address()).await;
        let (mut link, _) = peer.greet(vec![listed(contents)], heartbeat).await;
        for told in [
            ToRelay::Serves {
                region: None,
                patience_ms: 400,
            },
            ToRelay::Region {
                region: "eu".to_owned(),
                environments: vec![contents.head.env_id],
            },
        ] {
            link.send(&ControlMessage::Relay(told)).await;
        }
        Self {
            relay,
            address,
            link,
            below,
            _folder: folder,
        }
    }
}

/// Answers a relay's questions about the edges below it.
pub(crate) async fn answer(link: &mut Link) {
    let EdgeMessage::Relay(question) = link.next().await else {
        return;
    };
    let answer = match question {
        RelayMessage::Admit { request, .. } => ToRelay::Admitted {
            request,
            name: "edge-2".to_owned(),
            region: None,
            is_relay: false,
        },
        RelayMessage::CatchUp { request } => ToRelay::CaughtUp {
            request,
            looked: LOOKED,
        },
        _ => return,
    };
    link.send(&ControlMessage::Relay(answer)).await;
}
