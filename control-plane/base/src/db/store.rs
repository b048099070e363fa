//! What `/ready` tells of the database.

use sqlx::PgConnection;

/// What a database holds that tells an operator whether all is well.
#[derive(Clone, Copy, Debug)]
pub struct State {
    /// Mails that wait, up to 1,000.
    pub mails: i64,
    /// By how many seconds the one is late that waits for the longest time.
    pub mail_late: f64,
}

pub(super) async fn state(conn: &mut PgConnection) -> sqlx::Result<State> {
    sqlx::query_as!(
        State,
        r#"SELECT (SELECT count(*) FROM (SELECT FROM mails LIMIT 1000) waiting) AS "mails!",
                  GREATEST(0, extract(epoch FROM clock_timestamp() - LEAST(
                      (SELECT min(due_at) FROM mails WHERE priority = 0),
                      (SELECT min(due_at) FROM mails WHERE priority = 1)
                  )))::float8 AS "mail_late!""#
    )
    .fetch_one(conn)
    .await
}
