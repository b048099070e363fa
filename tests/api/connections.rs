//! Connections to the database, when one tenant, or somebody whom nobody knows yet, wants all of them.

use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use harness::{Response, Setup, eventually};
use serde_json::json;
use sqlx::Connection;

const BUSY: &str = "the database is busy";

async fn create_segment(setup: &Setup, key: &str) -> Response {
    let body = json!({"key": key, "name": key, "rules": []});
    setup.owner.post(&setup.segments(), body).await
}

fn expect_busy(answer: &Response) {
    answer.expect_error(503, BUSY);
    assert_eq!(answer.header("retry-after"), "1");
}

#[tokio::test]
async fn forty_writers_of_one_project_hold_up_no_other_tenant_and_no_probe() {
    let setup = Setup::new().await;
    let other = setup.app.signup("umbrella").await;
    let others_project = other.default_project().await;
    let mut session = setup.app.session().await;
    let mut held = session.begin().await.unwrap();
    setup.lock_project(&mut held).await;

    let keys: Vec<String> = (0..40).map(|number| format!("s{number}")).collect();
    let mut writers: FuturesUnordered<_> =
        keys.iter().map(|key| create_segment(&setup, key)).collect();
    let mut refused = 0;
    let beside = async {
        // The organization's share, and not one more.
        setup.app.until_waiting_for_locks(5).await;
        let environments = format!("/v1/projects/{}/environments", others_project.id);
        for _ in 0..10 {
            other.get(&environments).await.expect_status(200);
            setup.app.db().ping().await.unwrap();
            assert!(setup.app.waiting_for_locks().await <= 5);
        }
        let segment = json!({"key": "mine", "name": "Mine", "rules": []});
        let segments = format!("/v1/projects/{}/segments", others_project.id);
        other.create(&segments, segment).await;
        let credentials = json!({"email": other.email, "password": harness::user::PASSWORD});
        let anonymous = setup.app.anonymous();
        anonymous.act("/v1/auth/login", credentials).await;
    };
    tokio::pin!(beside);
    let mut is_beside = true;
    while refused < 35 {
        tokio::select! {
            () = &mut beside, if is_beside => is_beside = false,
            Some(answer) = writers.next() => {
                expect_busy(&answer);
                refused += 1;
            }
        }
    }
    if is_beside {
        beside.await;
    }
    held.rollback().await.unwrap();
    while let Some(answer) = writers.next().await {
        // Those that waited for the lock for too long, and those that were next.
        if answer.status != 201 {
            expect_busy(&answer);
        }
    }
    create_segment(&setup, "afterwards")
        .await
        .expect_status(201);
}

#[tokio::test]
async fn a_lock_that_is_not_free_in_time_is_503() {
    let setup = Setup::new().await;
    let mut session = setup.app.session().await;
    let mut held = session.begin().await.unwrap();
    setup.lock_project(&mut held).await;
    expect_busy(&create_segment(&setup, "late").await);
    held.rollback().await.unwrap();
    create_segment(&setup, "late").await.expect_status(201);
}

/// Makes every insertion into a table do this first.
async fn before(setup: &Setup, table: &str, what: &str) {
    let function = format!(
        "CREATE FUNCTION before_{table}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {what} RETURN NEW; END $$"
    );
    let trigger = format!(
        "CREATE TRIGGER before BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION before_{table}()"
    );
    for statement in [function, trigger] {
        sqlx::query(sqlx::AssertSqlSafe(statement))
            .execute(setup.app.pool())
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn a_statement_that_takes_too_long_is_503() {
    let setup = Setup::new().await;
    // What is set holds from the next statement on, which is that of the audit trail.
    let hasten = "PERFORM set_config('statement_timeout', '50ms', true);";
    before(&setup, "segments", hasten).await;
    before(&setup, "audit_entries", "PERFORM pg_sleep(60);").await;
    expect_busy(&create_segment(&setup, "slow").await);
    let listed = setup.owner.get(&setup.segments()).await;
    listed.expect_status(200);
    assert_eq!(listed.body["total"], 0);
}

#[tokio::test]
async fn a_serialization_failure_is_503() {
    let setup = Setup::new().await;
    before(
        &setup,
        "segments",
        "RAISE EXCEPTION 'not now' USING ERRCODE = '40001';",
    )
    .await;
    expect_busy(&create_segment(&setup, "never").await);
}

#[tokio::test]
async fn a_deadlock_is_503_for_the_request_that_is_given_up() {
    let setup = Setup::new().await;
    let mut first = setup.app.session().await;
    let mut second = setup.app.session().await;
    // Only the request looks for deadlocks, so that it is the one that is given up.
    for session in [&mut first, &mut second] {
        sqlx::query("SET deadlock_timeout = '10min'")
            .execute(session)
            .await
            .unwrap();
    }
    // The first holds the project, so that everybody waits in an order: the request, then the second.
    let mut holder = first.begin().await.unwrap();
    setup.lock_project(&mut holder).await;
    // The second holds what the request writes after it has the project.
    let mut other = second.begin().await.unwrap();
    sqlx::query("LOCK TABLE segments IN SHARE MODE")
        .execute(&mut *other)
        .await
        .unwrap();

    let creating = create_segment(&setup, "s");
    let colliding = async {
        setup.app.until_waiting_for_locks(1).await;
        let then = async {
            setup.lock_project(&mut other).await;
            // The request was given up, or this would still wait.
            other.rollback().await.unwrap();
        };
        let release = async {
            setup.app.until_waiting_for_locks(2).await;
            holder.rollback().await.unwrap();
        };
        tokio::join!(then, release);
    };
    let (refused, ()) = tokio::join!(creating, colliding);
    expect_busy(&refused);
    create_segment(&setup, "s").await.expect_status(201);
}

#[tokio::test]
async fn a_transaction_that_is_left_idle_is_ended_and_answers_503() {
    let setup = Setup::new().await;
    let patience = Duration::from_millis(500);
    let one = std::num::NonZeroU32::MIN;
    let pool = setup.app.db().pool_beside("test", one, patience);
    let mut idle = pool.begin().await.unwrap();
    let session: i32 = sqlx::query_scalar("SELECT pg_backend_pid()")
        .fetch_one(&mut *idle)
        .await
        .unwrap();
    eventually("the transaction is ended", async || {
        let is_there: bool =
            sqlx::query_scalar("SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1)")
                .bind(session)
                .fetch_one(setup.app.pool())
                .await
                .unwrap();
        (!is_there).then_some(())
    })
    .await;
    let asked = sqlx::query("SELECT 1").execute(&mut *idle).await;
    let ended = asked.unwrap_err();
    let error = base::db::Error::from(ended);
    assert_eq!(error.busy(), Some(base::db::Busy::Idle));
    let told = serving::error::ApiError::from(error);
    assert_eq!((told.status().as_u16(), told.message()), (503, BUSY));
}

#[tokio::test]
async fn strangers_leave_connections_to_those_who_are_known() {
    let setup = Setup::new().await;
    let mut session = setup.app.session().await;
    let mut held = session.begin().await.unwrap();
    sqlx::query("LOCK TABLE pending_signups IN ACCESS EXCLUSIVE MODE")
        .execute(&mut *held)
        .await
        .unwrap();
    let anonymous = setup.app.anonymous();
    let mut strangers: FuturesUnordered<_> = (0..40)
        .map(|number| {
            let email = format!("stranger{number}@example.com");
            let body = json!({"email": email, "otp": "123456"});
            anonymous.post("/v1/auth/complete-signup", body)
        })
        .collect();
    let beside = async {
        // The share of one network.
        setup.app.until_waiting_for_locks(2).await;
        for _ in 0..10 {
            setup.owner.get(&setup.segments()).await.expect_status(200);
        }
    };
    tokio::pin!(beside);
    tokio::select! {
        () = &mut beside => {}
        () = async { while let Some(answer) = strangers.next().await { expect_busy(&answer); } } => beside.await,
    }
    held.rollback().await.unwrap();
}

#[tokio::test]
async fn what_is_read_while_an_answer_is_sent_counts_for_its_organization() {
    let setup = Setup::new().await;
    setup
        .app
        .execute(
            "INSERT INTO impressions (org_id, received_ms, env_id, flag_key, variant_key, user_key)
         SELECT $1::uuid, number, $2::uuid, 'f', '', 'u' FROM generate_series(1, 10) AS number",
            &[&setup.owner.org_id, &setup.project.dev],
        )
        .await;
    // What requests use waits for locks for five seconds, and whatever is done in the background for ten.
    for statement in [
        "CREATE TABLE used (lock_timeout text)",
        "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             INSERT INTO used VALUES (current_setting('lock_timeout')); RETURN NULL;
         END $$",
        "CREATE TRIGGER note AFTER DELETE ON impressions FOR EACH STATEMENT EXECUTE FUNCTION note()",
    ] {
        sqlx::query(statement)
            .execute(setup.app.pool())
            .await
            .unwrap();
    }
    let flush = "/v1/metrics/impressions/flush";
    let flushed = setup.owner.post(flush, json!({})).await;
    assert_eq!(flushed.body.as_array().unwrap().len(), 10);
    let used: Vec<String> = sqlx::query_scalar("SELECT lock_timeout FROM used")
        .fetch_all(setup.app.pool())
        .await
        .unwrap();
    assert_eq!(used, ["5s"]);
}
