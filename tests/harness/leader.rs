//! Which replica leads.

use crate::App;

impl App {
    /// Ends the session of the leading replica, so that another one leads.
    ///
    /// # Panics
    /// When not exactly one leads.
    pub async fn depose_the_leader(&self) {
        let ended: i64 = sqlx::query_scalar(
            "SELECT COUNT(*) FILTER (WHERE pg_terminate_backend(pid))
             FROM pg_locks
             WHERE locktype = 'advisory' AND granted
                 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
        )
        .fetch_one(self.pool())
        .await
        .expect("the test's database");
        assert_eq!(ended, 1, "one session holds the lock");
    }
}
