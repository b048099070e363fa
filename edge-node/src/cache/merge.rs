//! Many frames of one environment as one.

use protocol::{
    ids::EnvId,
    snapshot::Delta,
    wire::{frame, message::Push},
};

use super::{CacheError, Change, header::decode};

const OUT_OF_ORDER: CacheError = CacheError::Damaged("frames out of order");

/// The push that has the effect of all: a snapshot if they begin with one, else a delta.
///
/// Deltas become one before it is applied: each that is applied has all of the snapshot hashed.
pub(crate) fn merge(
    mut pushes: impl Iterator<Item = Result<Push, CacheError>>,
) -> Result<Push, CacheError> {
    let first = pushes.next().ok_or(CacheError::Damaged("no frame"))??;
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
            applied.map_err(|_| CacheError::Damaged("a delta does not apply"))?;
            Ok(Push::Snapshot(snapshot, digest))
        }
        Push::Delta(first) => Ok(Push::Delta(follow(first, delta)?)),
        Push::Removed { .. } => Err(OUT_OF_ORDER),
    }
}

/// What comes after the first is a delta.
fn delta(push: Push) -> Result<Delta, CacheError> {
    match push {
        Push::Delta(delta) => Ok(delta),
        Push::Snapshot(..) | Push::Removed { .. } => Err(OUT_OF_ORDER),
    }
}

fn follow(delta: Delta, next: Delta) -> Result<Delta, CacheError> {
    if delta.head.version == next.base {
        Ok(delta.followed_by(next))
    } else {
        Err(OUT_OF_ORDER)
    }
}

/// The same changes in at most two. What cannot be merged stays as it is.
pub(crate) fn coalesce(env_id: EnvId, changes: Vec<Change>) -> Vec<Change> {
    merged(env_id, &changes).unwrap_or(changes)
}

fn merged(env_id: EnvId, changes: &[Change]) -> Option<Vec<Change>> {
    let mut frames = Vec::new();
    let mut epoch = None;
    let mut first_base = None;
    let mut newest = None;
    for change in changes {
        match change {
            Change::Whole {
                epoch: of,
                version,
                frame,
            } => {
                epoch = Some(*of);
                newest = Some(*version);
                frames.push(frame);
            }
            Change::Delta {
                base,
                version,
                frame,
            } => {
                if frames.is_empty() {
                    first_base = Some(*base);
                }
                newest = Some(*version);
                frames.push(frame);
            }
            Change::Adopted { epoch: of } => epoch = Some(*of),
            Change::Removed => return None,
        }
    }
    let adopted = epoch.map(|epoch| Change::Adopted { epoch });
    let Some(version) = newest else {
        return Some(adopted.into_iter().collect());
    };
    let pushes = frames.into_iter().map(|frame| decode(env_id, frame));
    let frame = frame::encode(&merge(pushes).ok()?).ok()?.into();
    Some(match (first_base, epoch) {
        (Some(base), _) => {
            let delta = Change::Delta {
                base,
                version,
                frame,
            };
            [delta].into_iter().chain(adopted).collect()
        }
        (None, Some(epoch)) => vec![Change::Whole {
            epoch,
            version,
            frame,
        }],
        (None, None) => return None,
    })
}
