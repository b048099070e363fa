//! The questions of a relay to the server above, for the edges below.

use std::time::Duration;

use fanout::NotNow;
use protocol::wire::relay::{RelayMessage, ToRelay};
use tokio::{
    sync::{Semaphore, mpsc, oneshot, watch},
    time::timeout,
};

/// Questions that are open at the same time: half of what the server above accepts.
const OPEN: usize = 64;

/// A question, and where its answer goes, if it wants one.
pub(super) struct Ask {
    /// Makes the message, given its number.
    pub(super) make: Box<dyn FnOnce(u64) -> RelayMessage + Send>,
    pub(super) answer: Option<oneshot::Sender<ToRelay>>,
}

/// The asking side.
pub(super) struct Questions {
    asks: mpsc::Sender<Ask>,
    room: Semaphore,
    connected: watch::Sender<bool>,
}

impl Questions {
    /// Both sides, not connected.
    pub(super) fn new() -> (Self, mpsc::Receiver<Ask>) {
        let (asks, asked) = mpsc::channel(OPEN);
        let questions = Self {
            asks,
            room: Semaphore::new(OPEN),
            connected: watch::Sender::new(false),
        };
        (questions, asked)
    }

    /// Whether there is a connection from now on.
    pub(super) fn set_connected(&self, is_connected: bool) {
        self.connected.send_replace(is_connected);
    }

    /// Waits until there is a connection.
    pub(super) async fn connected(&self) {
        let mut connected = self.connected.subscribe();
        if connected.wait_for(|connected| *connected).await.is_err() {
            // The sender lives as long as this does.
            std::future::pending::<()>().await;
        }
    }

    /// Asks, and waits for the answer. Without a connection there is none, and it does not survive one.
    pub(super) async fn ask(
        &self,
        make: impl FnOnce(u64) -> RelayMessage + Send + 'static,
    ) -> Result<ToRelay, NotNow> {
        let (answer, answered) = oneshot::channel();
        let asking = async {
            let _room = self.room.acquire().await.map_err(|_| NotNow)?;
            if !*self.connected.borrow() {
                return Err(NotNow);
            }
            let ask = Ask {
                make: Box::new(make),
                answer: Some(answer),
            };
            self.asks.send(ask).await.map_err(|_| NotNow)?;
            answered.await.map_err(|_| NotNow)
        };
        timeout(Duration::from_secs(10), asking)
            .await
            .map_err(|_| NotNow)?
    }

    /// Sends a message without an answer, if there is a connection with capacity for it.
    pub(super) fn send(&self, message: RelayMessage) {
        if *self.connected.borrow() {
            let ask = Ask {
                make: Box::new(|_| message),
                answer: None,
            };
            // Whatever it was, there will be another occasion.
            drop(self.asks.try_send(ask));
        }
    }
}
