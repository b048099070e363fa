//! Edges below a relay, which hands on what it was given.

use std::time::Duration;

use data_encoding::BASE64;
use edge_node::config::Signatures;
use protocol::{
    timestamp::{self, Proof, Register},
    wire::{codec, message::ControlMessage, signed},
};
use tokio::time::{sleep, timeout};

use super::{Changes, fetch, is_fetched, version};
use crate::{
    authority::{Authority, Signer},
    peer::{Link, NOW_MS, Peer, Process},
    relays::{Relayed, answer},
    support::*,
};

/// Long enough for the other end to be silent while an edge starts.
const HEARTBEAT: Duration = Duration::from_secs(3);

/// Waits until an edge serves a version, while the other end of its relay's link talks.
pub(super) async fn serves(leaf: &Process, version: u64, link: &mut Link) {
    let expected = format!("x-snapshot-version: {version}");
    let served = async {
        while !leaf.ask(KEY, "a").await.contains(&expected) {
            sleep(Duration::from_millis(20)).await;
        }
    };
    let talking = async {
        loop {
            answer(link).await;
        }
    };
    tokio::select! {
        () = served => {}
        () = talking => {}
        () = sleep(PATIENCE) => panic!("never {expected}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn signatures_reach_edges_below_a_relay_and_their_sdks() {
    let authority = Authority::new();
    let signer = Signer::new(&authority, 1);
    let peer = Peer::signing(&authority, &[&signer]);
    let (held, next) = (version(7, true), version(8, false));
    let mut above = Relayed::start(&authority, &peer, &held, HEARTBEAT).await;
    let whole = signer.push(&whole(&held), &held, NOW_MS);
    above.link.push_bytes(&whole).await;
    let leaf = Process::start_taking(&above.below, above.address, Signatures::Required).await;
    serves(&leaf, 7, &mut above.link).await;
    is_fetched(&leaf, 7, &signer).await;
    let delta = signer.push(&delta(&held, &next), &next, NOW_MS);
    above.link.push_bytes(&delta).await;
    serves(&leaf, 8, &mut above.link).await;
    is_fetched(&leaf, 8, &signer).await;
    is_fetched(&above.relay, 8, &signer).await;

    let mut changes = Changes::open(&leaf).await;
    let leaves = vec![timestamp::leaf(env_id(9), 8)];
    let register = Register::sign(&signer.key, leaves, NOW_MS);
    let stamped = register.stamped().clone();
    above.link.send(&ControlMessage::Timestamp(stamped)).await;
    let told = BASE64.decode(changes.data().await.as_bytes()).unwrap();
    let proof: Proof = codec::decode(&told).unwrap();
    let keys = [signer.public_key()];
    assert_eq!(proof.verify(env_id(9), 8, &keys), Ok(NOW_MS));
    leaf.stop().await;
    above.relay.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_whose_control_plane_does_not_sign_names_no_signers() {
    let authority = Authority::new();
    let peer = Peer::new(&authority, &authority);
    let held = version(7, true);
    let mut above = Relayed::start(&authority, &peer, &held, HEARTBEAT).await;
    above.link.push(&whole(&held)).await;
    let leaf = Process::start(&above.below, above.address).await;
    serves(&leaf, 7, &mut above.link).await;
    assert_eq!(signed::signature(&fetch(&leaf).await), Ok(None));
    leaf.stop().await;

    // What it holds from then is all that it serves.
    let leaf = Process::start_taking(&above.below, above.address, Signatures::Required).await;
    leaf.becomes_ready().await;
    let next = version(8, false);
    above.link.push(&delta(&held, &next)).await;
    let served = serves(&leaf, 8, &mut above.link);
    let served = timeout(Duration::from_secs(2), served).await;
    assert!(served.is_err(), "it was taken");
    leaf.stop().await;
    above.relay.stop().await;
}
