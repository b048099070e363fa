//! Announcing this replica to the others, and answering them.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde_json::Value;
use serving::error::chain;
use tokio::time::Instant;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use super::{Answers, Replicas, store};
use crate::db;

/// How often a replica announces its presence.
pub(super) const PRESENCE: Duration = Duration::from_secs(2);

/// A replica that answers.
pub(super) struct Answering<A> {
    replicas: Replicas,
    answers: A,
    tasks: TaskTracker,
    /// Questions that were taken and that the asker has not removed yet.
    taken: Arc<Mutex<HashSet<Uuid>>>,
    said_so: Mutex<Option<Instant>>,
}

impl<A: Answers> Answering<A> {
    pub(super) fn new(replicas: Replicas, answers: A, tasks: TaskTracker) -> Self {
        Self {
            replicas,
            answers,
            tasks,
            taken: Arc::default(),
            said_so: Mutex::default(),
        }
    }

    /// Announces this replica when that is due, and answers what is asked.
    pub(super) async fn look(self: Arc<Self>) -> db::Result<()> {
        let mut conn = self.replicas.db.acquire().await?;
        if self.is_due() {
            let presence = serde_json::to_value(self.answers.presence())
                .map_err(|error| sqlx::Error::Encode(error.into()))?;
            store::be_there(&mut conn, self.replicas.id, &presence).await?;
            *lock(&self.said_so) = Some(Instant::now());
        }
        let open = store::open(&mut conn, self.replicas.id).await?;
        let new: Vec<_> = {
            let mut taken = lock(&self.taken);
            taken.retain(|id| open.iter().any(|question| question.id == *id));
            open.into_iter()
                .filter(|question| taken.insert(question.id))
                .collect()
        };
        for store::Question { id, question } in new {
            let (answers, replicas) = (self.answers.clone(), self.replicas.clone());
            self.tasks.spawn(async move {
                if let Err(error) = answer(&answers, &replicas, id, question).await {
                    tracing::debug!(error = chain(&error), "cannot answer another replica");
                }
            });
        }
        Ok(())
    }

    fn is_due(&self) -> bool {
        lock(&self.said_so).is_none_or(|said| said.elapsed() >= PRESENCE)
    }

    /// Says goodbye, so that nobody waits for this replica any more.
    pub(super) async fn leave(self: Arc<Self>) -> db::Result<()> {
        let mut conn = self.replicas.db.acquire().await?;
        store::leave(&mut conn, self.replicas.id).await
    }
}

/// A question that cannot be read comes from another build; the answer says so.
async fn answer<A: Answers>(
    answers: &A,
    replicas: &Replicas,
    id: Uuid,
    question: Value,
) -> db::Result<()> {
    let answer = match serde_json::from_value(question) {
        Ok(question) => answers.answer(question).await,
        Err(_) => {
            return store::answer(
                &mut *replicas.db.acquire().await?,
                id,
                replicas.id,
                &Value::Null,
            )
            .await;
        }
    };
    let answer = serde_json::to_value(answer).map_err(|error| sqlx::Error::Encode(error.into()))?;
    let mut conn = replicas.db.acquire().await?;
    store::answer(&mut conn, id, replicas.id, &answer).await
}

/// Held only briefly, never across an await.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
