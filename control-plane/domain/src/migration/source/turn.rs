//! Turns at reading what takes much memory. Little is read at once, by some; much by one import of the process at a time.

use std::time::Duration;

use tokio::{
    sync::OnceCell,
    time::{Instant, timeout_at},
};

use super::SourceError;
use base::{
    ids::OrgId,
    limits::{Limiter, Permit},
};

/// Bytes of an answer, and of what the answers of an import become in memory, that need no turn.
pub(super) const LITTLE: (usize, usize) = (2 * 1024 * 1024, 8 * 1024 * 1024);
/// The same in a turn.
pub(super) const MUCH: (usize, usize) = (64 * 1024 * 1024, 256 * 1024 * 1024);

/// The turn of an import, from when it needs it.
pub struct Turn {
    limiter: Limiter,
    org_id: OrgId,
    /// With the end of the time for reading.
    taken: OnceCell<(Permit, Instant)>,
}

impl Turn {
    /// For an import that may need one. It has it until this is dropped.
    pub fn new(limiter: Limiter, org_id: OrgId) -> Self {
        Self {
            limiter,
            org_id,
            taken: OnceCell::new(),
        }
    }

    pub(super) const fn org_id(&self) -> OrgId {
        self.org_id
    }

    /// Waits for it.
    pub(super) async fn take(&self, deadline: Instant) -> Result<(), SourceError> {
        let turn = async || {
            let permit = self.limiter.enter(self.org_id).await;
            // Others wait for the turn.
            let ends = Instant::now() + Duration::from_secs(5 * 60);
            permit.map(|permit| (permit, ends))
        };
        let taken = timeout_at(deadline, self.taken.get_or_try_init(turn)).await;
        match taken {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(SourceError::Busy),
        }
    }

    pub(super) fn is_taken(&self) -> bool {
        self.taken.initialized()
    }

    /// When the source must have been read, at the latest then.
    pub(super) fn ends(&self, latest: Instant) -> Instant {
        self.taken
            .get()
            .map_or(latest, |(_, ends)| latest.min(*ends))
    }

    /// Bytes that all answers may take in memory now.
    pub(super) fn room(&self) -> usize {
        if self.is_taken() { MUCH.1 } else { LITTLE.1 }
    }
}
