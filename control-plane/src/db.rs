//! The connection pool, and the transaction that knows what to do once it is committed.
//!
//! Nothing is announced before commit: whoever changes something registers the announcement with [`Tx`] at the place of
//! the change, and nobody has to remember the order.

use std::{
    num::NonZeroU32,
    ops::{Deref, DerefMut},
    time::Duration,
};

use secrecy::{ExposeSecret, SecretString};
use serving::error::ApiError;
use sqlx::{
    Connection, PgConnection, PgPool, Postgres, Transaction,
    migrate::MigrateError,
    postgres::{PgConnectOptions, PgPoolOptions},
};

use crate::{
    looks::{Begun, Looks},
    waker::Waker,
};

/// The channel on which replicas tell each other that something was committed. It carries no data: whoever hears it
/// reads the truth again.
pub const CHANGES_CHANNEL: &str = "halyard_changes";

/// The channel on which replicas tell each other that there is a question or an answer to read.
pub const REPLICAS_CHANNEL: &str = "halyard_replicas";

const MAX_CONNECTIONS: u32 = 20;
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// A failure of the database: lost, refusing, or holding something that cannot be read. The caller of the API sees
/// `internal server error`, the log the whole chain.
#[derive(Debug, thiserror::Error)]
#[error("database failure")]
pub struct Error(#[from] sqlx::Error);

impl Error {
    /// Whether the database refused what it was told, rather than being out of reach.
    pub const fn is_refusal(&self) -> bool {
        matches!(self.0, sqlx::Error::Database(_))
    }

    /// Whether the database could not be reached, or was lost, or had no connection left: the same may work later.
    pub const fn is_outage(&self) -> bool {
        use sqlx::Error;
        matches!(
            self.0,
            Error::Io(_)
                | Error::Tls(_)
                | Error::Protocol(_)
                | Error::PoolTimedOut
                | Error::PoolClosed
                | Error::WorkerCrashed
        )
    }
}

/// Result of what only the database can refuse.
pub type Result<T> = std::result::Result<T, Error>;

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        Self::internal(error)
    }
}

/// A pool for `DATABASE_URL`.
///
/// # Errors
/// When the address is malformed or nothing answers there.
pub async fn connect(url: &SecretString) -> Result<PgPool> {
    let options: PgConnectOptions = url.expose_secret().parse()?;
    let pool = PgPoolOptions::new()
        .max_connections(MAX_CONNECTIONS)
        .acquire_timeout(ACQUIRE_TIMEOUT);
    Ok(pool
        .connect_with(options.application_name("halyard"))
        .await?)
}

/// A pool besides the pool, of few connections that are made when they are needed: for what strangers can cause, so that
/// they do not take the connections of those who are known. Postgres ends a statement of it after `patience`.
pub fn pool_beside(pool: &PgPool, connections: NonZeroU32, patience: Duration) -> PgPool {
    let options = PgConnectOptions::clone(&pool.connect_options());
    PgPoolOptions::new()
        .max_connections(connections.get())
        .acquire_timeout(patience)
        .after_connect(move |conn, _| {
            Box::pin(async move {
                let patience = format!("{}ms", patience.as_millis());
                sqlx::query_scalar!(
                    "SELECT set_config('statement_timeout', $1, false)",
                    patience
                )
                .fetch_one(conn)
                .await?;
                Ok(())
            })
        })
        .connect_lazy_with(options)
}

/// A session besides the pool, for locks that are held as long as a process does something. Postgres ends it once it has been
/// silent for `silence`: whoever holds it sends something more often.
///
/// # Errors
/// When nobody answers.
pub async fn session(pool: &PgPool, silence: Duration) -> Result<PgConnection> {
    let options = pool.connect_options();
    let mut session = PgConnection::connect_with(&options).await?;
    sqlx::query_scalar!(
        "SELECT set_config('idle_session_timeout', $1, false)",
        format!("{}ms", silence.as_millis()),
    )
    .fetch_one(&mut session)
    .await?;
    Ok(session)
}

/// Brings the schema up to date, under a lock, so that replicas may start together.
///
/// # Errors
/// When a migration fails, or was changed after it had been applied.
pub async fn migrate(pool: &PgPool) -> std::result::Result<(), MigrateError> {
    sqlx::migrate!().run(pool).await
}

/// The database. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Db {
    pool: PgPool,
    changed: Waker,
    asked: Waker,
    looks: Looks,
}

impl Db {
    /// Wraps a pool. `changed` is woken after every announced commit of this process.
    pub fn new(pool: PgPool, changed: Waker) -> Self {
        Self {
            pool,
            changed,
            asked: Waker::new(),
            looks: Looks::default(),
        }
    }

    /// The pool, for what needs a connection of its own kind.
    pub const fn pool(&self) -> &PgPool {
        &self.pool
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
    /// When none can be had.
    pub async fn acquire(&self) -> Result<sqlx::pool::PoolConnection<Postgres>> {
        Ok(self.pool.acquire().await?)
    }

    /// Asks whether anybody answers.
    ///
    /// # Errors
    /// When nobody does.
    pub async fn ping(&self) -> Result<()> {
        self.acquire().await?.ping().await?;
        Ok(())
    }

    /// Begins a transaction.
    ///
    /// # Errors
    /// When no connection can be had.
    pub async fn begin(&self) -> Result<Tx> {
        let looks = self.looks.begun();
        Ok(Tx {
            looks,
            inner: self.begin_with("BEGIN").await?,
            after_commit: Vec::new(),
            changed: self.changed.clone(),
            announced: false,
        })
    }

    /// Begins to read several things as of one moment.
    ///
    /// # Errors
    /// When no connection can be had.
    pub async fn begin_reading(&self) -> Result<Transaction<'static, Postgres>> {
        self.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            .await
    }

    /// In a task of its own, which nobody cancels: sqlx would give the connection back with the transaction open, and whoever
    /// gets it next would be inside. A transaction that nobody waits for any more is rolled back.
    async fn begin_with(&self, statement: &'static str) -> Result<Transaction<'static, Postgres>> {
        let pool = self.pool.clone();
        let beginning = tokio::spawn(async move { pool.begin_with(statement).await });
        match beginning.await {
            Ok(begun) => Ok(begun?),
            // Only a runtime that is ending cancels it.
            Err(_) => Err(sqlx::Error::WorkerCrashed.into()),
        }
    }
}

type Effect = Box<dyn FnOnce() + Send>;

/// A transaction and the effects of its commit. Dropped without [`Tx::commit`], it rolls back and has none.
pub struct Tx {
    inner: Transaction<'static, Postgres>,
    after_commit: Vec<Effect>,
    changed: Waker,
    announced: bool,
    looks: Begun,
}

impl Tx {
    /// Runs `effect` once the transaction is committed. It must not block: it wakes somebody, or puts something on a queue.
    pub fn after_commit(&mut self, effect: impl FnOnce() + Send + 'static) {
        self.after_commit.push(Box::new(effect));
    }

    /// The looks that had begun before it.
    pub const fn looks_before(&self) -> Begun {
        self.looks
    }

    /// Wakes this process's publisher and, through [`CHANGES_CHANNEL`], the other replicas' at commit.
    pub const fn announce(&mut self) {
        self.announced = true;
    }

    /// Commits, then runs the effects in the order of their registration.
    ///
    /// # Errors
    /// When the commit fails; nothing happened then, and no effect runs. A connection lost during the commit leaves open whether it
    /// happened: the periods of background work cover the missing announcement.
    pub async fn commit(mut self) -> Result<()> {
        if self.announced {
            sqlx::query_scalar!("SELECT pg_notify($1, '')", CHANGES_CHANNEL)
                .execute(&mut *self.inner)
                .await?;
        }
        self.inner.commit().await?;
        if self.announced {
            self.changed.wake();
        }
        for effect in self.after_commit {
            effect();
        }
        Ok(())
    }
}

impl Deref for Tx {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.inner
    }
}

impl DerefMut for Tx {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.inner
    }
}
