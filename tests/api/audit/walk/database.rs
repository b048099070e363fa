//! What the walk sees of the database: entries, the contents of all tables, and commits that fail.

use std::collections::BTreeMap;

use serde_json::Value;
use sqlx::{PgPool, Row};

/// An entry as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub org_id: String,
    pub action: String,
    pub actor_type: String,
    pub actor_id: Option<String>,
    pub resource_type: String,
    pub resource_id: Option<String>,
    pub project_id: Option<String>,
    pub before: Value,
    pub after: Value,
    pub metadata: Value,
    pub ip_address: Option<String>,
}

/// All entries of all organizations, in the order in which they were written.
pub async fn entries(pool: &PgPool) -> Vec<Entry> {
    let rows = sqlx::query(
        "SELECT org_id::text, action, actor_type, actor_id::text, resource_type, resource_id, project_id::text,
                before_state, after_state, metadata, ip_address
         FROM audit_entries
         ORDER BY created_at, id",
    );
    let state = |row: &sqlx::postgres::PgRow, name| {
        let state: Option<Value> = row.get(name);
        state.unwrap_or_default()
    };
    rows.fetch_all(pool)
        .await
        .expect("the trail")
        .iter()
        .map(|row| Entry {
            org_id: row.get("org_id"),
            action: row.get("action"),
            actor_type: row.get("actor_type"),
            actor_id: row.get("actor_id"),
            resource_type: row.get("resource_type"),
            resource_id: row.get("resource_id"),
            project_id: row.get("project_id"),
            before: state(row, "before_state"),
            after: state(row, "after_state"),
            metadata: state(row, "metadata"),
            ip_address: row.get("ip_address"),
        })
        .collect()
}

/// Adds what the other functions need. A commit is failed by a trigger that fires at the end of the transaction, when both the
/// change and its entry are written.
pub async fn prepare(pool: &PgPool) {
    sqlx::raw_sql(
        "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'injected'; END $$;
         CREATE CONSTRAINT TRIGGER injected AFTER INSERT ON audit_entries
             DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fail();
         ALTER TABLE audit_entries DISABLE TRIGGER injected;

         CREATE FUNCTION contents() RETURNS TABLE (name text, content text) LANGUAGE plpgsql AS $$
         BEGIN
             FOR name IN
                 SELECT table_name FROM information_schema.tables
                 WHERE table_schema = 'public' AND table_name NOT LIKE 'replica%' AND table_name <> 'environment_digests'
             LOOP
                 EXECUTE format('SELECT md5(string_agg(t::text, E''\\n'' ORDER BY t::text)) FROM %I AS t', name) INTO content;
                 RETURN NEXT;
             END LOOP;
         END $$;

         CREATE FUNCTION stored_secrets() RETURNS SETOF text LANGUAGE plpgsql AS $$
         DECLARE place record;
         BEGIN
             FOR place IN
                 SELECT table_name, column_name FROM information_schema.columns
                 WHERE table_schema = 'public' AND data_type = 'bytea'
             LOOP
                 RETURN QUERY EXECUTE format(
                     'SELECT encode(%1$I, ''hex'') FROM %2$I WHERE length(%1$I) >= 16', place.column_name, place.table_name);
             END LOOP;
             RETURN QUERY SELECT password_hash FROM users WHERE password_hash IS NOT NULL;
         END $$;",
    )
    .execute(pool)
    .await
    .expect("functions and a trigger");
}

/// Lets every transaction fail that writes an entry, or none.
pub async fn fail_commits_with_entries(pool: &PgPool, fail: bool) {
    let change = if fail {
        "ALTER TABLE audit_entries ENABLE TRIGGER injected"
    } else {
        "ALTER TABLE audit_entries DISABLE TRIGGER injected"
    };
    sqlx::raw_sql(change)
        .execute(pool)
        .await
        .expect("a trigger");
}

/// A digest of every table, by its name; but for those in which replicas tell each other all the time that they are there, and
/// for the digests that publishing stores when it has computed them, which belong to no change.
pub async fn contents(pool: &PgPool) -> BTreeMap<String, Option<String>> {
    let tables = sqlx::query_as("SELECT name, content FROM contents()");
    tables
        .fetch_all(pool)
        .await
        .expect("all tables")
        .into_iter()
        .collect()
}

/// Hashes and what is sealed, as hex digits, and the hashes of passwords.
pub async fn stored_secrets(pool: &PgPool) -> Vec<String> {
    let found = sqlx::query_scalar("SELECT stored_secrets()");
    found.fetch_all(pool).await.expect("what is stored")
}
