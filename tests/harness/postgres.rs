//! A database of its own for every test, on real PostgreSQL.
//!
//! `TEST_DATABASE_URL` names the server; without it a throwaway one is started through `./dev postgres`
//! and shared by all test processes of this target folder. The schema is made once, in a template; each
//! test gets a copy of it, and drops it at its end.

mod server;
mod template;

use std::cell::RefCell;
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, Connection, Executor, Row};

use server::Server;

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

/// What a database begins with.
enum Contents {
    Schema,
    Nothing,
}

impl Database {
    /// Makes one.
    ///
    /// # Panics
    /// When no server can be found or started: a test that needs one has to fail then.
    pub async fn create() -> Self {
        Self::try_create(Contents::Schema)
            .await
            .expect("a database for this test")
    }

    /// Makes one without any tables, for a service of somebody else.
    ///
    /// # Panics
    /// When no server can be found or started.
    pub async fn empty() -> Self {
        Self::try_create(Contents::Nothing)
            .await
            .expect("a database for this test")
    }

    async fn try_create(contents: Contents) -> anyhow::Result<Self> {
        let mut server = Server::connect().await?;
        drop_abandoned(&mut server.session).await?;
        let template = match contents {
            Contents::Schema => template::ensure(&mut server).await?,
            Contents::Nothing => "template0".to_owned(),
        };

        let name = format!(
            "{PREFIX}{}_{}",
            unix_seconds(),
            uuid::Uuid::new_v4().simple()
        );
        // Copying files beats replaying the template through the log; before 15 there is no choice.
        let strategy = if is_at_least(&mut server.session, 15).await? {
            "STRATEGY FILE_COPY"
        } else {
            ""
        };
        execute(
            &mut server.session,
            format!("CREATE DATABASE {name} TEMPLATE {template} {strategy}"),
        )
        .await?;
        let database = Self {
            url: server.url_of(&name)?,
            server: server.options()?,
            name,
        };
        server.session.close().await?;
        Ok(database)
    }

    /// With all rights.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// With no more rights than `deploy/postgres/roles.sql` gives the service.
    #[must_use]
    pub fn services_url(&self) -> String {
        format!("{}?options=-c%20role%3Dhalyard_service", self.url)
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
                end_sessions(&mut connection, &name).await?;
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

/// Ends the sessions on a database. Dropping it does that too, but looks only every tenth of a second whether they are gone.
async fn end_sessions(connection: &mut PgConnection, name: &str) -> anyhow::Result<()> {
    const LOOKS: u32 = 20;
    for _ in 0..LOOKS {
        let ended = sqlx::query(
            "SELECT count(pg_terminate_backend(pid))
             FROM pg_stat_activity
             WHERE datname = $1 AND usename = current_user",
        )
        .bind(name)
        .fetch_one(&mut *connection)
        .await?;
        if ended.get::<i64, _>(0) == 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
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
        let mut server = Server::connect().await.unwrap();
        assert!(!template::exists(&mut server.session, &name).await.unwrap());
    }
}
