//! Which database it is, and whether its data was used elsewhere before.

use protocol::wire::message::Epoch;
use sha2::{Digest as _, Sha256};
use sqlx::PgConnection;
use uuid::Uuid;

use base::db;

/// The identity of a database: the cluster, the timeline of its log (a promoted standby's differs, and may lack commits of the
/// old primary), the database, and its tables. Together with the stored history it makes the epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Database {
    system: i64,
    timeline: String,
    database: u32,
    tables: u32,
}

impl Database {
    #[cfg(test)]
    pub(crate) fn on(timeline: &str) -> Self {
        Self {
            system: 1,
            timeline: timeline.to_owned(),
            database: 1,
            tables: 1,
        }
    }

    /// The epoch in which versions compare.
    pub(crate) fn epoch(&self, history: Uuid) -> Epoch {
        let hash = self.hash().chain_update(history).finalize();
        let (epoch, _) = hash.split_first_chunk().expect("a hash has 32 bytes");
        Epoch(*epoch)
    }

    fn hash(&self) -> Sha256 {
        Sha256::new()
            .chain_update(self.system.to_be_bytes())
            .chain_update(&self.timeline)
            .chain_update(self.database.to_be_bytes())
            .chain_update(self.tables.to_be_bytes())
    }
}

/// Identifies the database.
pub(crate) async fn identify(conn: &mut PgConnection) -> db::Result<Database> {
    let row = sqlx::query!(
        r#"SELECT (SELECT system_identifier FROM pg_control_system()) AS "system!",
                  substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) AS "timeline!",
                  (SELECT oid FROM pg_database WHERE datname = current_database()) AS "database!",
                  'projects'::regclass::oid AS "tables!""#,
    )
    .fetch_one(conn)
    .await?;
    Ok(Database {
        system: row.system,
        timeline: row.timeline,
        database: row.database.0,
        tables: row.tables.0,
    })
}

/// Records where the data is used. True for one caller if it was used elsewhere before.
pub(crate) async fn has_moved(conn: &mut PgConnection, to: &Database) -> db::Result<bool> {
    let identity = to.hash().finalize();
    let before = sqlx::query_scalar!("SELECT identity FROM database_history")
        .fetch_optional(&mut *conn)
        .await?
        .flatten();
    if before.as_deref() == Some(&identity[..]) {
        return Ok(false);
    }
    let recorded = sqlx::query!(
        "UPDATE database_history SET identity = $1 WHERE identity IS NOT DISTINCT FROM $2",
        &identity[..],
        before,
    )
    .execute(conn)
    .await?;
    Ok(before.is_some() && recorded.rows_affected() > 0)
}
