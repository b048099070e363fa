//! The other replicas of the control plane: their presence, and questions to them.
//!
//! State in a replica's memory (the edges connected to it) is requested on demand instead of being stored continuously. Questions
//! and answers are rows, and a notification announces them. A replica that is alone asks nothing, so a single control plane pays
//! one small write every two seconds. That write also records the state that the others need once the replica falls silent. The
//! present replicas are read then, and when another one announces itself, so that finding out whether any are present takes no
//! query.

mod answering;
mod asking;
mod store;

use std::{
    collections::{HashMap, HashSet},
    future::Future,
    sync::Arc,
    time::Duration,
};

use parking_lot::Mutex;
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

pub use self::asking::{Asking, Received};
use self::{
    answering::{Answering, PRESENCE},
    asking::Questions,
};
use crate::{
    db::{self, Db},
    jobs::{Job, RunsOn},
};

pub trait Answers: Clone + Send + Sync + 'static {
    type Question: DeserializeOwned + Send + 'static;
    type Answer: Serialize + Send + 'static;
    /// State announced in advance, for when there is no answer.
    type Presence: Serialize;

    /// Answers at once, or within the time that the question sets; in one part or several, each of which replaces the previous
    /// one. Sending a part fails when the database does.
    fn answer(
        &self,
        question: Self::Question,
        parts: mpsc::Sender<Self::Answer>,
    ) -> impl Future<Output = ()> + Send;

    /// The state of this replica to use if it does not answer; a few seconds old by then.
    fn presence(&self) -> Self::Presence;
}

#[derive(Debug)]
pub struct Heard<A> {
    /// The answers, in no particular order.
    pub answers: Vec<A>,
    /// The announcements of present replicas that did not answer.
    pub silent: Vec<Value>,
}

/// A replica, or a process that only asks. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Replicas {
    db: Db,
    id: Uuid,
    open: Arc<Mutex<Questions>>,
    /// The replicas found by the last poll, if this process is a replica itself.
    others: Arc<Mutex<HashSet<Uuid>>>,
    /// Whether a poll has succeeded: from then on the others know of this replica.
    has_polled: watch::Sender<bool>,
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
            has_polled: watch::Sender::new(false),
        }
    }

    pub const fn id(&self) -> Uuid {
        self.id
    }

    /// The job that announces this replica, answers the others, and announces its departure at the end. Answers in progress then
    /// are among `tasks`.
    pub fn job(&self, answers: impl Answers, tasks: &TaskTracker) -> Job {
        let answering = Arc::new(Answering::new(self.clone(), answers, tasks.clone()));
        let leaving = Arc::clone(&answering);
        Job::new(
            "answer_replicas",
            PRESENCE,
            RunsOn::EveryReplica,
            answering,
            Answering::poll,
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

    /// Whether no other replica is present, by the last poll: no query.
    pub fn is_alone(&self) -> bool {
        self.others.lock().is_empty()
    }

    /// Whether another replica is present, by the last poll.
    pub fn is_present(&self, id: Uuid) -> bool {
        self.others.lock().contains(&id)
    }

    /// Waits until this replica has announced itself. The others then ask it too.
    pub async fn announced(&self) {
        // The sender lives as long as this.
        let mut has_polled = self.has_polled.subscribe();
        drop(has_polled.wait_for(|has_polled| *has_polled).await);
    }

    pub async fn count_others(&self) -> db::Result<usize> {
        let mut conn = self.db.acquire().await?;
        Ok(store::other_ids(&mut conn, self.id).await?.len())
    }

    /// Asks every other present replica. The caller awaits the answers and calls [`end`](Self::end).
    pub async fn begin(&self, question: &impl Serialize) -> db::Result<Asking> {
        let beginning = async {
            let mut conn = self.db.acquire().await?;
            let others = store::other_ids(&mut conn, self.id).await?;
            let asking = self.open(Uuid::new_v4(), others);
            if !asking.others.is_empty() {
                self.store(&mut conn, &asking, question).await?;
            }
            Ok(asking)
        };
        self.db.unless_moved(beginning).await?
    }

    async fn store(
        &self,
        conn: &mut PgConnection,
        asking: &Asking,
        question: &impl Serialize,
    ) -> db::Result<()> {
        let question =
            serde_json::to_value(question).map_err(|error| sqlx::Error::Encode(error.into()))?;
        store::ask(conn, asking.id, self.id, &question).await
    }

    /// Deletes a question and its answers.
    pub async fn end(&self, asking: Asking) -> db::Result<()> {
        let ending = async { store::forget(&mut *self.db.acquire().await?, asking.id).await };
        self.db.unless_moved(ending).await?
    }

    /// Asks every other present replica, and waits for answers, at most `patience`. Replicas of other builds that do not
    /// understand the question are left out.
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
                && let Ok(received) = timeout_at(deadline, asking.next()).await
            {
                silent.remove(&received.replica_id);
                answers.insert(received.replica_id, received.answer);
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
