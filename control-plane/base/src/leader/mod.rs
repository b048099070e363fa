//! One replica leads: it alone does work that would be wasted on several replicas.
//!
//! The leader holds a Postgres advisory lock on a connection of its own, and sends something on it every second. The lock is
//! released with the connection: at once when the leader's process ends, and after seconds of silence when it is frozen or cut
//! off, because Postgres then ends the session. Such a leader may believe for a moment that it still leads. A leader's work must
//! therefore be harmless if two replicas do it at once: leading saves work and keeps an order, it does not replace locks.

mod store;

use std::{convert::Infallible, future::Future, time::Duration};

use serving::error::chain;
use tokio::{
    sync::watch,
    time::{sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    clocks::{Clocks, ClocksDiffer},
    db::{self, Db},
};

/// How often the leader checks that it still has the lock.
const ASSURE: Duration = Duration::from_secs(1);
/// A database that takes longer to answer counts as lost. With [`ASSURE`] this is less than [`SILENCE`]: a leader that lost the
/// database stops before the next one begins.
const PATIENCE: Duration = Duration::from_secs(3);
/// Postgres ends a session that has been silent for this long.
const SILENCE: Duration = Duration::from_secs(5);

/// Whether this replica leads. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Leader(watch::Receiver<bool>);

#[derive(Debug, thiserror::Error)]
enum LostError {
    #[error(transparent)]
    Database(#[from] db::Error),
    #[error(transparent)]
    Clocks(#[from] ClocksDiffer),
    #[error("no answer in time")]
    NoAnswer(#[from] tokio::time::error::Elapsed),
}

impl Leader {
    /// Campaigns to lead until `stop` is cancelled, while the clocks agree.
    pub fn start(db: Db, clocks: Clocks, stop: &CancellationToken, tasks: &TaskTracker) -> Self {
        let (leads, leading) = watch::channel(false);
        metrics::gauge!("halyard_leads").set(0.0);
        let stop = stop.clone();
        tasks.spawn(async move {
            stop.run_until_cancelled(stand(&db, &clocks, &leads)).await;
            // It may be a while until the process ends.
            metrics::gauge!("halyard_leads").set(0.0);
        });
        Self(leading)
    }

    /// Whether it does now.
    pub fn leads(&self) -> bool {
        *self.0.borrow()
    }

    /// Runs `work`, which never ends, while this replica leads. Drops it when the replica stops leading, and starts it
    /// again when the replica leads again. Returns when the replica stops campaigning.
    pub async fn run<F>(mut self, mut work: impl FnMut() -> F)
    where
        F: Future<Output = Infallible>,
    {
        while self.0.wait_for(|leads| *leads).await.is_ok() {
            tokio::select! {
                never = work() => match never {},
                lost = self.0.wait_for(|leads| !leads) => if lost.is_err() { return },
            }
        }
    }
}

async fn stand(db: &Db, clocks: &Clocks, leads: &watch::Sender<bool>) {
    let mut is_failing = false;
    loop {
        let Err(error) = campaign(db, clocks, leads, &mut is_failing).await;
        let led = leads.send_replace(false);
        metrics::gauge!("halyard_leads").set(0.0);
        if led || !is_failing {
            let error = chain(&error);
            tracing::warn!(error, "this replica cannot lead; reconnecting");
        }
        is_failing = true;
        sleep(Duration::from_secs_f64(rand::random_range(0.5..1.0))).await;
    }
}

/// Tries to take the lock until it has it, then keeps it for as long as the connection lives.
async fn campaign(
    db: &Db,
    clocks: &Clocks,
    leads: &watch::Sender<bool>,
    is_failing: &mut bool,
) -> Result<Infallible, LostError> {
    let mut session = timeout(PATIENCE, db::session(db.pool(), SILENCE)).await??;
    loop {
        let attempt = timeout(PATIENCE, store::take(&mut session)).await??;
        // A replica that must not lead releases the lock with the session.
        clocks.compare(attempt.now)?;
        *is_failing = false;
        if attempt.taken {
            break;
        }
        sleep(Duration::from_millis(250)).await;
    }
    tracing::info!("this replica leads");
    metrics::gauge!("halyard_leads").set(1.0);
    leads.send_replace(true);
    loop {
        sleep(ASSURE).await;
        clocks.compare(timeout(PATIENCE, db::now(&mut session)).await??)?;
    }
}
