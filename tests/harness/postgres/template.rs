//! The database that every test's is a copy of.

use std::path::PathBuf;

use sqlx::migrate::Migrator;
use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Connection, Executor, Row};

use super::server::Server;
use super::{drop_database, execute};
use crate::places;

/// The migrated template of this schema; made by whoever comes first, under a lock of the server.
pub(super) async fn ensure(server: &mut Server) -> anyhow::Result<String> {
    const TEMPLATES: i64 = 0x6861_6c79_6172_6421;

    let migrator = Migrator::new(migrations().as_path()).await?;
    let mut hasher = sha2::Sha256::default();
    for migration in migrator.iter() {
        sha2::Digest::update(&mut hasher, &migration.checksum);
    }
    let roles = std::fs::read_to_string(places::repository().join("deploy/postgres/roles.sql"))?;
    sha2::Digest::update(&mut hasher, &roles);
    let hash = hex::encode(&sha2::Digest::finalize(hasher)[..8]);
    let name = format!("halyard_template_{hash}");

    if exists(&mut server.session, &name).await? {
        return Ok(name);
    }
    sqlx::query("SELECT pg_advisory_lock($1)")
        .bind(TEMPLATES)
        .execute(&mut server.session)
        .await?;
    if !exists(&mut server.session, &name).await? {
        let unfinished = format!("{name}_new");
        drop_database(&mut server.session, &unfinished).await?;
        execute(&mut server.session, format!("CREATE DATABASE {unfinished}")).await?;
        let mut template = PgConnection::connect(&server.url_of(&unfinished)?).await?;
        migrator.run(&mut template).await?;
        template.execute(AssertSqlSafe(roles)).await?;
        template.close().await?;
        execute(
            &mut server.session,
            format!("ALTER DATABASE {unfinished} RENAME TO {name}"),
        )
        .await?;
    }
    sqlx::query("SELECT pg_advisory_unlock($1)")
        .bind(TEMPLATES)
        .execute(&mut server.session)
        .await?;
    Ok(name)
}

/// Whether the server has a database of that name.
pub(super) async fn exists(connection: &mut PgConnection, name: &str) -> anyhow::Result<bool> {
    let row = sqlx::query("SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)")
        .bind(name)
        .fetch_one(connection)
        .await?;
    Ok(row.get(0))
}

fn migrations() -> PathBuf {
    places::repository().join("migrations")
}
