//! Imports of real processes, which may die at any moment.

use harness::migration::{ended, import};
use std::time::{Duration, Instant};

use harness::patience::patience;
use harness::{Source, Stack, eventually};
use serde_json::{Value, json};
use sqlx::{Connection, PgConnection};
use tokio::time::sleep;

/// Flags that are too large for one batch of 16 MiB, and small enough for an environment.
const FLAGS: usize = 400;

fn large_flag(number: usize) -> Value {
    let text = format!("{number}-{}", "x".repeat(50_000));
    json!({"kind": "multivariate", "variations": [{"_id": "1", "value": "on"}, {"_id": "2", "value": text}]})
}

fn large_source() -> Source {
    let source = Source::start(&["dev"]);
    for number in 0..FLAGS {
        source.flag(&format!("flag-{number}"), large_flag(number));
    }
    source
}

/// The second batch waits in the database for as long as the test likes.
const HOLD_THE_LAST: &str = "
    CREATE FUNCTION wait_for_the_test() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF NEW.key = 'flag-399' THEN PERFORM pg_advisory_xact_lock(77); END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER hold BEFORE INSERT ON flags FOR EACH ROW EXECUTE FUNCTION wait_for_the_test();
    SELECT pg_advisory_lock(77);";

#[tokio::test]
async fn an_import_whose_process_is_killed_fails_and_the_next_one_goes_on() {
    let mut stack = Stack::start_with(&[("RATE_MIGRATION", "0")]).await;
    let owner = stack.signup("acme").await;
    let target = owner.default_project().await.id;
    let source = large_source();
    let mut holding = PgConnection::connect(stack.database().url()).await.unwrap();
    sqlx::raw_sql(HOLD_THE_LAST)
        .execute(&mut holding)
        .await
        .unwrap();

    let started = owner
        .act("/v1/migration/execute", source.body(&target))
        .await;
    let id = started.text("/migration_id");
    let path = format!("/v1/migration/status/{id}");
    let imported = eventually("a part is imported", async || {
        let status = owner.get(&path).await;
        status.body["flags_imported"]
            .as_u64()
            .filter(|&flags| flags > 0)
    })
    .await;
    assert_eq!(owner.get(&path).await.body["status"], "in_progress");
    stack.control.kill();
    // What the killed process was doing ends with it, once it is not held up any more.
    sqlx::raw_sql("SELECT pg_advisory_unlock(77)")
        .execute(&mut holding)
        .await
        .unwrap();

    stack.start_control().await;
    let first = ended(&owner, id).await;
    assert_eq!(first.status["status"], "failed");
    assert_eq!(first.status["flags_imported"].as_u64(), Some(imported));
    let there = first.exact_flags().len();
    assert_eq!(u64::try_from(there).unwrap(), imported);

    let second = import(&owner, &source.body(&target)).await;
    assert_eq!(second.status["status"], "completed");
    assert_eq!(
        second.status["flags_imported"].as_u64(),
        u64::try_from(FLAGS - there).ok()
    );
    let path = format!("/v1/projects/{target}/flags?limit=1");
    assert_eq!(owner.get(&path).await.body["total"], FLAGS);
    assert_eq!(second.exact_flags().len(), FLAGS);
}

/// It takes seconds of a processor, which others need now and then.
#[tokio::test]
async fn a_large_import_holds_nobody_up() {
    let stack = Stack::start_with(&[("RATE_MIGRATION", "0")]).await;
    let owner = stack.signup("acme").await;
    let target = owner.default_project().await.id;
    let source = large_source();
    let started = owner
        .act("/v1/migration/execute", source.body(&target))
        .await;
    let path = format!("/v1/migration/status/{}", started.text("/migration_id"));

    let deadline = Instant::now() + patience();
    let mut longest = Duration::ZERO;
    loop {
        let asked = Instant::now();
        let status = owner.get(&path).await;
        longest = longest.max(asked.elapsed());
        if status.body["status"] == "completed" {
            assert_eq!(status.body["flags_imported"], FLAGS);
            break;
        }
        assert!(asked < deadline, "{:?}", status.body);
        sleep(Duration::from_millis(10)).await;
    }
    assert!(
        longest < Duration::from_secs(1),
        "somebody waited {longest:?}"
    );
}

/// What a control plane may take beside what it takes at rest.
const MAX_GROWTH: u64 = 500 * 1024 * 1024;

#[tokio::test]
async fn a_source_cannot_take_the_memory_of_the_process() {
    let stack = Stack::start_with(&[("RATE_MIGRATION", "0")]).await;
    let owner = stack.signup("acme").await;
    let target = owner.default_project().await.id;
    let source = Source::start(&["production"]);
    let zeros = format!(r#"[{{"value": [{}0]}}]"#, "0,".repeat(30_000_000));
    source.answer_flags(&zeros);
    let before = stack.control.resident_bytes();
    let analysis = tokio::spawn(async move {
        let path = "/v1/migration/analyze";
        owner.post(path, source.body(&target)).await
    });
    let mut most = 0;
    while !analysis.is_finished() {
        most = most.max(stack.control.resident_bytes().unwrap_or_default());
        sleep(Duration::from_millis(10)).await;
    }
    let refused = analysis.await.unwrap();
    refused.expect_error(502, "the source sends too much at once");
    let Some(before) = before else { return };
    let growth = most.saturating_sub(before);
    println!("60 MB of zeros: {} MiB more", growth / 1024 / 1024);
    assert!(growth < MAX_GROWTH, "{growth} bytes");
}
