//! Messages with contents, encoded once for all edges.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use bytes::Bytes;
use fanout::Frame;
use protocol::{
    snapshot::Version,
    wire::{frame, message::Push, signed},
};
use tokio::time::Instant;

use super::tracked::Tracked;
use crate::{
    compile::{self, load::Rows},
    signing::Signer,
};
use base::ids::EnvId;

/// A whole environment kept for other edges; subtracts itself from the total when dropped.
#[derive(Debug)]
pub(super) struct Whole {
    pub(super) frame: Frame,
    pub(super) used: Instant,
    total: Arc<AtomicUsize>,
}

impl Whole {
    /// Adds its size to the total.
    pub(super) fn new(frame: Frame, total: &Arc<AtomicUsize>) -> Self {
        total.fetch_add(frame.bytes.len(), Ordering::Relaxed);
        Self {
            frame,
            used: Instant::now(),
            total: Arc::clone(total),
        }
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        self.total
            .fetch_sub(self.frame.bytes.len(), Ordering::Relaxed);
    }
}

/// Makes the message for edges that hold nothing.
pub(super) fn whole(
    env_id: EnvId,
    rows: Rows,
    signer: Option<&Signer>,
) -> Result<(Tracked, Frame), frame::TooLarge> {
    let snapshot = compile::snapshot(env_id, rows);
    let tracked = Tracked::of(&snapshot);
    let version = snapshot.head.version;
    let bytes = frame::encode(&Push::Snapshot(snapshot, tracked.digest()))?;
    let bytes = sign(env_id, bytes, &tracked, signer);
    Ok((
        tracked,
        Frame {
            version,
            bytes,
            urgent: false,
        },
    ))
}

/// Makes the message for edges that hold `base`, and applies it to the tracked state.
pub(super) fn delta(
    env_id: EnvId,
    base: Version,
    rows: Rows,
    mut tracked: Tracked,
    signer: Option<&Signer>,
) -> (Tracked, Result<Frame, frame::TooLarge>) {
    let changes = compile::changes(env_id, rows);
    tracked.apply(&changes);
    let (version, urgent) = (changes.head.version, changes.only_switches_off());
    let encoded = frame::encode(&Push::Delta(changes.into_delta(base, tracked.digest())));
    let frame = encoded.map(|bytes| Frame {
        version,
        bytes: sign(env_id, bytes, &tracked, signer),
        urgent,
    });
    (tracked, frame)
}

/// Puts the signature of what is tracked behind a frame that leads there.
fn sign(env_id: EnvId, frame: Vec<u8>, tracked: &Tracked, signer: Option<&Signer>) -> Bytes {
    let signature = signer.map(|signer| signer.sign(&tracked.contents(env_id)));
    signed::with(frame, signature.as_ref()).into()
}
