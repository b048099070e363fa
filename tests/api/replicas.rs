//! Replicas of the control plane ask each other what only they know.

use std::time::Duration;

use base::{
    clocks::Clocks,
    jobs::Jobs,
    leader::Leader,
    replicas::{Answers, Replicas},
};
use harness::App;
use serde::{Deserialize, Serialize};
use tokio::{sync::mpsc::Sender, time::Instant};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Serialize, Deserialize)]
enum Question {
    Twice(u32),
    Never,
}

/// Answers with twice the number, and is never done with the other question.
#[derive(Clone)]
struct Doubling;

impl Answers for Doubling {
    type Question = Question;
    type Answer = u32;
    type Presence = &'static str;

    async fn answer(&self, question: Question, parts: Sender<u32>) {
        match question {
            Question::Twice(number) => drop(parts.send(2 * number).await),
            Question::Never => std::future::pending().await,
        }
    }

    fn presence(&self) -> &'static str {
        "doubles"
    }
}

/// A replica on the database of `app`, until the token is cancelled, once the others can know of it.
async fn join(app: &App) -> (Replicas, CancellationToken, TaskTracker) {
    let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
    let replica = Replicas::new(app.db().clone());
    let leader = Leader::start(
        app.db().clone(),
        Clocks::new(app.clock.clone()),
        &stop,
        &tasks,
    );
    let jobs = Jobs::new(
        app.db().clone(),
        app.clock.clone(),
        leader,
        stop.clone(),
        tasks.clone(),
    );
    jobs.start(replica.job(Doubling, &tasks));
    while !is_present(app, &replica).await {
        tokio::task::yield_now().await;
    }
    (replica, stop, tasks)
}

async fn is_present(app: &App, replica: &Replicas) -> bool {
    let present = sqlx::query_scalar("SELECT EXISTS (SELECT FROM replicas WHERE id = $1)");
    let present = present.bind(replica.id()).fetch_one(app.pool());
    present.await.unwrap()
}

/// The app's own replica does not know these questions, so its answer is left out.
async fn ask(replica: &Replicas, question: &Question, patience: Duration) -> Vec<u32> {
    let heard = replica.ask(question, patience).await.unwrap();
    heard.answers
}

#[tokio::test]
async fn every_other_replica_answers() {
    let app = App::start().await;
    let (first, _first, _) = join(&app).await;
    let (_, _second, _) = join(&app).await;
    let (_, _third, _) = join(&app).await;
    assert_eq!(ask(&first, &Question::Twice(21), PATIENCE).await, [42, 42]);

    let visitor = Replicas::new(app.db().clone());
    let answers = ask(&visitor, &Question::Twice(4), PATIENCE).await;
    assert_eq!(answers, [8, 8, 8]);
}

#[tokio::test]
async fn nobody_waits_for_a_replica_that_left() {
    let app = App::start().await;
    let (first, _first, _) = join(&app).await;
    let (_, stop, tasks) = join(&app).await;
    stop.cancel();
    tasks.close();
    tasks.wait().await;
    let asked = Instant::now();
    assert!(ask(&first, &Question::Never, PATIENCE).await.is_empty());
    assert!(asked.elapsed() < PATIENCE);
}

#[tokio::test]
async fn a_replica_that_does_not_answer_is_waited_for_as_long_as_the_asker_wants() {
    let app = App::start().await;
    let (first, _first, _) = join(&app).await;
    let (_, _second, _) = join(&app).await;
    let patience = Duration::from_millis(300);
    let asked = Instant::now();
    let heard = first.ask::<u32>(&Question::Never, patience).await.unwrap();
    assert!(asked.elapsed() >= patience);
    assert!(heard.answers.is_empty());
    assert_eq!(heard.silent, ["doubles"], "what it said in advance");
}

#[tokio::test]
async fn a_question_of_another_build_holds_nobody_up() {
    let app = App::start().await;
    let (first, _first, _) = join(&app).await;
    let (_, _second, _) = join(&app).await;
    let asked = Instant::now();
    let question = "of a later build";
    let heard = first.ask::<u32>(&question, PATIENCE).await.unwrap();
    assert!(heard.answers.is_empty());
    assert!(heard.silent.is_empty(), "it has nothing to say");
    assert!(asked.elapsed() < PATIENCE);
}

#[tokio::test]
async fn questions_are_forgotten_once_they_are_answered() {
    let app = App::start().await;
    let (first, _first, _) = join(&app).await;
    let (_, _second, _) = join(&app).await;
    ask(&first, &Question::Twice(1), PATIENCE).await;
    let left = sqlx::query_scalar("SELECT COUNT(*) FROM replica_questions");
    let left: i64 = left.fetch_one(app.pool()).await.unwrap();
    assert_eq!(left, 0);
}
