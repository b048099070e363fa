//! The database: connections, and the transaction that knows what to do once it is committed.
//!
//! Nothing is announced before commit: whoever changes something registers the announcement with [`Tx`] at the place of
//! the change, and nobody has to remember the order.

pub mod behalf;
mod error;
mod held;
mod measured;
mod moves;
mod pools;
mod probe;
mod schema;
mod sessions;
mod store;
mod tx;

use std::{num::NonZeroU32, sync::Arc, time::Duration};

use serving::trace::{self, SpanKind};
use sqlx::{PgPool, Postgres, Transaction};
use tokio::time::timeout;
use uuid::Uuid;

pub use self::{
    error::{Busy, Error, Result},
    held::{Connection, Held, Reading},
    pools::{connect, now, session},
    probe::{Answered, Pinged},
    schema::{Schema, migrate},
    sessions::require_sessions,
    tx::Tx,
};
use self::{
    measured::{Measured, small},
    moves::Moves,
    pools::{Admitted, Patience, Requests},
    probe::Probe,
};
use crate::{config::DatabaseSettings, looks::Looks, waker::Waker};

/// The channel on which replicas tell each other that something was committed. It carries no data but who tells, by which a process
/// knows what it told itself: whoever hears it reads the truth again.
pub const CHANGES_CHANNEL: &str = "halyard_changes";

/// The channel on which replicas tell each other that there is a question or an answer to read.
pub const REPLICAS_CHANNEL: &str = "halyard_replicas";

/// A transaction whose statements find everything by indexes, and are planned once: planning took a quarter of a write, and
/// statistics of a table that has just been filled mislead.
macro_rules! by_index {
    ($begin:literal) => {
        concat!(
            $begin,
            "; SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; \
             SET LOCAL plan_cache_mode = force_generic_plan"
        )
    };
}

/// The database. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Db {
    /// For whatever no request asks for.
    pool: PgPool,
    /// For requests, where there are some.
    requests: Option<Requests>,
    probe: Probe,
    measured: Measured,
    moves: Moves,
    /// By what the database knows who announces a change.
    announcer: Arc<str>,
    changed: Waker,
    asked: Waker,
    looks: Looks,
}

impl Db {
    /// Connects to the database of a service that answers requests. `changed` is woken after every announced commit of this
    /// process.
    ///
    /// # Errors
    /// When the address is malformed or nothing answers there.
    pub async fn connect(settings: &DatabaseSettings, changed: Waker) -> Result<Self> {
        let moves = Moves::default();
        let pool = pools::open(&settings.url, settings.work_connections, &moves).await?;
        let options = (*pool.connect_options()).clone();
        let requests = Requests::new(options, settings, &moves);
        let db = Self::over(pool, changed, moves);
        db.measured.add("requests", &requests.pool);
        Ok(Self {
            requests: Some(requests),
            ..db
        })
    }

    /// Opens half of the connections of requests, so that a sudden crowd does not wait for Postgres to fork.
    pub async fn warm(&self) {
        if let Some(requests) = &self.requests {
            requests.warm().await;
        }
    }

    /// Wraps a pool that is shared by everything: for what answers no requests.
    pub fn new(pool: PgPool, changed: Waker) -> Self {
        Self::over(pool, changed, Moves::default())
    }

    fn over(pool: PgPool, changed: Waker, moves: Moves) -> Self {
        let probe = Probe::new((*pool.connect_options()).clone(), &moves);
        let measured = Measured::default();
        measured.add("jobs", &pool);
        measured.add("probe", probe.pool());
        Self {
            probe,
            measured,
            moves,
            pool,
            requests: None,
            announcer: Uuid::new_v4().simple().to_string().into(),
            changed,
            asked: Waker::new(),
            looks: Looks::default(),
        }
    }

    /// The same database, on connections that only publishing uses where it does not answer a request.
    #[must_use]
    pub fn for_publishing(&self) -> Self {
        // Compiling has up to six, explanations two; the others are for questions of edges.
        let pool = pools::beside(&self.pool, 11, pools::BACKGROUND, &self.moves);
        self.measured.add("publishing", &pool);
        Self {
            pool,
            ..self.clone()
        }
    }

    /// A pool of few connections besides, with a name in metrics. Everything takes at most `patience`.
    pub fn pool_beside(
        &self,
        name: &'static str,
        connections: NonZeroU32,
        patience: Duration,
    ) -> PgPool {
        let patience = Patience::of(patience);
        let pool = pools::beside(&self.pool, connections.get(), patience, &self.moves);
        self.measured.add(name, &pool);
        pool
    }

    /// Sets the gauges of all connections of this process, and of the mail that waits if the database answers at once.
    pub async fn measure(&self) {
        self.measured.measure();
        if let Ok(Ok(answered)) = timeout(Duration::from_secs(1), self.ping()).await {
            answered.state.measure();
        }
        if let Some(requests) = &self.requests {
            metrics::gauge!("halyard_database_requests_waiting").set(small(requests.waiting()));
        }
    }

    /// The database was found elsewhere: what goes on over connections of before is given up, and none of them is used again.
    pub fn has_moved(&self) {
        self.moves.note();
    }

    /// Gives the work up if the database is found elsewhere meanwhile: it may hang, or write to a primary of before.
    ///
    /// # Errors
    /// When it was given up.
    pub async fn unless_moved<T>(&self, work: impl Future<Output = T>) -> Result<T> {
        self.moves.within(work).await
    }

    /// The pool, for what needs a connection of its own kind.
    pub const fn pool(&self) -> &PgPool {
        &self.pool
    }

    /// By what others know that a change was announced here.
    pub fn announcer(&self) -> &str {
        &self.announcer
    }

    /// Woken by every announced commit of this process, and by whoever hears of those of others.
    pub const fn changed(&self) -> &Waker {
        &self.changed
    }

    /// The looks of this process at what has changed.
    pub const fn looks(&self) -> &Looks {
        &self.looks
    }

    /// Woken when replicas ask or answer each other.
    pub const fn asked(&self) -> &Waker {
        &self.asked
    }

    /// A connection for reading.
    ///
    /// # Errors
    /// When there is none in time, or whoever sent the request has its share.
    pub async fn acquire(&self) -> Result<Connection> {
        waited(async {
            let (pool, admitted) = self.admit().await?;
            Ok(Held::new(pool.acquire().await?, admitted, &self.moves))
        })
        .await
    }

    /// Asks whether anybody answers, on a connection that nobody else uses.
    ///
    /// # Errors
    /// When nobody does.
    pub async fn ping(&self) -> Pinged {
        self.probe.ping().await
    }

    /// Begins a transaction.
    ///
    /// # Errors
    /// When there is no connection in time, or whoever sent the request has its share.
    pub async fn begin(&self) -> Result<Tx> {
        self.begin_writing("BEGIN").await
    }

    /// The same for writing a little among a lot, whose plans are made as for [`Self::begin_reading_by_index`].
    ///
    /// # Errors
    /// When there is no connection in time, or whoever sent the request has its share.
    pub async fn begin_by_index(&self) -> Result<Tx> {
        self.begin_writing(by_index!("BEGIN")).await
    }

    async fn begin_writing(&self, statement: &'static str) -> Result<Tx> {
        let looks = self.looks.begun();
        Ok(Tx::new(self, self.begin_with(statement).await?, looks))
    }

    /// Begins to read several things as of one moment.
    ///
    /// # Errors
    /// When there is no connection in time, or whoever sent the request has its share.
    pub async fn begin_reading(&self) -> Result<Reading> {
        self.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            .await
    }

    /// The same for reading little among a lot, by indexes alone. The planner cannot know that hardly anything is newer than
    /// something: with outdated statistics it expects a third of all rows, and reads everything. Nor is there anything to choose
    /// for other values, and planning each time takes longer than reading, so it is done once.
    ///
    /// # Errors
    /// When there is no connection in time, or whoever sent the request has its share.
    pub async fn begin_reading_by_index(&self) -> Result<Reading> {
        self.begin_with(by_index!("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"))
            .await
    }

    /// In a task of its own, which nobody cancels: sqlx would give the connection back with the transaction open, and whoever
    /// gets it next would be inside. A transaction that nobody waits for any more is rolled back.
    async fn begin_with(
        &self,
        statement: &'static str,
    ) -> Result<Held<Transaction<'static, Postgres>>> {
        let beginning = async {
            let (pool, admitted) = self.admit().await?;
            let moves = self.moves.clone();
            let beginning = tokio::spawn(async move {
                let begun = moves.within(pool.begin_with(statement)).await??;
                Ok::<_, Error>(Held::new(begun, admitted, &moves))
            });
            Ok(beginning.await)
        };
        match waited(beginning).await? {
            Ok(begun) => begun,
            // Only a runtime that is ending cancels it.
            Err(_) => Err(sqlx::Error::WorkerCrashed.into()),
        }
    }

    /// The connections that whatever runs now may use. A request waits for its turn here, and takes no connection meanwhile.
    async fn admit(&self) -> Result<(PgPool, Option<Admitted>)> {
        match (&self.requests, behalf::current()) {
            (Some(requests), Some(behalf)) => {
                let admitted = requests.admit(behalf).await?;
                Ok((requests.pool.clone(), Some(admitted)))
            }
            (None, _) | (_, None) => Ok((self.pool.clone(), None)),
        }
    }
}

/// In a trace: how long a connection took.
fn waited<T>(connecting: impl Future<Output = Result<T>>) -> impl Future<Output = Result<T>> {
    trace::within("connection", SpanKind::Internal, Vec::new, connecting)
}
