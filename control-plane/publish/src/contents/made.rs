//! Sizes of the latest deltas.

use std::collections::VecDeque;

use fanout::Frame;
use parking_lot::Mutex;
use protocol::snapshot::Version;

use base::ids::EnvId;

const MOST: usize = 2_048;

/// The latest deltas, which go to the edges that hold the version before.
#[derive(Debug, Default)]
pub(crate) struct Made(Mutex<VecDeque<Delta>>);

#[derive(Clone, Copy, Debug)]
struct Delta {
    env_id: EnvId,
    version: Version,
    bytes: usize,
    is_urgent: bool,
}

impl Made {
    pub(super) fn note(&self, env_id: EnvId, frame: &Frame) {
        let mut made = self.0.lock();
        if made.len() == MOST {
            made.pop_front();
        }
        made.push_back(Delta {
            env_id,
            version: frame.version,
            bytes: frame.bytes.len(),
            is_urgent: frame.urgent,
        });
    }

    /// The bytes of the first delta that leads to a version, and whether it only switches flags off.
    pub(crate) fn find(&self, env_id: EnvId, version: Version) -> Option<(usize, bool)> {
        let made = self.0.lock();
        let mut own = made.iter().filter(|delta| delta.env_id == env_id);
        own.find(|delta| delta.version == version)
            .map(|delta| (delta.bytes, delta.is_urgent))
    }
}
