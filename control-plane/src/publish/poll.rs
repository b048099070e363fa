//! Polls the database for environments that changed, and notifies the hub. Compiles nothing: the first sender of a
//! change does that.
//!
//! Woken by commits of this process, by those of other replicas through the listener, and periodically. Polls have a
//! connection of their own: when it is lost, the next one may belong to a restored or promoted database, so the epoch
//! is read again and everything is polled. For why no change is missed otherwise, see [`store::look`].

use std::{sync::Arc, time::Duration};

use protocol::wire::message::Epoch;
use sqlx::{Connection, PgConnection};
use tokio::{
    sync::Mutex,
    time::{Instant, timeout},
};

use super::{
    Shared,
    hub::Sighting,
    store::{self, Horizon},
};
use crate::db;

/// Period of polling everything, in case something was missed after all.
const FULL: Duration = Duration::from_secs(60);
/// After this time without a poll, what is tracked may be older than the tombstones ([`store::TOMBSTONES`]) and is compiled again.
const LONGEST_GAP: Duration = Duration::from_secs(24 * 3_600);
/// A connection that takes longer counts as lost.
const PATIENCE: Duration = Duration::from_secs(10);

/// The polls of one process.
#[derive(Debug)]
pub(super) struct Poller {
    shared: Arc<Shared>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    connection: Option<PgConnection>,
    epoch: Option<Epoch>,
    horizon: Horizon,
    looked: Option<Instant>,
    looked_at_all: Option<Instant>,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum PollError {
    #[error(transparent)]
    Database(#[from] db::Error),
    #[error("no answer in time")]
    NoAnswer(#[from] tokio::time::error::Elapsed),
}

impl From<sqlx::Error> for PollError {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error.into())
    }
}

impl Poller {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            state: Mutex::default(),
        }
    }

    /// Polls once.
    pub(super) async fn poll(self: Arc<Self>) -> Result<(), PollError> {
        let mut state = self.state.lock().await;
        let started = Instant::now();
        let number = self.shared.polls.begin();
        let polled = state.poll(&self.shared).await;
        match &polled {
            Ok(()) => {
                self.shared.polls.end(number);
                metrics::histogram!("halyard_look_seconds").record(started.elapsed());
            }
            Err(_) => state.connection = None,
        }
        polled
    }
}

impl State {
    async fn poll(&mut self, shared: &Shared) -> Result<(), PollError> {
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
        let Sighting { raised, lowered } = if everything {
            shared.hub.see_all(&seen)
        } else {
            shared.hub.see(&seen)
        };
        if !lowered.is_empty() {
            tracing::error!(
                environments = lowered.len(),
                "the database has lower versions than were known"
            );
        }
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
        self.connection = Some(connection);
        Ok(())
    }

    /// Connects, and starts over if the database has another history now.
    async fn connect(&mut self, shared: &Shared) -> Result<PgConnection, PollError> {
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
