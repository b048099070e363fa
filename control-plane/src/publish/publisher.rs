//! Polls the database for environments that changed, and notifies the hub. Compiles nothing: the first sender of a
//! change does that.
//!
//! Woken by commits of this process, by those of other replicas through the listener, and periodically. Polls have a
//! connection of their own: when it is lost, the next one may belong to a restored or promoted database, so the epoch
//! is read again and everything is polled. For why no change is missed otherwise, see [`store::look`].

use std::{sync::Arc, time::Duration};

use protocol::wire::message::Epoch;
use serving::error::chain;
use sqlx::{Connection, PgConnection};
use tokio::{
    sync::Mutex,
    time::{Instant, timeout},
};

use super::{
    Shared,
    store::{self, Horizon},
};
use crate::{background, db};

/// Longest time between two polls.
const PERIOD: Duration = Duration::from_secs(1);
/// Period of polling everything, in case something was missed after all.
const FULL: Duration = Duration::from_secs(60);
const PRUNE: Duration = Duration::from_secs(3_600);
/// How long tombstones are kept.
const TOMBSTONES: time::Duration = time::Duration::days(7);
/// After this time without a poll, what is tracked may be older than the tombstones and is compiled again.
const LONGEST_GAP: Duration = Duration::from_secs(24 * 3_600);
/// A connection that takes longer counts as lost.
const PATIENCE: Duration = Duration::from_secs(10);

/// The polls of one process.
#[derive(Debug)]
pub(super) struct Publisher {
    shared: Arc<Shared>,
    looks: Mutex<Looks>,
}

#[derive(Debug, Default)]
struct Looks {
    connection: Option<PgConnection>,
    epoch: Option<Epoch>,
    horizon: Horizon,
    looked: Option<Instant>,
    looked_at_all: Option<Instant>,
    pruned: Option<Instant>,
    is_failing: bool,
}

#[derive(Debug, thiserror::Error)]
enum LookError {
    #[error(transparent)]
    Database(#[from] db::Error),
    #[error("no answer in time")]
    NoAnswer(#[from] tokio::time::error::Elapsed),
}

impl From<sqlx::Error> for LookError {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error.into())
    }
}

impl Publisher {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            looks: Mutex::default(),
        }
    }

    /// Polls until dropped.
    pub(super) async fn run(self) {
        let woken = self.shared.db.changed().listen();
        background::run(PERIOD, woken, || self.activate()).await;
    }

    async fn activate(&self) {
        let mut looks = self.looks.lock().await;
        let started = Instant::now();
        let number = self.shared.looks.begin();
        match looks.look(&self.shared).await {
            Ok(()) => {
                looks.is_failing = false;
                self.shared.looks.end(number);
                metrics::histogram!("halyard_look_seconds").record(started.elapsed());
            }
            Err(error) => {
                looks.connection = None;
                if !looks.is_failing {
                    tracing::warn!(
                        error = chain(&error),
                        "cannot poll for changes; edges keep serving what they hold"
                    );
                }
                looks.is_failing = true;
            }
        }
    }
}

impl Looks {
    async fn look(&mut self, shared: &Shared) -> Result<(), LookError> {
        if self
            .looked
            .is_some_and(|looked| looked.elapsed() > LONGEST_GAP)
        {
            shared.contents.forget();
        }
        // Taken out and put back on success only: a connection that failed half-way is not used again.
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.connect(shared).await?,
        };
        let everything = self
            .looked_at_all
            .is_none_or(|looked| looked.elapsed() >= FULL);
        let horizon = if everything {
            Horizon::default()
        } else {
            self.horizon.clone()
        };
        let (seen, next) = timeout(PATIENCE, store::look(&mut connection, &horizon)).await??;
        let raised = if everything {
            shared.hub.see_all(&seen)
        } else {
            shared.hub.see(&seen)
        };
        // Only once the hub has it: a failed poll starts again from the same horizon.
        self.horizon = next;
        self.looked = Some(Instant::now());

        if !raised.is_empty() && shared.hub.has_edges_on_demand() {
            let keys = timeout(PATIENCE, store::list_new_keys(&mut connection, &raised)).await??;
            shared.hub.tell_new_keys(&keys);
        }
        if everything {
            self.looked_at_all = Some(Instant::now());
            // From here on edges may be greeted.
            shared
                .epoch
                .send_if_modified(|epoch| std::mem::replace(epoch, self.epoch) != self.epoch);
            shared.contents.sweep(&shared.hub.held());
        }
        if self.pruned.is_none_or(|pruned| pruned.elapsed() >= PRUNE) {
            let until = shared.clock.now() - TOMBSTONES;
            timeout(PATIENCE, store::prune(&mut connection, until)).await??;
            self.pruned = Some(Instant::now());
        }
        self.connection = Some(connection);
        Ok(())
    }

    /// Connects, and starts over if the database has another history now.
    async fn connect(&mut self, shared: &Shared) -> Result<PgConnection, LookError> {
        let options = shared.db.pool().connect_options();
        let mut connection = timeout(PATIENCE, PgConnection::connect_with(&options)).await??;
        let epoch = timeout(PATIENCE, store::epoch(&mut connection)).await??;
        if self.epoch.is_some_and(|before| before != epoch) {
            tracing::warn!(
                "the database was restored or promoted: everything is sent to all edges again"
            );
            shared.epoch.send_replace(None);
            shared.contents.forget();
            shared.hub.forget();
        }
        self.looked_at_all = None;
        self.epoch = Some(epoch);
        Ok(connection)
    }
}
