//! Many frames of one environment as one.

use super::{
    frame::{self, FrameHeader, PUSH_LIMIT},
    message::Push,
    signed,
};
use crate::{ids::EnvId, snapshot::Delta};

/// Why frames that were kept cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("damaged: {0}")]
pub struct Damaged(pub &'static str);

const OUT_OF_ORDER: Damaged = Damaged("frames out of order");

const DAMAGED: Damaged = Damaged("a frame");

/// The message of a frame, with or without a signature behind it.
///
/// # Errors
/// When it is not a frame, or there is something else too.
pub fn read(frame: &[u8]) -> Result<Push, Damaged> {
    let frame = &frame[..signed::frame_length(frame)?];
    let (header, payload) = frame.split_first_chunk().ok_or(DAMAGED)?;
    let header = FrameHeader::parse(*header, PUSH_LIMIT).map_err(|_| DAMAGED)?;
    frame::decode(header, payload).map_err(|_| DAMAGED)
}

/// The message of a frame of an environment.
///
/// # Errors
/// When it is not a frame, or that of another environment.
pub fn decode(env_id: EnvId, frame: &[u8]) -> Result<Push, Damaged> {
    Some(read(frame)?)
        .filter(|push| push.env_id() == env_id)
        .ok_or(DAMAGED)
}

/// The push that has the effect of all: a snapshot if they begin with one, else a delta.
///
/// Deltas become one before it is applied: each that is applied has all of the snapshot hashed.
///
/// # Errors
/// When one of them is damaged, or they do not follow each other.
pub fn merge(mut pushes: impl Iterator<Item = Result<Push, Damaged>>) -> Result<Push, Damaged> {
    let first = pushes.next().ok_or(Damaged("no frame"))??;
    let Some(second) = pushes.next() else {
        return Ok(first);
    };
    let delta = pushes.try_fold(delta(second?)?, |merged, push| {
        follow(merged, delta(push?)?)
    })?;
    match first {
        Push::Snapshot(mut snapshot, _) => {
            let digest = delta.digest;
            let applied = snapshot.apply(delta);
            applied.map_err(|_| Damaged("a delta does not apply"))?;
            Ok(Push::Snapshot(snapshot, digest))
        }
        Push::Delta(first) => Ok(Push::Delta(follow(first, delta)?)),
        Push::Removed { .. } => Err(OUT_OF_ORDER),
    }
}

/// Only the first may be a snapshot.
fn delta(push: Push) -> Result<Delta, Damaged> {
    match push {
        Push::Delta(delta) => Ok(delta),
        Push::Snapshot(..) | Push::Removed { .. } => Err(OUT_OF_ORDER),
    }
}

fn follow(delta: Delta, next: Delta) -> Result<Delta, Damaged> {
    if delta.head.version == next.base {
        Ok(delta.followed_by(next))
    } else {
        Err(OUT_OF_ORDER)
    }
}
