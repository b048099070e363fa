//! Many changes of one environment as few.

use protocol::{
    ids::EnvId,
    wire::{
        frame,
        merge::{decode, merge},
        signed,
    },
};

use super::Change;

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
    // That of what all of them lead to.
    let signature = signed::signature(frames.last()?).ok()?;
    let pushes = frames.into_iter().map(|frame| decode(env_id, frame));
    let frame = frame::encode(&merge(pushes).ok()?).ok()?;
    let frame = signed::with(frame, signature.as_ref()).into();
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
