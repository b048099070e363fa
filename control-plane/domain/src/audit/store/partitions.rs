//! SQL of the partitions of the audit log. Statements that define tables take no parameters: names are those of the catalog, and
//! bounds are written as text.

use sqlx::{PgConnection, Postgres, QueryBuilder};
use time::{OffsetDateTime, UtcOffset, macros::format_description};

use crate::audit::partitions::Partition;
use base::db;

/// While one of these statements waits for a lock, whatever needs the tables waits behind it.
const WAIT: &str = "SET LOCAL lock_timeout = '500ms'";
/// The partitions, from the oldest to the newest.
pub(in crate::audit) async fn list(conn: &mut PgConnection) -> db::Result<Vec<Partition>> {
    Ok(sqlx::query_as!(
        Partition,
        r#"SELECT name AS "name!",
                  substring(bounds FROM 'FROM \(''([^'']+)''\)')::timestamptz AS start,
                  substring(bounds FROM 'TO \(''([^'']+)''\)')::timestamptz AS "end",
                  pg_relation_size(partition.oid) = 0 AS "is_empty!",
                  EXISTS (SELECT FROM pg_constraint WHERE conrelid = partition.oid AND conname = 'audit_entries_end_check') AS "is_limited!"
           FROM (
               SELECT c.oid, c.oid::regclass::text AS name, pg_get_expr(c.relpartbound, c.oid) AS bounds
               FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
               WHERE i.inhparent = 'audit_entries'::regclass
           ) AS partition
           ORDER BY 3 NULLS LAST"#,
    )
    .fetch_all(conn)
    .await?)
}

/// The size of the log, with its indexes.
pub(in crate::audit) async fn bytes(conn: &mut PgConnection) -> db::Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"SELECT coalesce(sum(pg_total_relation_size(inhrelid)), 0)::bigint AS "bytes!"
           FROM pg_inherits
           WHERE inhparent = 'audit_entries'::regclass"#,
    )
    .fetch_one(conn)
    .await?)
}

/// When the newest entry was written, by the clock of its writer.
pub(in crate::audit) async fn newest(
    conn: &mut PgConnection,
) -> db::Result<Option<OffsetDateTime>> {
    Ok(
        sqlx::query_scalar!("SELECT max(created_at) FROM audit_entries")
            .fetch_one(conn)
            .await?,
    )
}

/// Makes the newest partition refuse entries from `end` on, so that [`close`] scans nothing under its locks. Entries that are
/// written meanwhile go on.
pub(in crate::audit) async fn limit(
    conn: &mut PgConnection,
    partition: &Partition,
    end: OffsetDateTime,
) -> db::Result<()> {
    let Partition { name, .. } = partition;
    let end = literal(end);
    let statements = format!(
        "{WAIT};
         ALTER TABLE {name} DROP CONSTRAINT IF EXISTS audit_entries_end_check,
             ADD CONSTRAINT audit_entries_end_check CHECK (created_at < {end}) NOT VALID"
    );
    run(conn, &statements).await
}

pub(in crate::audit) async fn unlimit(
    conn: &mut PgConnection,
    partition: &Partition,
) -> db::Result<()> {
    let Partition { name, .. } = partition;
    let statements =
        format!("{WAIT}; ALTER TABLE {name} DROP CONSTRAINT IF EXISTS audit_entries_end_check");
    run(conn, &statements).await
}

/// Reads all of the partition, which takes seconds for each gigabyte. Does nothing if another replica has closed it meanwhile, which
/// took the constraint away.
pub(in crate::audit) async fn validate(
    conn: &mut PgConnection,
    partition: &Partition,
) -> db::Result<()> {
    let Partition { name, .. } = partition;
    run(conn, &format!("{WAIT}; SET LOCAL statement_timeout = 0")).await?;
    let block = format!(
        "DO $$ BEGIN
             ALTER TABLE {name} VALIDATE CONSTRAINT audit_entries_end_check;
         EXCEPTION WHEN undefined_object THEN NULL;
         END $$"
    );
    execute(conn, &block).await
}

/// Keeps everybody else from the log, in the order of transactions that change something: first their organization.
pub(in crate::audit) async fn lock(conn: &mut PgConnection) -> db::Result<()> {
    let statements = format!(
        "{WAIT};
         LOCK TABLE organizations IN ACCESS EXCLUSIVE MODE;
         LOCK TABLE ONLY audit_entries IN ACCESS EXCLUSIVE MODE"
    );
    run(conn, &statements).await
}

/// Ends the newest partition, and adds one after it.
pub(in crate::audit) async fn close(
    conn: &mut PgConnection,
    partition: &Partition,
    end: OffsetDateTime,
) -> db::Result<()> {
    let Partition { name, start, .. } = partition;
    let start = start.map_or_else(|| "MINVALUE".to_owned(), literal);
    let next = format!(
        "audit_entries_{:04}_{:02}",
        end.year(),
        u8::from(end.month())
    );
    let end = literal(end);
    let statements = format!(
        "ALTER TABLE audit_entries DETACH PARTITION {name};
         ALTER TABLE audit_entries ATTACH PARTITION {name} FOR VALUES FROM ({start}) TO ({end});
         ALTER TABLE {name} DROP CONSTRAINT IF EXISTS audit_entries_end_check;
         CREATE TABLE {next} PARTITION OF audit_entries (CONSTRAINT {next}_pkey PRIMARY KEY (id))
             FOR VALUES FROM ({end}) TO (MAXVALUE)"
    );
    run(conn, &statements).await
}

/// Drops the oldest partitions, which end at `end`. An empty one takes their place, for writers whose clock is late.
pub(in crate::audit) async fn drop_oldest(
    conn: &mut PgConnection,
    partitions: &[Partition],
    end: OffsetDateTime,
) -> db::Result<()> {
    let names: Vec<_> = partitions.iter().map(|one| one.name.as_str()).collect();
    let statements = format!(
        "DROP TABLE {};
         CREATE TABLE audit_entries_first PARTITION OF audit_entries (CONSTRAINT audit_entries_first_pkey PRIMARY KEY (id))
             FOR VALUES FROM (MINVALUE) TO ({})",
        names.join(", "),
        literal(end),
    );
    run(conn, &statements).await
}

async fn run(conn: &mut PgConnection, statements: &str) -> db::Result<()> {
    for statement in statements.split(';') {
        execute(conn, statement).await?;
    }
    Ok(())
}

async fn execute(conn: &mut PgConnection, statement: &str) -> db::Result<()> {
    let mut statement = QueryBuilder::<Postgres>::new(statement);
    statement.build().persistent(false).execute(conn).await?;
    Ok(())
}

fn literal(at: OffsetDateTime) -> String {
    let format = format_description!("'[year]-[month]-[day] [hour]:[minute]:[second]+00'");
    at.to_offset(UtcOffset::UTC)
        .format(format)
        .expect("a time has all of these")
}
