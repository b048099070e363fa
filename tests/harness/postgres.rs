//! A database of its own for every test, on real PostgreSQL.
//!
//! `TEST_DATABASE_URL` names the server; without it a throwaway one is started through `./dev postgres`
//! and shared by all test processes of this target folder. The schema is made once, in a template; each
//! test gets a copy of it, and drops it at its end.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use anyhow::Context;
use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, Connection, Executor, Row};

use crate::places;

/// Tests never run as long: a database older than this was left by a test that was killed.
const ABANDONED_AFTER: Duration = Duration::from_secs(3_600);

const PREFIX: &str = "halyard_test_";

/// A migrated, empty database that is dropped with this value.
pub struct Database {
    /// The database's own name.
    name: String,
    server: PgConnectOptions,
    url: String,
}

impl Database {
    /// Makes one.
    ///
    /// # Panics
    /// When no server can be found or started: a test that needs one has to fail then.
    pub async fn create() -> Self {
        Self::try_create().await.expect("a database for this test")
    }

    async fn try_create() -> anyhow::Result<Self> {
        let (server_url, mut connection) = connect().await?;
        drop_abandoned(&mut connection).await?;
        let template = ensure_template(&mut connection, &server_url).await?;

        let name = format!(
            "{PREFIX}{}_{}",
            unix_seconds(),
            uuid::Uuid::new_v4().simple()
        );
        // Copying files beats replaying the template through the log; before 15 there is no choice.
        let strategy = if is_at_least(&mut connection, 15).await? {
            "STRATEGY FILE_COPY"
        } else {
            ""
        };
        execute(
            &mut connection,
            format!("CREATE DATABASE {name} TEMPLATE {template} {strategy}"),
        )
        .await?;
        connection.close().await?;
        Ok(Self {
            url: url_of(&server_url, &name)?,
            server: server_url.parse()?,
            name,
        })
    }

    /// For `DATABASE_URL`.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let (name, server) = (self.name.clone(), self.server.clone());
        let dropping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?;
            runtime.block_on(async {
                let mut connection = PgConnection::connect_with(&server).await?;
                drop_database(&mut connection, &name).await
            })
        });
        DROPPING.with_borrow_mut(|all| all.0.push(dropping));
    }
}

thread_local! {
    static DROPPING: RefCell<Dropping> = const { RefCell::new(Dropping(Vec::new())) };
}

/// Databases being dropped. They are waited for when the test's thread ends, and not before: the server waits for
/// clients that are just connecting, and while this thread waited, the test's runtime could not let go of them.
struct Dropping(Vec<JoinHandle<anyhow::Result<()>>>);

impl Drop for Dropping {
    fn drop(&mut self) {
        for dropping in self.0.drain(..) {
            if let Ok(Err(error)) = dropping.join() {
                eprintln!("a database of this test stays: {error:#}");
            }
        }
    }
}

/// Connects to the server, which is started when nobody named one and none runs.
async fn connect() -> anyhow::Result<(String, PgConnection)> {
    if let Ok(url) = std::env::var("TEST_DATABASE_URL") {
        let connection = PgConnection::connect(&url)
            .await
            .context("TEST_DATABASE_URL")?;
        return Ok((url, connection));
    }
    let folder = places::target().join("test-postgres");
    if let Ok(url) = std::fs::read_to_string(folder.join("url"))
        && let Ok(connection) = PgConnection::connect(url.trim()).await
    {
        return Ok((url.trim().to_owned(), connection));
    }
    let url = start_server(&folder)?;
    let connection = PgConnection::connect(&url)
        .await
        .context("the server just started")?;
    Ok((url, connection))
}

/// `./dev postgres` holds a lock, so that all but one of many callers just learn the address.
fn start_server(folder: &Path) -> anyhow::Result<String> {
    let output = Command::new(places::repository().join("dev"))
        .args(["postgres", "start"])
        .arg(folder)
        .arg("--fast")
        .output()
        .context("running ./dev postgres start")?;
    anyhow::ensure!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// The migrated template of this schema; made by whoever comes first, under a lock of the server.
async fn ensure_template(connection: &mut PgConnection, server: &str) -> anyhow::Result<String> {
    const TEMPLATES: i64 = 0x6861_6c79_6172_6421;

    let migrator = Migrator::new(migrations().as_path()).await?;
    let mut hasher = sha2::Sha256::default();
    for migration in migrator.iter() {
        sha2::Digest::update(&mut hasher, &migration.checksum);
    }
    let hash = hex::encode(&sha2::Digest::finalize(hasher)[..8]);
    let name = format!("halyard_template_{hash}");

    sqlx::query("SELECT pg_advisory_lock($1)")
        .bind(TEMPLATES)
        .execute(&mut *connection)
        .await?;
    if !exists(connection, &name).await? {
        let unfinished = format!("{name}_new");
        drop_database(connection, &unfinished).await?;
        execute(connection, format!("CREATE DATABASE {unfinished}")).await?;
        let mut template = PgConnection::connect(&url_of(server, &unfinished)?).await?;
        migrator.run(&mut template).await?;
        template.close().await?;
        execute(
            connection,
            format!("ALTER DATABASE {unfinished} RENAME TO {name}"),
        )
        .await?;
    }
    sqlx::query("SELECT pg_advisory_unlock($1)")
        .bind(TEMPLATES)
        .execute(connection)
        .await?;
    Ok(name)
}

async fn drop_abandoned(connection: &mut PgConnection) -> anyhow::Result<()> {
    let rows = sqlx::query("SELECT datname FROM pg_database WHERE starts_with(datname, $1)")
        .bind(PREFIX)
        .fetch_all(&mut *connection)
        .await?;
    let oldest = unix_seconds().saturating_sub(ABANDONED_AFTER.as_secs());
    for row in rows {
        let name: String = row.get(0);
        let made = name[PREFIX.len()..]
            .split('_')
            .next()
            .and_then(|seconds| seconds.parse().ok());
        if made.is_some_and(|made: u64| made < oldest) {
            drop_database(connection, &name).await?;
        }
    }
    Ok(())
}

async fn drop_database(connection: &mut PgConnection, name: &str) -> anyhow::Result<()> {
    execute(
        connection,
        format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"),
    )
    .await
}

async fn exists(connection: &mut PgConnection, name: &str) -> anyhow::Result<bool> {
    let row = sqlx::query("SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)")
        .bind(name)
        .fetch_one(connection)
        .await?;
    Ok(row.get(0))
}

async fn is_at_least(connection: &mut PgConnection, major: i32) -> anyhow::Result<bool> {
    let row = sqlx::query("SELECT current_setting('server_version_num')::int / 10000 >= $1")
        .bind(major)
        .fetch_one(connection)
        .await?;
    Ok(row.get(0))
}

/// For statements that take no parameters; every name in them is made here.
async fn execute(connection: &mut PgConnection, statement: String) -> anyhow::Result<()> {
    connection.execute(AssertSqlSafe(statement)).await?;
    Ok(())
}

fn migrations() -> PathBuf {
    places::repository().join("migrations")
}

fn url_of(server: &str, database: &str) -> anyhow::Result<String> {
    let mut url = reqwest::Url::parse(server)?;
    url.set_path(database);
    Ok(url.into())
}

fn unix_seconds() -> u64 {
    SystemTime::UNIX_EPOCH
        .elapsed()
        .map_or(0, |elapsed| elapsed.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn each_test_has_a_migrated_database_of_its_own() {
        let (one, other) = (Database::create().await, Database::create().await);
        assert_ne!(one.url(), other.url());

        for database in [&one, &other] {
            let mut connection = PgConnection::connect(database.url()).await.unwrap();
            let row = sqlx::query("SELECT count(*) FROM projects")
                .fetch_one(&mut connection)
                .await;
            assert_eq!(row.unwrap().get::<i64, _>(0), 0);
        }
    }

    #[tokio::test]
    async fn a_database_is_gone_with_the_test_that_made_it() {
        let name = std::thread::spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            runtime
                .unwrap()
                .block_on(async { Database::create().await.name.clone() })
        });
        let name = name.join().unwrap();
        let (_, mut server) = connect().await.unwrap();
        assert!(!exists(&mut server, &name).await.unwrap());
    }
}
