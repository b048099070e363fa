//! What is kept of one environment.

use fanout::Frame;
use protocol::snapshot::Version;

use super::{computed::Era, frame::Whole, tracked::Tracked};
use crate::signing::Signer;

#[derive(Debug, Default)]
pub(super) struct Environment {
    /// The era in which it was read.
    pub(super) era: Era,
    /// Who signed the messages.
    pub(super) signer: Option<Signer>,
    pub(super) tracked: Option<Tracked>,
    /// Deltas that lead to the tracked version, keyed by the version they start from.
    pub(super) deltas: Vec<(Version, Frame)>,
    pub(super) whole: Option<Whole>,
}

impl Environment {
    /// Drops what was read in another era, and messages that another key signed.
    pub(super) fn enter(&mut self, era: Era, signer: Option<Signer>) {
        if self.era != era {
            *self = Self {
                era,
                ..Self::default()
            };
        }
        let id = |signer: &Option<Signer>| signer.as_ref().map(|signer| signer.id);
        if id(&self.signer) != id(&signer) {
            self.deltas.clear();
            self.whole = None;
        }
        self.signer = signer;
    }

    pub(super) fn version(&self) -> Option<Version> {
        self.tracked.as_ref().map(Tracked::version)
    }

    pub(super) fn delta(&self, base: Version) -> Option<Frame> {
        self.deltas
            .iter()
            .find(|(from, _)| *from == base)
            .map(|(_, frame)| frame.clone())
    }
}
