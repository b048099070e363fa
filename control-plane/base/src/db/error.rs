//! How the database fails, and what a client is told of it.

use std::time::Duration;

use serving::error::{ApiError, chain};

use crate::limits::Full;

const BUSY: &str = "the database is busy";

/// A failure of the database: lost, refusing, busy, or holding something that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("database failure")]
pub struct Error(#[source] Cause);

#[derive(Debug, thiserror::Error)]
enum Cause {
    #[error(transparent)]
    Sql(sqlx::Error),
    #[error(transparent)]
    Full(Full),
    #[error(
        "DATABASE_URL leads to a pooler that shares sessions between transactions, which would break locks and notifications: \
         connect directly, or set `pool_mode = session` there"
    )]
    NoSessions,
    #[error("the database failed over meanwhile")]
    Moved,
}

/// Result of what only the database can refuse.
pub type Result<T> = std::result::Result<T, Error>;

/// Why something was not done that may be done soon. Nothing of it happened, unless the connection was lost during the commit.
/// It is not tried again here: that is for the client to decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Busy {
    /// Whoever asks has its share of the connections, and enough that wait for more.
    Share,
    /// No connection in time.
    Connection,
    /// A lock that others hold was not free in time.
    Lock,
    /// A statement took too long.
    Statement,
    /// A transaction was left idle for too long.
    Idle,
    /// Two transactions waited for each other, and this one was given up.
    Deadlock,
    /// Two transactions could not both happen.
    Serialization,
    /// The database cannot be reached, lets nobody in, or takes no writes: it starts, stops, or another one leads now.
    Unavailable,
}

impl Busy {
    /// Its name in metrics.
    const fn name(self) -> &'static str {
        match self {
            Self::Share => "share",
            Self::Connection => "connection",
            Self::Lock => "lock",
            Self::Statement => "statement",
            Self::Idle => "idle",
            Self::Deadlock => "deadlock",
            Self::Serialization => "serialization",
            Self::Unavailable => "unavailable",
        }
    }
}

impl Error {
    pub(super) const fn no_sessions() -> Self {
        Self(Cause::NoSessions)
    }

    pub(super) const fn moved() -> Self {
        Self(Cause::Moved)
    }

    /// Whether the same may work soon.
    pub fn busy(&self) -> Option<Busy> {
        use sqlx::Error;
        let error = match &self.0 {
            Cause::Full(_) => return Some(Busy::Share),
            Cause::NoSessions => return None,
            Cause::Moved => return Some(Busy::Unavailable),
            Cause::Sql(error) => error,
        };
        match error {
            Error::PoolTimedOut => Some(Busy::Connection),
            Error::Io(_)
            | Error::Tls(_)
            | Error::Protocol(_)
            | Error::PoolClosed
            | Error::WorkerCrashed => Some(Busy::Unavailable),
            Error::Database(error) => match &*error.code()? {
                "53300" => Some(Busy::Connection),
                "55P03" => Some(Busy::Lock),
                "57014" => Some(Busy::Statement),
                "25P03" => Some(Busy::Idle),
                "40P01" => Some(Busy::Deadlock),
                "40001" => Some(Busy::Serialization),
                code if is_unavailable(code) => Some(Busy::Unavailable),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether the database refused what it was told, rather than being out of reach or busy.
    pub fn is_refusal(&self) -> bool {
        matches!(self.0, Cause::Sql(sqlx::Error::Database(_))) && self.busy().is_none()
    }

    /// Whether the database could not be reached, or was lost, or was too busy: the same may work later.
    pub fn is_outage(&self) -> bool {
        self.busy().is_some()
    }
}

/// Whether an answer with this SQLSTATE comes from a database that cannot work now, whatever it is asked.
fn is_unavailable(code: &str) -> bool {
    /// Connection exceptions; refused credentials; no disk, memory or connections; an operator who stops it.
    const CLASSES: [&str; 4] = ["08", "28", "53", "57"];
    /// It only reads, as a former primary does; it accepts no connections; it is not there, as during a restore.
    const CODES: [&str; 3] = ["25006", "55000", "3D000"];
    CODES.contains(&code) || CLASSES.iter().any(|class| code.starts_with(class))
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        Self(Cause::Sql(error))
    }
}

impl From<Full> for Error {
    fn from(full: Full) -> Self {
        Self(Cause::Full(full))
    }
}

/// Busy or unavailable is 503; for anything else the caller of the API sees `internal server error`, the log the whole chain.
impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        let Some(busy) = error.busy() else {
            return Self::internal(error);
        };
        let words = match busy {
            // Either may be a fault of ours: a query that is slow, work in the middle of a transaction.
            Busy::Statement | Busy::Idle => {
                tracing::warn!(error = chain(&error), "the database gave a request up");
                BUSY
            }
            Busy::Unavailable => {
                tracing::warn!(error = chain(&error), "the database is unavailable");
                "the database is unavailable"
            }
            Busy::Share | Busy::Connection | Busy::Lock | Busy::Deadlock | Busy::Serialization => {
                BUSY
            }
        };
        metrics::counter!("halyard_database_busy_total", "reason" => busy.name()).increment(1);
        Self::unavailable(words).retry_after(Duration::from_secs(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_connection_in_time_is_busy_and_anything_else_a_fault() {
        let told = |error: Error| ApiError::from(error).status().as_u16();
        assert_eq!(told(sqlx::Error::PoolTimedOut.into()), 503);
        assert_eq!(told(sqlx::Error::RowNotFound.into()), 500);
    }
}
