//! The schema: which migrations a database has, and which ones this build knows.

use std::collections::HashMap;

use sqlx::{
    Connection, PgConnection, PgPool,
    migrate::{Migrate, MigrateError, Migrator},
};

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

/// Brings the schema up to date, under a lock, so that replicas may start together. On a connection without time-outs: a
/// migration may rewrite a large table, and a replica may wait for another one that does.
///
/// A database of a newer release stays as it is: the previous release works on it, so that a rollback is possible.
///
/// # Errors
/// Those of [`Schema::of`], and when a migration fails.
pub async fn migrate(pool: &PgPool) -> Result<(), MigrateError> {
    let mut conn = connect(pool).await?;
    if let Schema::Newer(unknown) = compare(&mut conn).await? {
        tracing::warn!(
            unknown,
            "the database was migrated by a newer release; only the release before that one works on it"
        );
    } else {
        migrator().run(&mut conn).await?;
    }
    Ok(conn.close().await?)
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
