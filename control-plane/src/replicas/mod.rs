//! The other replicas of the control plane: who is there, and what they say when one asks all.
//!
//! What only a replica's memory knows (the edges connected to it) is asked for when somebody wants it, instead of being
//! written down all the time. A question is a row, and so is each answer; a notification tells that there is something to
//! read. Nobody asks while nobody else is there, so a single control plane pays one small write every two seconds. With it a
//! replica leaves word of what the others could not know once it falls silent.

mod answering;
mod store;

use std::{future::Future, time::Duration};

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use uuid::Uuid;

use self::answering::Answering;
use crate::db::{self, Db};

/// Answers are looked for this often even if no notification arrives.
const LOOK: Duration = Duration::from_millis(100);

/// Who answers the questions that other replicas ask.
pub trait Answers: Clone + Send + Sync + 'static {
    /// What can be asked.
    type Question: DeserializeOwned + Send;
    /// What is answered.
    type Answer: Serialize + Send;
    /// What is said in advance, for when there is no answer.
    type Presence: Serialize;

    /// Answers, within a time that the question names or in a moment.
    fn answer(&self, question: Self::Question) -> impl Future<Output = Self::Answer> + Send;

    /// What those who get no answer go by. It is a few seconds old then.
    fn presence(&self) -> Self::Presence;
}

/// What the other replicas said.
#[derive(Debug)]
pub struct Heard<A> {
    /// The answers, in no order.
    pub answers: Vec<A>,
    /// What those that are there and did not answer had said in advance.
    pub silent: Vec<Value>,
}

/// One process among the replicas, or a visitor that only asks. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Replicas {
    db: Db,
    id: Uuid,
}

impl Replicas {
    /// Somebody who asks. To be asked as well: [`Replicas::join`].
    #[must_use]
    pub fn new(db: Db) -> Self {
        // Random bits of the operating system; it need not be ordered.
        Self {
            db,
            id: Uuid::new_v4(),
        }
    }

    /// Names it among the replicas, until it ends.
    #[must_use]
    pub const fn id(&self) -> Uuid {
        self.id
    }

    /// Is there for the others until `stop`, and answers them.
    pub fn join(&self, answers: impl Answers, stop: &CancellationToken, tasks: &TaskTracker) {
        let answering = Answering::new(self.clone(), answers, tasks.clone());
        let stop = stop.clone();
        tasks.spawn(async move { answering.run(&stop).await });
    }

    /// Asks every other replica that is there, and waits for their answers, at most `patience`. One that does not
    /// understand the question, because it is of another build, is left out.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn ask<A: DeserializeOwned>(
        &self,
        question: &impl Serialize,
        patience: Duration,
    ) -> db::Result<Heard<A>> {
        let deadline = Instant::now() + patience;
        let mut conn = self.db.acquire().await?;
        let mut silent = store::others(&mut conn, self.id).await?;
        if silent.is_empty() {
            return Ok(Heard {
                answers: Vec::new(),
                silent: Vec::new(),
            });
        }
        let mut told = self.db.asked().listen();
        let question_id = Uuid::new_v4();
        let question =
            serde_json::to_value(question).map_err(|error| sqlx::Error::Encode(error.into()))?;
        store::ask(&mut conn, question_id, self.id, &question).await?;
        drop(conn);

        loop {
            let mut conn = self.db.acquire().await?;
            let answers = store::answers(&mut conn, question_id).await?;
            silent.retain(|other| answers.iter().all(|answer| answer.replica_id != other.id));
            if silent.is_empty() || Instant::now() >= deadline {
                store::forget(&mut conn, question_id).await?;
                return Ok(Heard {
                    answers: understood(answers),
                    silent: silent.into_iter().map(|other| other.presence).collect(),
                });
            }
            drop(conn);
            tokio::select! {
                // The database keeps the sender.
                _ = told.changed() => {}
                () = sleep(LOOK) => {}
                () = sleep_until(deadline) => {}
            }
        }
    }
}

fn understood<A: DeserializeOwned>(answers: Vec<store::Answer>) -> Vec<A> {
    answers
        .into_iter()
        .filter_map(|answer| serde_json::from_value(answer.answer).ok())
        .collect()
}
