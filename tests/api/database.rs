//! Connections of the pool, when requests are given up in the middle.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use base::{db::Db, waker::Waker};
use harness::{App, eventually};
use sqlx::PgPool;

const NAME: &str = "given-up";

/// Gives a future up after some steps of it.
async fn at_most<T>(steps: usize, future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    let mut taken = 0;
    poll_fn(|context| {
        taken += 1;
        match future.as_mut().poll(context) {
            Poll::Ready(done) => Poll::Ready(Some(done)),
            Poll::Pending if taken == steps => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}

#[tokio::test]
async fn giving_up_a_request_leaves_no_transaction_open() {
    let app = App::start().await;
    let options = app.pool().connect_options();
    // A pool of its own, that nobody else takes connections of, under a name of its own.
    let pool = PgPool::connect_with((*options).clone().application_name(NAME))
        .await
        .expect("a pool");
    let db = Db::new(pool.clone(), Waker::new());
    // Looks from outside: whoever takes a connection of the pool would end what is open on it.
    let onlooker = app.pool().clone();
    let mut given_up = 0;
    for steps in 1..20 {
        given_up += usize::from(at_most(steps, db.begin_reading()).await.is_none());
        eventually("every connection is back", async || {
            (pool.num_idle() == pool.size() as usize).then_some(())
        })
        .await;
        // The server learns of it a moment after the pool.
        let what = format!("nothing is open that was given up after {steps} steps");
        eventually(&what, async || {
            let open = open_transactions(&onlooker).await;
            (open == 0).then_some(())
        })
        .await;
    }
    assert!(given_up > 0, "beginning takes more than one step");
}

async fn open_transactions(onlooker: &PgPool) -> i64 {
    sqlx::query_scalar(
        "SELECT COUNT(*)
         FROM pg_stat_activity
         WHERE application_name = $1 AND datname = current_database() AND state LIKE 'idle in transaction%'",
    )
    .bind(NAME)
    .fetch_one(onlooker)
    .await
    .expect("a count")
}

#[tokio::test]
async fn every_foreign_key_has_an_index_that_begins_with_its_columns() {
    let app = App::start().await;
    // An index on what is not null serves as well: nobody looks for rows that refer to nothing.
    let missing: Vec<String> = sqlx::query_scalar(
        "SELECT conrelid::regclass || ' (' || (
                    SELECT string_agg(attname, ', ' ORDER BY place)
                    FROM unnest(conkey) WITH ORDINALITY AS key (attnum, place)
                    JOIN pg_attribute a ON a.attrelid = conrelid AND a.attnum = key.attnum
                ) || ')'
         FROM pg_constraint
         WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND NOT EXISTS (
             SELECT
             FROM pg_index i
             WHERE i.indrelid = conrelid
                 AND (i.indpred IS NULL OR pg_get_expr(i.indpred, i.indrelid) IN (
                     SELECT '(' || quote_ident(attname) || ' IS NOT NULL)'
                     FROM pg_attribute a
                     WHERE a.attrelid = conrelid AND a.attnum = ANY(conkey)))
                 AND (i.indkey::smallint[])[0:cardinality(conkey) - 1] @> conkey
         )
         ORDER BY 1",
    )
    .fetch_all(app.pool())
    .await
    .unwrap();
    assert_eq!(missing, [""; 0]);
}
