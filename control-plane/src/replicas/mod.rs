//! The other replicas of the control plane: which ones are present, and what they answer when asked.
//!
//! What only the memory of a replica knows (the edges connected to it) is requested when somebody needs it, instead of
//! being written down all the time. A question is a row, and so is each answer; a notification says that there is
//! something to read. Nobody asks while no other replica is present, so a single control plane pays one small write
//! every two seconds. That write also records what the others could not find out once the replica falls silent.

mod answering;
mod store;

use std::{future::Future, sync::Arc, time::Duration};

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use serving::error::chain;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use self::answering::{Answering, PRESENCE};
use crate::{
    db::{self, Db},
    jobs::{Job, RunsOn},
};

/// How often answers are polled for if no notification arrives.
const LOOK: Duration = Duration::from_millis(100);

/// The part of a replica that answers the questions of others.
pub trait Answers: Clone + Send + Sync + 'static {
    /// What can be asked.
    type Question: DeserializeOwned + Send;
    /// What is answered.
    type Answer: Serialize + Send;
    /// What is announced in advance, for when there is no answer.
    type Presence: Serialize;

    /// Answers, within a time that the question names or else at once.
    fn answer(&self, question: Self::Question) -> impl Future<Output = Self::Answer> + Send;

    /// What is known about this replica if it does not answer. It is a few seconds old by then.
    fn presence(&self) -> Self::Presence;
}

/// What the other replicas said.
#[derive(Debug)]
pub struct Heard<A> {
    /// The answers, in no particular order.
    pub answers: Vec<A>,
    /// What those who are present but did not answer had announced in advance.
    pub silent: Vec<Value>,
}

/// One process among the replicas, or a visitor that only asks. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Replicas {
    db: Db,
    id: Uuid,
}

impl Replicas {
    /// A replica that only asks. To be asked as well, use [`Replicas::job`].
    pub fn new(db: Db) -> Self {
        // Random bits from the operating system; it need not be ordered.
        Self {
            db,
            id: Uuid::new_v4(),
        }
    }

    /// Identifies it among the replicas until it ends.
    pub const fn id(&self) -> Uuid {
        self.id
    }

    /// The job that announces this replica and answers the others, and says goodbye at the end. Answers that are under way
    /// then are among `tasks`.
    pub fn job(&self, answers: impl Answers, tasks: &TaskTracker) -> Job {
        let answering = Arc::new(Answering::new(self.clone(), answers, tasks.clone()));
        let leaving = Arc::clone(&answering);
        Job::new(
            "answer_replicas",
            PRESENCE,
            RunsOn::EveryReplica,
            answering,
            Answering::look,
        )
        .woken_by(self.db.asked())
        .meanwhile("cannot poll for questions of other replicas")
        .finally(async move {
            if let Err(error) = leaving.leave().await {
                let error = chain(&error);
                tracing::debug!(error, "cannot announce that this replica is leaving");
            }
        })
    }

    /// Asks every other replica that is present, and waits for their answers, at most `patience`. A replica of another
    /// build that does not understand the question is left out.
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
        // Before the question is asked, so that no answer goes unnoticed.
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
