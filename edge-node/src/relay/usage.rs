//! What edges below counted goes upwards as it came, and they are told once it is stored.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use fanout::{Fingerprint, NotNow};
use protocol::wire::usage::{Upload, UsageBatch};
use tokio::{
    sync::{oneshot, watch},
    time::{sleep, timeout},
};

use crate::upstream::UplinkBelow;

/// What is not answered is sent again after this time.
const AGAIN: Duration = Duration::from_secs(5);
/// And no more after this: whoever counted it sends it again itself.
const PATIENCE: Duration = Duration::from_secs(30);

/// A batch: its boot and its number.
type Batch = ([u8; 16], u64);

/// The batches on their way. Each edge below has one at a time.
pub(crate) struct Reports {
    uplink: UplinkBelow,
    on_their_way: Mutex<HashMap<Batch, oneshot::Sender<()>>>,
    /// The number of the connection; 0 before the first.
    connection: watch::Sender<u64>,
}

impl Reports {
    pub(super) fn new(uplink: UplinkBelow) -> Self {
        Self {
            uplink,
            on_their_way: Mutex::default(),
            connection: watch::Sender::new(0),
        }
    }

    /// There is another connection: what was not stored is sent again.
    pub(crate) fn connected(&self) {
        self.connection.send_modify(|connection| *connection += 1);
    }

    /// A batch is stored; false if none of an edge below is meant.
    pub(crate) fn stored(&self, boot: [u8; 16], sequence: u64) -> bool {
        let stored = self.on_their_way().remove(&(boot, sequence));
        // The edge may have gone, and will send it again.
        stored.map(|stored| stored.send(())).is_some()
    }

    /// Sends a batch upwards until it is stored, or the edge may as well send it again.
    pub(super) async fn store(
        &self,
        certificate: Fingerprint,
        batch: UsageBatch,
    ) -> Result<(), NotNow> {
        let sending = self.send(certificate, batch);
        timeout(PATIENCE, sending).await.map_err(|_| NotNow)?
    }

    async fn send(&self, certificate: Fingerprint, batch: UsageBatch) -> Result<(), NotNow> {
        let (stored, mut done) = oneshot::channel();
        let number = (batch.boot, batch.sequence);
        self.on_their_way().insert(number, stored);
        let _end = End {
            reports: self,
            number,
        };
        let mut connection = self.connection.subscribe();
        loop {
            let is_there = connection.wait_for(|number| *number > 0);
            is_there.await.map_err(|_| NotNow)?;
            connection.mark_unchanged();
            let upload = Upload::UsageBelow {
                certificate,
                batch: batch.clone(),
            };
            self.uplink.upload(upload).await;
            tokio::select! {
                // Dropped by another of the same number: this one is not answered.
                stored = &mut done => return stored.map_err(|_| NotNow),
                _ = connection.changed() => {}
                // What could not be stored at once is not answered.
                () = sleep(AGAIN) => {}
            }
        }
    }

    fn on_their_way(&self) -> MutexGuard<'_, HashMap<Batch, oneshot::Sender<()>>> {
        self.on_their_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Nobody waits for a batch any more once this is dropped.
struct End<'a> {
    reports: &'a Reports,
    number: Batch,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        let mut on_their_way = self.reports.on_their_way();
        if on_their_way
            .get(&self.number)
            .is_some_and(oneshot::Sender::is_closed)
        {
            on_their_way.remove(&self.number);
        }
    }
}
