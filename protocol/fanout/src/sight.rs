//! Whether what there is to send is known to be new. It is as old as the last look into the database, and who cannot look
//! must not keep edges from one who can.

use std::{convert::Infallible, time::Duration};

use protocol::wire::message::Looked;
use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};

use crate::hub::{Ended, Hub};

/// The last look that succeeded.
#[derive(Clone, Copy, Debug)]
struct Look {
    began: Instant,
    position: u64,
}

/// The sight of the database: lost until the first look.
#[derive(Debug)]
pub struct Sight {
    patience: Duration,
    last: watch::Sender<Option<Look>>,
    is_lost: watch::Sender<bool>,
}

impl Sight {
    /// Without a look for this long the database is out of sight. Several have to be made in this time.
    #[must_use]
    pub fn new(patience: Duration) -> Self {
        Self {
            patience,
            last: watch::Sender::default(),
            is_lost: watch::Sender::new(true),
        }
    }

    /// A look succeeded that began then and found the log written up to there.
    pub fn saw(&self, began: Instant, position: u64) {
        self.last.send_replace(Some(Look { began, position }));
        self.is_lost.send_if_modified(std::mem::take);
    }

    /// There will be no further look for now: edges are sent elsewhere at once.
    pub fn lose(&self, hub: &Hub) {
        self.last.send_replace(None);
        if !self.is_lost.send_replace(true) {
            hub.end_all(Ended::Unsighted);
        }
    }

    /// What edges are told of it. Before the first look it is infinitely old.
    pub fn looked(&self) -> Looked {
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
    pub fn is_lost(&self) -> bool {
        *self.is_lost.borrow()
    }

    /// Waits until the database is out of sight.
    pub async fn lost(&self) {
        self.becomes(true).await;
    }

    /// Waits until the database is in sight.
    pub async fn found(&self) {
        self.becomes(false).await;
    }

    async fn becomes(&self, is_lost: bool) {
        let mut lost = self.is_lost.subscribe();
        if lost.wait_for(|lost| *lost == is_lost).await.is_err() {
            // The sender lives as long as this does.
            std::future::pending::<()>().await;
        }
    }

    /// Ends the sessions of all edges whenever the sight is lost, for as long as it is polled.
    pub async fn watch(&self, hub: &Hub) -> Infallible {
        let mut last = self.last.subscribe();
        loop {
            let look = *last.borrow_and_update();
            let Some(Look { began, .. }) = look.filter(|_| !self.is_lost()) else {
                self.next(&mut last).await;
                continue;
            };
            tokio::select! {
                () = self.next(&mut last) => {}
                () = sleep_until(began + self.patience) => {
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

    use futures_util::FutureExt;
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_sight_is_lost_three_seconds_after_the_last_look_began() {
        let (sight, hub) = (
            Arc::new(Sight::new(Duration::from_secs(3))),
            Arc::new(Hub::default()),
        );
        assert!(sight.is_lost());
        assert!(sight.found().now_or_never().is_none());
        assert_eq!(sight.looked().ago_ms, u32::MAX);
        let watched = Arc::clone(&sight);
        let watching = tokio::spawn(async move { watched.watch(&hub).await });

        sight.saw(Instant::now(), 7);
        sight.found().await;
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
        sight.lose(&Hub::default());
        assert!(sight.is_lost());
        assert_eq!(sight.looked().ago_ms, u32::MAX);
        sight.saw(Instant::now(), 10);
        assert!(!sight.is_lost());
        watching.abort();
    }
}
