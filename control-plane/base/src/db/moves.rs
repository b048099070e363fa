//! Connections to a database that was left behind.
//!
//! After a fail-over, connections of before may hang for ever, since nobody ends them, or still reach the old primary, whose writes
//! are lost. Once this process has found the database elsewhere, nothing is waited for on them, and none is used again.

use std::time::Duration;

use tokio::{sync::watch, time::Instant};

use super::{Error, Result};

/// When the database was found elsewhere. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Moves(watch::Sender<Option<Instant>>);

impl Default for Moves {
    fn default() -> Self {
        Self(watch::Sender::new(None))
    }
}

impl Moves {
    /// All connections that there are lead to the database of before.
    pub(super) fn note(&self) {
        self.0.send_replace(Some(Instant::now()));
    }

    /// Whether a connection of this age leads to a database of before.
    pub(super) fn left_behind(&self, age: Duration) -> bool {
        self.0.borrow().is_some_and(|moved| moved.elapsed() <= age)
    }

    /// Drops the work if the database moves meanwhile.
    pub(super) async fn within<T>(&self, work: impl Future<Output = T>) -> Result<T> {
        let mut moves = self.0.subscribe();
        tokio::select! {
            biased;
            done = work => Ok(done),
            _ = moves.changed() => Err(Error::moved()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_began_before_a_move_ends_and_what_began_after_goes_on() {
        let moves = Moves::default();
        let old = Instant::now();
        assert!(!moves.left_behind(old.elapsed()));
        let hanging = tokio::spawn({
            let moves = moves.clone();
            async move { moves.within(pending::<()>()).await }
        });
        tokio::time::advance(Duration::from_secs(1)).await;
        moves.note();
        assert!(hanging.await.unwrap().unwrap_err().is_outage());
        assert!(moves.left_behind(old.elapsed()));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(!moves.left_behind(Duration::from_millis(500)));
        assert!(moves.within(async {}).await.is_ok());
    }
}
