//! The other replicas of the control plane: which ones are present, and what they answer when asked.
//!
//! What only the memory of a replica knows (the edges connected to it) is requested when somebody needs it, instead of
//! being written down all the time. A question is a row, and so is each answer; a notification says that there is
//! something to read. Nobody asks while no other replica is present, so a single control plane pays one small write
//! every two seconds. That write also records what the others could not find out once the replica falls silent. Who is
//! present is looked up then, and when another one announces itself, so that whether there is anybody to ask is known
//! without a query.

mod answering;
mod asking;
mod store;

use std::{
    collections::{HashMap, HashSet},
    future::Future,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use serving::error::chain;
use sqlx::PgConnection;
use tokio::{
    sync::{mpsc, watch},
    time::{Instant, timeout_at},
};
use tokio_util::task::TaskTracker;
use uuid::Uuid;

pub use self::asking::{Asking, Told};
use self::{
    answering::{Answering, PRESENCE},
    asking::Open,
};
use crate::{
    db::{self, Db},
    jobs::{Job, RunsOn},
};

/// The part of a replica that answers the questions of others.
pub trait Answers: Clone + Send + Sync + 'static {
    /// What can be asked.
    type Question: DeserializeOwned + Send + 'static;
    /// What is answered.
    type Answer: Serialize + Send + 'static;
    /// What is announced in advance, for when there is no answer.
    type Presence: Serialize;

    /// Answers, within a time that the question names or else at once.
    fn answer(&self, question: Self::Question) -> impl Future<Output = Self::Answer> + Send;

    /// Answers in parts, each of which takes the place of the one before. Without one of its own, there is one part.
    fn answer_in_parts(
        &self,
        question: Self::Question,
        parts: mpsc::Sender<Self::Answer>,
    ) -> impl Future<Output = ()> + Send {
        async move {
            let answer = self.answer(question).await;
            // The receiver stores it, and exists until then.
            drop(parts.send(answer).await);
        }
    }

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
    open: Arc<Open>,
    /// Those that the last look found, as far as this one is a replica itself.
    others: Arc<Mutex<HashSet<Uuid>>>,
    /// Whether there was a look: from then on the others know of this one.
    has_looked: watch::Sender<bool>,
}

impl Replicas {
    /// A replica that only asks. To be asked as well, use [`Replicas::job`].
    pub fn new(db: Db) -> Self {
        // Random bits from the operating system; it need not be ordered.
        Self {
            db,
            id: Uuid::new_v4(),
            open: Arc::default(),
            others: Arc::default(),
            has_looked: watch::Sender::new(false),
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

    /// Whether no other replica is there, by the last look: no query.
    pub fn is_alone(&self) -> bool {
        self.others().is_empty()
    }

    /// Whether another replica is there, by the last look.
    pub fn is_present(&self, id: Uuid) -> bool {
        self.others().contains(&id)
    }

    /// Held only briefly, never across an await.
    fn others(&self) -> MutexGuard<'_, HashSet<Uuid>> {
        self.others.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until this replica has announced itself. The others then ask it too.
    pub async fn announced(&self) {
        // The sender lives as long as this.
        drop(
            self.has_looked
                .subscribe()
                .wait_for(|has_looked| *has_looked)
                .await,
        );
    }

    /// How many other replicas are present.
    pub async fn count_others(&self) -> db::Result<usize> {
        let mut conn = self.db.acquire().await?;
        Ok(store::other_ids(&mut conn, self.id).await?.len())
    }

    /// Asks every other replica that is present. The answers are the asker's to wait for, and to [`end`](Self::end).
    pub async fn begin(&self, question: &impl Serialize) -> db::Result<Asking> {
        let mut conn = self.db.acquire().await?;
        let others = store::other_ids(&mut conn, self.id).await?;
        let asking = self.open(Uuid::new_v4(), others);
        if asking.others().next().is_some() {
            self.store(&mut conn, &asking, question).await?;
        }
        Ok(asking)
    }

    async fn store(
        &self,
        conn: &mut PgConnection,
        asking: &Asking,
        question: &impl Serialize,
    ) -> db::Result<()> {
        let question =
            serde_json::to_value(question).map_err(|error| sqlx::Error::Encode(error.into()))?;
        store::ask(conn, asking.id(), self.id, &question).await
    }

    /// Deletes a question and its answers.
    pub async fn end(&self, asking: Asking) -> db::Result<()> {
        store::forget(&mut *self.db.acquire().await?, asking.id()).await
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
        let mut silent: HashMap<Uuid, Value> = store::others(&mut conn, self.id)
            .await?
            .into_iter()
            .map(|other| (other.id, other.presence))
            .collect();
        let mut answers = HashMap::new();
        if !silent.is_empty() {
            let mut asking = self.open(Uuid::new_v4(), silent.keys().copied().collect());
            self.store(&mut conn, &asking, question).await?;
            drop(conn);
            while !silent.is_empty()
                && let Ok(told) = timeout_at(deadline, asking.next()).await
            {
                silent.remove(&told.replica_id);
                answers.insert(told.replica_id, told.answer);
            }
            self.end(asking).await?;
        }
        let understood = |answer| serde_json::from_value(answer).ok();
        Ok(Heard {
            answers: answers.into_values().filter_map(understood).collect(),
            silent: silent.into_values().collect(),
        })
    }
}
