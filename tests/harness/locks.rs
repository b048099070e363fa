//! Sessions that hold locks, and statements that wait for them.

use sqlx::{Connection, PgConnection};

use crate::{App, eventually};

impl App {
    /// A session of the test's own, without any time-out.
    ///
    /// # Panics
    /// When the database does not answer.
    pub async fn session(&self) -> PgConnection {
        let options = self.pool().connect_options();
        PgConnection::connect_with(&options)
            .await
            .expect("the test's database")
    }

    /// How many statements wait for a lock.
    ///
    /// # Panics
    /// When the database does not answer.
    pub async fn waiting_for_locks(&self) -> i64 {
        sqlx::query_scalar(
            "SELECT COUNT(*)
             FROM pg_stat_activity
             WHERE datname = current_database() AND wait_event_type = 'Lock'",
        )
        .fetch_one(self.pool())
        .await
        .expect("the test's database")
    }

    /// Waits until at least so many statements wait for a lock.
    ///
    /// # Panics
    /// When they do not in time.
    pub async fn until_waiting_for_locks(&self, statements: i64) {
        eventually("statements wait for locks", async || {
            (self.waiting_for_locks().await >= statements).then_some(())
        })
        .await;
    }
}
