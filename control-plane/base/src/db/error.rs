//! How the database fails, and what a client is told of it.

use std::time::Duration;

use serving::error::{ApiError, chain};

use crate::limits::Full;

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
}

/// Result of what only the database can refuse.
pub type Result<T> = std::result::Result<T, Error>;

/// Why something was not done that may be done soon. Nothing of it happened.
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
        }
    }
}

impl Error {
    /// Whether it was only too busy.
    pub fn busy(&self) -> Option<Busy> {
        match &self.0 {
            Cause::Full(_) => Some(Busy::Share),
            Cause::Sql(sqlx::Error::PoolTimedOut) => Some(Busy::Connection),
            Cause::Sql(sqlx::Error::Database(error)) => match &*error.code()? {
                "53300" => Some(Busy::Connection),
                "55P03" => Some(Busy::Lock),
                "57014" => Some(Busy::Statement),
                "25P03" => Some(Busy::Idle),
                "40P01" => Some(Busy::Deadlock),
                "40001" => Some(Busy::Serialization),
                _ => None,
            },
            Cause::Sql(_) => None,
        }
    }

    /// Whether the database refused what it was told, rather than being out of reach or busy.
    pub fn is_refusal(&self) -> bool {
        matches!(self.0, Cause::Sql(sqlx::Error::Database(_))) && self.busy().is_none()
    }

    /// Whether the database could not be reached, or was lost, or was too busy: the same may work later.
    pub fn is_outage(&self) -> bool {
        use sqlx::Error;
        let is_lost = matches!(
            self.0,
            Cause::Sql(
                Error::Io(_)
                    | Error::Tls(_)
                    | Error::Protocol(_)
                    | Error::PoolClosed
                    | Error::WorkerCrashed
            )
        );
        is_lost || self.busy().is_some()
    }
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

/// Too busy is 503; for anything else the caller of the API sees `internal server error`, the log the whole chain.
impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        let Some(busy) = error.busy() else {
            return Self::internal(error);
        };
        match busy {
            // Either may be a fault of ours: a query that is slow, work in the middle of a transaction.
            Busy::Statement | Busy::Idle => {
                tracing::warn!(error = chain(&error), "the database gave a request up");
            }
            Busy::Share | Busy::Connection | Busy::Lock | Busy::Deadlock | Busy::Serialization => {}
        }
        metrics::counter!("halyard_database_busy_total", "reason" => busy.name()).increment(1);
        Self::unavailable("the database is busy").retry_after(Duration::from_secs(1))
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
