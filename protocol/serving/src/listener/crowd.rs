//! What answers that nobody reads hold in memory, and how long their clients may take because of it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

/// While they hold no more than this, clients have all the time that they are given.
const LITTLE: u64 = 64 << 20;
/// While they hold more than the first, and no more than this, clients that begin not to read have a sixth of it.
const MUCH: u64 = 256 << 20;

/// The answers of a listener that wait for their clients.
#[derive(Clone, Debug, Default)]
pub(super) struct Crowd(Arc<AtomicU64>);

/// Some bytes that are held until this is dropped.
#[derive(Debug)]
pub(super) struct Held {
    crowd: Crowd,
    bytes: u64,
}

impl Crowd {
    pub(super) fn hold(&self, bytes: u64) -> Held {
        self.0.fetch_add(bytes, Ordering::Relaxed);
        Held {
            crowd: self.clone(),
            bytes,
        }
    }

    /// The part of `whole` that a client has now.
    pub(super) fn patience(&self, whole: Duration) -> Duration {
        let bytes = self.0.load(Ordering::Relaxed);
        if bytes <= LITTLE {
            whole
        } else if bytes <= MUCH {
            whole / 6
        } else {
            // Hardly any.
            whole / 60
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.crowd.0.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_unread_answers_hold_in_all_is_bounded() {
        let whole = Duration::from_secs(30);
        let crowd = Crowd::default();
        let little = crowd.hold(LITTLE);
        assert_eq!(crowd.patience(whole), whole);
        let more = crowd.hold(1);
        assert_eq!(crowd.patience(whole), Duration::from_secs(5));
        let much = crowd.hold(MUCH);
        assert_eq!(crowd.patience(whole), Duration::from_millis(500));
        drop(much);
        assert_eq!(crowd.patience(whole), Duration::from_secs(5));
        drop((little, more));
        assert_eq!(crowd.patience(whole), whole);
    }
}
