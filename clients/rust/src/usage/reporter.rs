//! Makes reports of what was counted, and sends each until it is confirmed.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use protocol::wire::frame;
use rand::{TryRng, rngs::SysRng};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::{
    backoff::{self, Backoff},
    edge::{Edge, Failure},
    shared::Shared,
};

/// How long the last reports may take when a client closes.
const LAST: Duration = Duration::from_secs(5);

/// Sends what was counted.
pub(crate) struct Reporter {
    shared: Arc<Shared>,
    edge: Arc<Edge>,
    interval: Duration,
    /// Of this client, drawn at random.
    instance: [u8; 16],
    /// The number of the last report that was made.
    sequence: u64,
    /// It waits to be confirmed.
    pending: Option<Bytes>,
}

impl Reporter {
    pub(crate) fn new(shared: Arc<Shared>, edge: Arc<Edge>, interval: Duration) -> Self {
        Self {
            shared,
            edge,
            interval,
            instance: instance(),
            sequence: 0,
            pending: None,
        }
    }

    /// Reports at every interval until `stop`, and then once more.
    pub(crate) async fn run(mut self, stop: CancellationToken) {
        stop.run_until_cancelled(async {
            loop {
                let jittered =
                    backoff::between(self.interval.mul_f64(0.8), self.interval.mul_f64(1.2));
                sleep(jittered).await;
                self.send().await;
            }
        })
        .await;
        if timeout(LAST, self.send()).await.is_err() {
            tracing::warn!("usage counted last was not taken by the edge");
        }
    }

    /// Sends until nothing waits.
    async fn send(&mut self) {
        let mut backoff = Backoff::default();
        while let Some(report) = self.next() {
            let failure = match self.edge.report(report).await {
                Ok(()) => {
                    self.pending = None;
                    backoff.reset();
                    continue;
                }
                Err(failure) => failure,
            };
            tracing::debug!(why = %failure, "usage was not taken by the edge");
            let wait = match failure {
                Failure::Refused(_) => backoff::refused(),
                Failure::Unacceptable(why) => {
                    // The same bytes would be refused for ever.
                    tracing::error!(%why, "a report of usage is given up: the edge does not accept it");
                    self.pending = None;
                    backoff.next()
                }
                Failure::Unavailable { retry_after, .. } => backoff.next_after(retry_after),
            };
            sleep(wait).await;
        }
    }

    /// The report that waits, or else the next one.
    fn next(&mut self) -> Option<Bytes> {
        if self.pending.is_none() {
            self.shared.settle();
            let report = self
                .shared
                .ledger
                .report(self.instance, self.sequence + 1)?;
            self.sequence += 1;
            match frame::encode(&report) {
                Ok(frame) => self.pending = Some(frame.into()),
                Err(why) => tracing::error!(%why, "a report of usage is given up"),
            }
        }
        self.pending.clone()
    }
}

/// From the system: generators of a thread go on alike in all children that a process forks, and edges count a report of one
/// instance once.
fn instance() -> [u8; 16] {
    let mut bytes = [0; 16];
    match SysRng.try_fill_bytes(&mut bytes) {
        Ok(()) => bytes,
        Err(_) => rand::random(),
    }
}
