//! What there is in a database that something is to be restored into.

use base::db;
use sqlx::PgConnection;

/// How many tables there are.
pub(super) async fn count_tables(conn: &mut PgConnection) -> db::Result<i64> {
    let count = sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM pg_class
           WHERE relnamespace = to_regnamespace('public') AND relkind IN ('r', 'p')"#
    );
    Ok(count.fetch_one(conn).await?)
}
