//! Whether this replica sees the database. What it sends edges is as old as its last look, and a replica that cannot look
//! must not keep edges from one that can.

use std::{convert::Infallible, time::Duration};

use protocol::wire::message::Looked;
use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};

use super::hub::{Ended, Hub};

/// Without a look for this long the database is out of sight. Several looks are made in this time.
const LOST: Duration = Duration::from_secs(3);

/// The last look that succeeded.
#[derive(Clone, Copy, Debug)]
struct Look {
    began: Instant,
    position: u64,
}

/// The sight of the database: lost until the first look.
#[derive(Debug)]
pub(super) struct Sight {
    last: watch::Sender<Option<Look>>,
    is_lost: watch::Sender<bool>,
}

impl Default for Sight {
    fn default() -> Self {
        Self {
            last: watch::Sender::default(),
            is_lost: watch::Sender::new(true),
        }
    }
}

impl Sight {
    /// A look succeeded that began then and found the log written up to there.
    pub(super) fn saw(&self, began: Instant, position: u64) {
        self.last.send_replace(Some(Look { began, position }));
        self.is_lost.send_if_modified(std::mem::take);
    }

    /// What edges are told of it. Before the first look it is infinitely old.
    pub(super) fn looked(&self) -> Looked {
        self.last.borrow().map_or(
            Looked {
                ago_ms: u32::MAX,
                position: 0,
            },
            |look| Looked {
                ago_ms: u32::try_from(look.began.elapsed().as_millis()).unwrap_or(u32::MAX),
                position: look.position,
            },
        )
    }

    /// Whether the database is out of sight.
    pub(super) fn is_lost(&self) -> bool {
        *self.is_lost.borrow()
    }

    /// Waits until the database is out of sight.
    pub(super) async fn lost(&self) {
        let mut lost = self.is_lost.subscribe();
        if lost.wait_for(|lost| *lost).await.is_err() {
            // The sender lives as long as this does.
            std::future::pending::<()>().await;
        }
    }

    /// Ends the sessions of all edges whenever the sight is lost, for as long as it is polled.
    pub(super) async fn watch(&self, hub: &Hub) -> Infallible {
        let mut last = self.last.subscribe();
        loop {
            let look = *last.borrow_and_update();
            let Some(Look { began, .. }) = look.filter(|_| !self.is_lost()) else {
                self.next(&mut last).await;
                continue;
            };
            tokio::select! {
                () = self.next(&mut last) => {}
                () = sleep_until(began + LOST) => {
                    tracing::error!("the database is out of sight; edges are sent elsewhere");
                    metrics::counter!("halyard_sight_lost_total").increment(1);
                    self.is_lost.send_replace(true);
                    hub.end_all(Ended::Unsighted);
                }
            }
        }
    }

    async fn next(&self, last: &mut watch::Receiver<Option<Look>>) {
        if last.changed().await.is_err() {
            // The sender lives as long as this does.
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_sight_is_lost_three_seconds_after_the_last_look_began() {
        let (sight, hub) = (Arc::new(Sight::default()), Arc::new(Hub::default()));
        assert!(sight.is_lost());
        assert_eq!(sight.looked().ago_ms, u32::MAX);
        let watched = Arc::clone(&sight);
        let watching = tokio::spawn(async move { watched.watch(&hub).await });

        sight.saw(Instant::now(), 7);
        advance(Duration::from_secs(2)).await;
        sight.saw(Instant::now(), 8);
        advance(Duration::from_secs(2)).await;
        tokio::task::yield_now().await;
        assert!(!sight.is_lost());
        assert_eq!((sight.looked().ago_ms, sight.looked().position), (2_000, 8));

        sight.lost().await;
        assert_eq!(sight.looked().ago_ms, 3_000);
        sight.saw(Instant::now(), 9);
        assert!(!sight.is_lost());
        watching.abort();
    }
}
