//! Looking up API keys at the control plane, over whichever connection there is.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use futures_util::{FutureExt, future::BoxFuture};
use protocol::snapshot::KeyHash;
use tokio::sync::{mpsc, oneshot};

use crate::lookup::{KeyLookup, Located, Unavailable};

/// One question.
#[derive(Debug)]
pub(crate) struct Ask {
    pub(super) hash: KeyHash,
    pub(super) answer: oneshot::Sender<Option<Located>>,
}

/// The asking side.
#[derive(Clone, Debug)]
pub(crate) struct LinkLookup {
    asks: mpsc::Sender<Ask>,
    connected: Arc<AtomicBool>,
}

/// The answering side, used by the current connection.
#[derive(Debug)]
pub(crate) struct Asks {
    asks: mpsc::Receiver<Ask>,
    connected: Arc<AtomicBool>,
}

impl LinkLookup {
    /// Both sides, not connected.
    pub(crate) fn new() -> (Self, Asks) {
        let (sender, receiver) = mpsc::channel(256);
        let connected = Arc::new(AtomicBool::new(false));
        (
            Self {
                asks: sender,
                connected: Arc::clone(&connected),
            },
            Asks {
                asks: receiver,
                connected,
            },
        )
    }
}

impl KeyLookup for LinkLookup {
    fn is_reachable(&self) -> bool {
        self.connected.load(Ordering::Acquire)
    }

    fn look_up(&self, hash: KeyHash) -> BoxFuture<'static, Result<Option<Located>, Unavailable>> {
        let (answer, answered) = oneshot::channel();
        // Refused at once without a connection or with a full queue: waiting would not help the request.
        let asked = if self.is_reachable() {
            self.asks
                .try_send(Ask { hash, answer })
                .map_err(|_| Unavailable)
        } else {
            Err(Unavailable)
        };
        async move {
            asked?;
            answered.await.map_err(|_| Unavailable)
        }
        .boxed()
    }
}

impl Asks {
    pub(super) fn connected(&self) {
        self.connected.store(true, Ordering::Release);
    }

    /// Refuses new questions and those that wait.
    pub(super) fn disconnected(&mut self) {
        self.connected.store(false, Ordering::Release);
        while self.asks.try_recv().is_ok() {}
    }

    /// The next question; pending for ever once no asker is left.
    pub(super) async fn next(&mut self) -> Ask {
        match self.asks.recv().await {
            Some(ask) => ask,
            None => std::future::pending().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn without_a_connection_nothing_is_asked() {
        let (lookup, mut asks) = LinkLookup::new();
        assert!(!lookup.is_reachable());
        assert!(lookup.look_up([0; 32]).await.is_err());

        asks.connected();
        assert!(lookup.is_reachable());
        let waiting = lookup.look_up([0; 32]);
        asks.disconnected();
        assert!(waiting.await.is_err());
    }
}
