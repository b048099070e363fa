//! A database that cannot work now: requests are 503 with `Retry-After`, and succeed once it can.

use harness::{Response, Stack, User, eventually};
use serde_json::json;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, Connection, Executor};

/// An organization, and a connection from which the database is changed.
struct Setup {
    owner: User,
    stack: Stack,
    name: String,
    outside: PgConnection,
}

impl Setup {
    async fn start() -> Self {
        let stack = Stack::start().await;
        let owner = stack.signup("acme").await;
        let options: PgConnectOptions = stack.database().url().parse().unwrap();
        let name = options.get_database().unwrap().to_owned();
        let outside = PgConnection::connect_with(&options.database("postgres")).await;
        Self {
            owner,
            stack,
            name,
            outside: outside.unwrap(),
        }
    }

    /// Changes the database, and ends all connections to it.
    async fn alter(&mut self, what: &str) {
        let altered = format!("ALTER DATABASE {} {what}", self.name);
        self.outside.execute(AssertSqlSafe(altered)).await.unwrap();
        sqlx::query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1")
            .bind(&self.name)
            .execute(&mut self.outside)
            .await
            .unwrap();
    }

    async fn create(&self, name: &str) -> Response {
        self.owner.post("/v1/projects", json!({"name": name})).await
    }

    async fn list(&self) -> Response {
        self.owner.get("/v1/projects").await
    }
}

fn expect_unavailable(answer: &Response) {
    answer.expect_error(503, "the database is unavailable");
    assert_eq!(answer.header("retry-after"), "1");
}

#[tokio::test]
async fn a_database_that_lets_nobody_in_is_503() {
    let mut setup = Setup::start().await;
    setup.alter("ALLOW_CONNECTIONS false").await;
    for _ in 0..3 {
        expect_unavailable(&setup.list().await);
        expect_unavailable(&setup.create("Refused").await);
    }
    setup.alter("ALLOW_CONNECTIONS true").await;
    eventually("requests succeed again", async || {
        (setup.list().await.status == 200).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_database_that_only_reads_answers_reads_and_refuses_writes_with_503() {
    let mut setup = Setup::start().await;
    setup.alter("SET default_transaction_read_only = on").await;
    eventually("reads succeed", async || {
        (setup.list().await.status == 200).then_some(())
    })
    .await;
    expect_unavailable(&setup.create("Refused").await);
    setup.alter("RESET default_transaction_read_only").await;
    eventually("writes succeed again", async || {
        (setup.create("Shop").await.status == 201).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_connection_that_is_lost_in_the_middle_is_503() {
    let setup = Setup::start().await;
    let mut connection = PgConnection::connect(setup.stack.database().url())
        .await
        .unwrap();
    let lost = "CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
                    IF NEW.name = 'Lost' THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
                    RETURN NEW;
                END $$;
                CREATE TRIGGER lose BEFORE INSERT ON projects FOR EACH ROW EXECUTE FUNCTION lose()";
    connection.execute(lost).await.unwrap();
    expect_unavailable(&setup.create("Lost").await);
    setup.create("Kept").await.expect_status(201);
}
