//! The usage of edges below is uploaded as it came, and acknowledged once it is stored.

use std::{collections::HashMap, sync::Arc, time::Duration};

use fanout::{Fingerprint, NotNow};
use parking_lot::Mutex;
use protocol::wire::usage::{Upload, UsageBatch};
use tokio::{
    sync::{oneshot, watch},
    time::timeout,
};

use super::Host;

/// A batch: its boot and its number.
type Batch = ([u8; 16], u64);

/// The batches on their way. Each edge below has one at a time.
pub(super) struct Reports {
    host: Arc<dyn Host>,
    on_their_way: Mutex<HashMap<Batch, oneshot::Sender<()>>>,
    /// The number of the connection, 0 while there is none.
    connection: watch::Sender<u64>,
}

impl Reports {
    pub(super) fn new(host: Arc<dyn Host>) -> Self {
        Self {
            host,
            on_their_way: Mutex::default(),
            connection: watch::Sender::new(0),
        }
    }

    /// There is another connection: what was not stored is sent again.
    pub(super) fn connected(&self) {
        self.connection.send_modify(|connection| *connection += 1);
    }

    /// A batch is stored; false if it is not of an edge below.
    pub(super) fn stored(&self, boot: [u8; 16], sequence: u64) -> bool {
        let stored = self.on_their_way.lock().remove(&(boot, sequence));
        // The edge may have gone, and will send it again.
        stored.map(|stored| stored.send(())).is_some()
    }

    /// Sends a batch upwards, and waits until it is stored.
    pub(super) async fn store(
        &self,
        certificate: Fingerprint,
        batch: UsageBatch,
    ) -> Result<(), NotNow> {
        // An edge sends what was not stored by then again. As long as one batch is waited for, no other of the same connection is
        // received, of whichever edge.
        let sending = timeout(Duration::from_secs(5), self.send(certificate, batch));
        sending.await.map_err(|_| NotNow)?
    }

    async fn send(&self, certificate: Fingerprint, batch: UsageBatch) -> Result<(), NotNow> {
        let number = (batch.boot, batch.sequence);
        // Dropped after the receiver, by which it recognizes its own batch.
        let _end = End {
            reports: self,
            number,
        };
        let (stored, mut done) = oneshot::channel();
        self.on_their_way.lock().insert(number, stored);
        let mut connection = self.connection.subscribe();
        loop {
            let connected = connection.wait_for(|number| *number > 0).await;
            connected.map_err(|_| NotNow)?;
            connection.mark_unchanged();
            let upload = Upload::ServedBelow {
                certificate,
                batch: batch.clone(),
            };
            self.host.upload(upload).await;
            tokio::select! {
                // Dropped by another of the same number: this one is not answered.
                stored = &mut done => return stored.map_err(|_| NotNow),
                _ = connection.changed() => {}
            }
        }
    }
}

/// Forgets a batch when it is dropped.
struct End<'a> {
    reports: &'a Reports,
    number: Batch,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        let mut on_their_way = self.reports.on_their_way.lock();
        if on_their_way
            .get(&self.number)
            .is_some_and(oneshot::Sender::is_closed)
        {
            on_their_way.remove(&self.number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Nothing;

    const CERTIFICATE: Fingerprint = [1; 32];

    fn batch(sequence: u64) -> UsageBatch {
        UsageBatch {
            boot: [1; 16],
            sequence,
            evaluations: Vec::new(),
            ..UsageBatch::default()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_batch_that_is_not_stored_holds_up_no_other() {
        let reports = Reports::new(Arc::new(Nothing));
        reports.connected();
        assert!(reports.store(CERTIFICATE, batch(1)).await.is_err());
        assert!(reports.on_their_way.lock().is_empty());
        assert!(!reports.stored([1; 16], 1), "too late");

        let (stored, ()) = tokio::join!(reports.store(CERTIFICATE, batch(2)), async {
            while !reports.stored([1; 16], 2) {
                tokio::task::yield_now().await;
            }
        });
        assert!(stored.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_batch_of_an_edge_that_has_gone_is_forgotten() {
        let reports = Reports::new(Arc::new(Nothing));
        reports.connected();
        let second = Duration::from_secs(1);
        let sending = timeout(second, reports.store(CERTIFICATE, batch(1)));
        assert!(sending.await.is_err());
        assert!(reports.on_their_way.lock().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn the_newer_of_two_with_the_same_number_is_answered() {
        let reports = Reports::new(Arc::new(Nothing));
        reports.connected();
        let older = reports.store(CERTIFICATE, batch(1));
        let newer = async {
            let storing = reports.store(CERTIFICATE, batch(1));
            tokio::pin!(storing);
            let second = Duration::from_secs(1);
            assert!(timeout(second, &mut storing).await.is_err());
            assert!(reports.stored([1; 16], 1));
            storing.await
        };
        let (older, newer) = tokio::join!(older, newer);
        assert!(older.is_err() && newer.is_ok());
    }
}
