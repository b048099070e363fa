//! The schema: which migrations a database has, and which ones this build knows.

use std::{collections::HashMap, time::Duration};

use serving::error::chain;
use sqlx::{
    Connection, PgConnection, PgPool,
    migrate::{Migrate, MigrateError, Migrator},
};
use tokio::time::sleep;

use super::pools::MIGRATION;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schema {
    UpToDate,
    /// Migrations that the database lacks.
    Missing(usize),
    /// Migrations that this build does not know; it lacks none. A newer release migrated the database.
    Newer(usize),
}

/// sqlx's table of applied migrations.
const TABLE: &str = "_sqlx_migrations";
const UNDEFINED_TABLE: &str = "42P01";
const DEADLOCK: &str = "40P01";
const LOCK_NOT_AVAILABLE: &str = "55P03";
/// Between two attempts, so that running replicas go on.
const PAUSE: Duration = Duration::from_secs(2);

impl Schema {
    /// Compares a database, without changing it.
    ///
    /// # Errors
    /// When a migration was changed after it had been applied, or when each side has migrations unknown to the other.
    pub async fn of(pool: &PgPool) -> Result<Self, MigrateError> {
        let mut conn = connect(pool).await?;
        let schema = compare(&mut conn).await?;
        conn.close().await?;
        Ok(schema)
    }
}

/// Brings the schema up to date, under a lock, so that replicas may start together. A migration may rewrite a large table, and takes
/// as long as it needs; but it does not keep running replicas waiting for a lock that another one holds, and tries again later.
///
/// A database of a newer release stays as it is: the previous release works on it, so that a rollback is possible.
///
/// # Errors
/// Those of [`Schema::of`], and when a migration fails.
pub async fn migrate(pool: &PgPool) -> Result<(), MigrateError> {
    loop {
        let mut conn = connect(pool).await?;
        MIGRATION.set(&mut conn).await?;
        match migrate_on(&mut conn).await {
            Err(error) if is_hindered(&error) => {
                tracing::warn!(error = %chain(&error), "a migration waits for a lock; trying again");
                // With the lock of migrations.
                conn.close().await?;
                sleep(PAUSE).await;
            }
            Err(error) => return Err(error),
            Ok(()) => return Ok(conn.close().await?),
        }
    }
}

async fn migrate_on(conn: &mut PgConnection) -> Result<(), MigrateError> {
    match compare(conn).await? {
        // It takes no right to change the schema.
        Schema::UpToDate => Ok(()),
        Schema::Newer(unknown) => {
            tracing::warn!(
                unknown,
                "the database was migrated by a newer release; only the release before that one works on it"
            );
            Ok(())
        }
        Schema::Missing(_) => migrator().run(conn).await,
    }
}

/// Whether only a lock was missing. Each file is a transaction: nothing of it happened.
fn is_hindered(error: &MigrateError) -> bool {
    let (MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _)) = error else {
        return false;
    };
    let code = error.as_database_error().and_then(|error| error.code());
    matches!(code.as_deref(), Some(DEADLOCK | LOCK_NOT_AVAILABLE))
}

/// The newest migration of the database.
pub(super) async fn newest(conn: &mut PgConnection) -> sqlx::Result<Option<i64>> {
    let applied = conn.list_applied_migrations(TABLE).await?;
    Ok(applied.iter().map(|migration| migration.version).max())
}

async fn connect(pool: &PgPool) -> sqlx::Result<PgConnection> {
    let options = (*pool.connect_options()).clone();
    // Otherwise sqlx logs a notice at each start: its table is there already.
    let options = options.options([("client_min_messages", "warning")]);
    PgConnection::connect_with(&options).await
}

fn migrator() -> Migrator {
    let mut migrator = sqlx::migrate!();
    // A newer replica may have migrated meanwhile, which is no error.
    migrator.set_ignore_missing(true);
    migrator
}

async fn compare(conn: &mut PgConnection) -> Result<Schema, MigrateError> {
    let applied = match conn.list_applied_migrations(TABLE).await {
        Err(MigrateError::Execute(sqlx::Error::Database(error)))
            if error.code().as_deref() == Some(UNDEFINED_TABLE) =>
        {
            Vec::new()
        }
        applied => applied?,
    };
    let applied = applied.into_iter().map(|one| (one.version, one.checksum));
    let mut unknown: HashMap<_, _> = applied.collect();
    let mut missing = 0;
    for known in migrator().iter() {
        match unknown.remove(&known.version) {
            None => missing += 1,
            Some(checksum) if checksum == known.checksum => {}
            Some(_) => return Err(MigrateError::VersionMismatch(known.version)),
        }
    }
    match (missing, unknown.keys().min()) {
        (0, None) => Ok(Schema::UpToDate),
        (_, None) => Ok(Schema::Missing(missing)),
        (0, Some(_)) => Ok(Schema::Newer(unknown.len())),
        (_, Some(version)) => Err(MigrateError::VersionMissing(*version)),
    }
}
