//! Writes at one replica and the edges of another.

use std::time::Duration;

use domain::version::Change;
use futures_util::future::join_all;
use harness::patience::patience;
use harness::{App, eventually};
use serde_json::json;
use tokio::time::{Instant, timeout};

use super::replica::Manual;

/// A replica that is there and never says anything.
const GHOST: &str = "00000000-0000-4000-8000-000000000001";

/// From now on the questions of replicas are counted.
async fn count_questions(app: &App) {
    let statements = "
        CREATE TABLE asked (question jsonb);
        CREATE FUNCTION note_question() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN INSERT INTO asked VALUES (NEW.question); RETURN NULL; END
        $$;
        CREATE TRIGGER note_question AFTER INSERT ON replica_questions
            FOR EACH ROW EXECUTE FUNCTION note_question();";
    sqlx::raw_sql(statements).execute(app.pool()).await.unwrap();
}

/// How often writes asked other replicas.
async fn questions(app: &App) -> i64 {
    let asked = sqlx::query_scalar("SELECT COUNT(*) FROM asked WHERE question ? 'writes'");
    asked.fetch_one(app.pool()).await.unwrap()
}

/// A change that concerns nobody: it is reached as soon as everybody said so.
fn nothing() -> Change {
    Change {
        version: 1,
        environments: Vec::new(),
        begun: base::looks::Begun::default(),
    }
}

/// For how long a write waits for such a change.
async fn wait(app: &App) -> Duration {
    let begun = Instant::now();
    app.publisher.reached(&nothing()).await;
    begun.elapsed()
}

/// Waits until the app's replica has noticed another.
async fn notices(app: &App) {
    count_questions(app).await;
    eventually("the replica notices the other", async || {
        wait(app).await;
        (questions(app).await > 0).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_write_waits_for_the_edges_of_other_replicas() {
    let (app, owner) = App::with_owner_and(&[("SNAPSHOT_WAIT", "60s")]).await;
    let project = owner.default_project().await;
    let other = app.another_publisher();
    let mut slow = Manual::holding_all(&other, 3).await;
    notices(&app).await;

    let path = format!("/v1/projects/{}/flags", project.id);
    let writing = async move { owner.post(&path, json!({"key": "f", "name": "F"})).await };
    let mut writing = tokio::spawn(writing);
    let mut pushes = Vec::new();
    for _ in 0..3 {
        pushes.push(slow.receive().await);
    }
    for push in pushes {
        let early = timeout(Duration::from_millis(100), &mut writing).await;
        assert!(early.is_err(), "the edge of the other replica is behind");
        slow.apply(push);
    }
    let written = timeout(patience(), writing).await.unwrap().unwrap();
    written.expect_status(201);
}

#[tokio::test]
async fn without_other_replicas_a_write_asks_nobody() {
    let (app, owner, project) = App::with_project().await;
    count_questions(&app).await;
    let path = format!("/v1/projects/{}/flags", project.id);
    for key in ["a", "b", "c"] {
        let flag = json!({"key": key, "name": key});
        owner.create(&path, flag).await;
    }
    assert_eq!(questions(&app).await, 0);
}

#[tokio::test]
async fn writes_at_the_same_time_share_their_questions() {
    let app = App::start().await;
    let _other = app.another_publisher();
    notices(&app).await;
    let before = questions(&app).await;
    join_all((0..500).map(|_| wait(&app))).await;
    let asked = questions(&app).await - before;
    assert!((1..=20).contains(&asked), "{asked} questions of 500 writes");
}

#[tokio::test]
async fn a_replica_that_is_silent_holds_up_no_write_but_the_first() {
    const PATIENCE: Duration = Duration::from_secs(2);
    let app = App::start_with(&[("SNAPSHOT_WAIT", "2s")]).await;
    // Seen in the future, so it is there for as long as the test takes.
    sqlx::query("INSERT INTO replicas (id, seen_at, presence) VALUES ($1::uuid, now() + interval '1 hour', '[]')")
        .bind(GHOST)
        .execute(app.pool())
        .await
        .unwrap();
    // The write by which the ghost is noticed waits for it.
    eventually("a write waits for the ghost", async || {
        (wait(&app).await >= PATIENCE).then_some(())
    })
    .await;
    for _ in 0..5 {
        assert!(
            wait(&app).await < PATIENCE,
            "it did not answer the last time"
        );
    }

    // Once it has answered, it is waited for again.
    eventually("a write waits for the ghost again", async || {
        let answered = sqlx::query(
            r#"WITH answered AS (
                   INSERT INTO replica_answers (question_id, replica_id, answer)
                   SELECT id, $1::uuid, '{"reached": [0], "here": []}' FROM replica_questions FOR KEY SHARE
                   ON CONFLICT DO NOTHING
               )
               SELECT pg_notify('halyard_replicas', '')"#,
        );
        answered.bind(GHOST).execute(app.pool()).await.unwrap();
        (wait(&app).await >= PATIENCE).then_some(())
    })
    .await;
}
