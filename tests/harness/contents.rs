//! What the database holds, to see that a request changed nothing.

use std::collections::BTreeMap;

use crate::App;

/// Tables that change by themselves, or by any request: who is there, who was seen last, hashes of what is served.
const RESTLESS: [&str; 7] = [
    "database_history",
    "environment_digests",
    "org_activity",
    "replica_answers",
    "replica_marks",
    "replica_questions",
    "replicas",
];

impl App {
    /// A hash of each table's rows, by the name of the table.
    ///
    /// # Panics
    /// When the database does not answer.
    pub async fn contents(&self) -> BTreeMap<String, String> {
        let tables: Vec<String> = sqlx::query_scalar(
            "SELECT table_name::text FROM information_schema.tables
             WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name <> ALL($1)",
        )
        .bind(RESTLESS)
        .fetch_all(self.pool())
        .await
        .expect("the names of tables");
        let hashes = tables.iter().map(|table| {
            format!(
                "SELECT '{table}' AS name, md5(COALESCE(string_agg(one::text, ';' ORDER BY one::text), '')) AS hash
                 FROM {table} AS one"
            )
        });
        let hashes = hashes.collect::<Vec<_>>().join(" UNION ALL ");
        let hashes = sqlx::query_as(sqlx::AssertSqlSafe(hashes)).fetch_all(self.pool());
        let hashes: Vec<(String, String)> = hashes.await.expect("their rows");
        hashes.into_iter().collect()
    }
}
