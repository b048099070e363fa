//! What `/ready` tells of the database.

use sqlx::PgConnection;

/// What a database holds that tells an operator whether all is well.
#[derive(Clone, Copy, Debug)]
pub struct State {
    /// Mails that wait, up to 1,000.
    pub mails: i64,
    /// By how many seconds the one is late that waits for the longest time.
    pub mail_late: f64,
    /// Mails that are due or were tried, of the first 1,000.
    pub mails_due: i64,
    /// For how many seconds the oldest of these has waited.
    pub mail_age: f64,
}

impl State {
    /// Sets the gauges.
    #[expect(clippy::cast_precision_loss, reason = "there are up to 1,000")]
    pub fn measure(&self) {
        metrics::gauge!("halyard_mails_waiting").set(self.mails_due as f64);
        metrics::gauge!("halyard_mail_oldest_seconds").set(self.mail_age);
    }
}

pub(super) async fn state(conn: &mut PgConnection) -> sqlx::Result<State> {
    sqlx::query_as!(
        State,
        r#"WITH first AS (SELECT attempts, due_at, created_at FROM mails ORDER BY priority, due_at LIMIT 1000),
                due AS (SELECT created_at FROM first WHERE attempts > 0 OR due_at <= clock_timestamp())
           SELECT (SELECT count(*) FROM first) AS "mails!",
                  GREATEST(0, extract(epoch FROM clock_timestamp() - LEAST(
                      (SELECT min(due_at) FROM mails WHERE priority = 0),
                      (SELECT min(due_at) FROM mails WHERE priority = 1)
                  )))::float8 AS "mail_late!",
                  (SELECT count(*) FROM due) AS "mails_due!",
                  GREATEST(0, extract(epoch FROM clock_timestamp() - (SELECT min(created_at) FROM due)))::float8
                      AS "mail_age!""#
    )
    .fetch_one(conn)
    .await
}
