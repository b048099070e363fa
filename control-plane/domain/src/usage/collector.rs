//! Receives batches from edges and writes them together: the more edges there are, the more batches share a transaction.
//!
//! There is one writer per process, so the batches of one replica never wait for each other's locks. A batch is acknowledged
//! after the commit; an unacknowledged one is sent again, but counted only once.

use std::{collections::HashSet, sync::Arc, time::Duration};

use fanout::Regions;
use protocol::wire::usage::{ToldDefault, UsageBatch};
use serving::{clock::Clock, error::chain};
use time::OffsetDateTime;
use tokio::sync::{mpsc, oneshot};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    apply::{Report, apply},
    defaults,
    rates::EdgeRates,
    settings::UsageSettings,
    store::reports,
};
use base::db::{self, Db};

/// How long the number of an edge's last batch is kept.
pub(super) const REMEMBERED: time::Duration = time::Duration::days(90);

/// Where usage is reported from.
#[derive(Clone, Debug)]
pub struct Reporter {
    /// The name in its certificate, under which the numbers of its batches are stored.
    pub(super) edge: String,
    pub(super) regions: Regions,
}

impl Reporter {
    /// An edge that connected with a certificate.
    pub fn joined(name: &str, regions: Regions) -> Self {
        Self {
            edge: name.to_owned(),
            regions,
        }
    }

    /// The edge in this process, without a certificate. No certificate has an empty name.
    pub const fn built_in() -> Self {
        Self {
            edge: String::new(),
            regions: Regions::All,
        }
    }
}

#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the batch was not stored")]
pub struct NotStored;

/// Writes the batches of edges. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Collector {
    queue: mpsc::Sender<Waiting>,
    defaults: mpsc::Sender<(Reporter, Vec<ToldDefault>)>,
    flush_wait: Duration,
    rates: Arc<EdgeRates>,
}

#[derive(Debug)]
struct Waiting {
    report: Report,
    stored: oneshot::Sender<()>,
}

struct Writer {
    db: Db,
    clock: Clock,
    impression_limit: i64,
    is_failing: bool,
    rates: Arc<EdgeRates>,
}

impl Collector {
    pub fn start(
        db: Db,
        clock: Clock,
        settings: UsageSettings,
        stop: &CancellationToken,
        tasks: &TaskTracker,
    ) -> Self {
        // Further senders wait.
        let (queue, waiting) = mpsc::channel(256);
        let rates = Arc::<EdgeRates>::default();
        let writer = Writer {
            rates: Arc::clone(&rates),
            db,
            clock,
            impression_limit: settings.impression_buffer_size.into(),
            is_failing: false,
        };
        let (defaults, told) = mpsc::channel(64);
        let storing = store_defaults(writer.db.clone(), writer.clock.clone(), told);
        tasks.spawn(stop.clone().run_until_cancelled_owned(storing));
        tasks.spawn(stop.clone().run_until_cancelled_owned(writer.run(waiting)));
        Self {
            queue,
            defaults,
            flush_wait: settings.flush_wait,
            rates,
        }
    }

    /// Writes a batch unless it was written before; waits for the commit.
    ///
    /// # Errors
    /// When the database fails, or the process is stopping.
    pub async fn store(&self, reporter: Reporter, batch: UsageBatch) -> Result<(), NotStored> {
        let (stored, done) = oneshot::channel();
        let report = Report { reporter, batch };
        let waiting = Waiting { report, stored };
        self.queue.send(waiting).await.map_err(|_| NotStored)?;
        done.await.map_err(|_| NotStored)
    }

    /// Takes which defaults callers told an edge. Those that too many others wait before are dropped.
    pub fn told(&self, reporter: Reporter, told: Vec<ToldDefault>) {
        let count = told.len();
        if self.defaults.try_send((reporter, told)).is_err() {
            defaults::drop_some(count);
        }
    }

    /// How much each edge evaluates, as reported to this replica.
    pub fn rates(&self) -> &EdgeRates {
        &self.rates
    }

    /// How long a request that reads usage waits for the edges to report.
    pub const fn flush_wait(&self) -> Duration {
        self.flush_wait
    }
}

impl Writer {
    async fn run(mut self, mut queue: mpsc::Receiver<Waiting>) {
        let mut next = None;
        loop {
            let first = match next.take() {
                Some(waiting) => waiting,
                None => match queue.recv().await {
                    Some(waiting) => waiting,
                    None => return,
                },
            };
            let mut boots = HashSet::from([boot(&first)]);
            let mut group = vec![first];
            // As many as share a transaction.
            while group.len() < 64
                && let Ok(waiting) = queue.try_recv()
            {
                // A repeated batch, or the next one of its boot: it can be judged only after this one is written.
                if boots.insert(boot(&waiting)) {
                    group.push(waiting);
                } else {
                    next = Some(waiting);
                    break;
                }
            }
            self.write(group).await;
        }
    }

    /// Writes all batches together or, if that fails, one by one, so that a bad batch does not hold back the others.
    async fn write(&mut self, group: Vec<Waiting>) {
        match self.apply(&group).await {
            Ok(()) => answer(group),
            Err(error) if error.is_refusal() && group.len() > 1 => {
                for waiting in group {
                    let alone = vec![waiting];
                    if self.apply(&alone).await.is_ok() {
                        answer(alone);
                    }
                }
            }
            // Not acknowledged: the edges send them again.
            Err(_) => {}
        }
    }

    async fn apply(&mut self, group: &[Waiting]) -> db::Result<()> {
        let reports: Vec<&Report> = group.iter().map(|waiting| &waiting.report).collect();
        let now = self.clock.now();
        let applying = apply(&self.db, &reports, self.impression_limit, now);
        let applied = self.db.unless_moved(applying).await.flatten();
        match &applied {
            Ok(counted) => {
                self.rates.add(counted.iter().cloned(), now);
                let stored = group.len() as u64;
                metrics::counter!("halyard_usage_batches_stored_total").increment(stored);
            }
            // Logged once: edges send them again every few seconds.
            Err(error) if !self.is_failing => {
                tracing::warn!(
                    error = chain(error),
                    "usage cannot be stored; edges keep it"
                );
            }
            Err(_) => {}
        }
        self.is_failing = applied.is_err();
        applied.map(drop)
    }
}

/// Stores defaults, one report after the other.
async fn store_defaults(
    db: Db,
    clock: Clock,
    mut told: mpsc::Receiver<(Reporter, Vec<ToldDefault>)>,
) {
    while let Some((reporter, told)) = told.recv().await {
        let count = told.len();
        if let Err(error) = defaults::store(&db, &reporter, told, clock.now()).await {
            defaults::drop_some(count);
            tracing::warn!(error = chain(&error), "defaults of callers were not stored");
        }
    }
}

fn boot(waiting: &Waiting) -> (String, [u8; 16]) {
    let Report { reporter, batch } = &waiting.report;
    (reporter.edge.clone(), batch.boot)
}

fn answer(group: Vec<Waiting>) {
    for waiting in group {
        // The sender may be gone; it will send the batch again.
        waiting.stored.send(()).unwrap_or_default();
    }
}

/// Forgets the batch numbers of edges that are gone, and old defaults.
pub async fn prune(db: &Db, now: OffsetDateTime) -> db::Result<()> {
    let mut conn = db.acquire().await?;
    reports::delete_older(&mut conn, now - REMEMBERED).await?;
    defaults::prune(&mut conn, now).await
}
