//! Announces this replica to the others, and answers their questions.

use std::{collections::HashSet, mem, sync::Arc, time::Duration};

use parking_lot::Mutex;
use serde_json::Value;
use serving::error::chain;
use tokio::{sync::mpsc, time::Instant};
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use super::{Answers, Replicas, store};
use crate::db;

/// How often a replica announces its presence.
pub(super) const PRESENCE: Duration = Duration::from_secs(2);

pub(super) struct Answering<A> {
    replicas: Replicas,
    answers: A,
    tasks: TaskTracker,
    /// Questions that were taken and that the asker has not removed yet.
    taken: Arc<Mutex<HashSet<Uuid>>>,
    announced: Mutex<Option<Instant>>,
}

impl<A: Answers> Answering<A> {
    pub(super) fn new(replicas: Replicas, answers: A, tasks: TaskTracker) -> Self {
        Self {
            replicas,
            answers,
            tasks,
            taken: Arc::default(),
            announced: Mutex::default(),
        }
    }

    /// Announces this replica when that is due, and answers open questions.
    pub(super) async fn poll(self: Arc<Self>) -> db::Result<()> {
        let mut conn = self.replicas.db.acquire().await?;
        let announced = *self.announced.lock();
        if announced.is_none_or(|announced| announced.elapsed() >= PRESENCE) {
            let presence = serde_json::to_value(self.answers.presence())
                .map_err(|error| sqlx::Error::Encode(error.into()))?;
            store::be_there(&mut conn, self.replicas.id, &presence).await?;
            if announced.is_none() {
                // From now on their writes wait for edges of this replica.
                store::call(&mut conn).await?;
            }
            *self.announced.lock() = Some(Instant::now());
        }
        let others = store::other_ids(&mut conn, self.replicas.id).await?;
        *self.replicas.others.lock() = others.into_iter().collect();
        self.replicas
            .has_polled
            .send_if_modified(|has_polled| !mem::replace(has_polled, true));
        let open = store::open(&mut conn, self.replicas.id).await?;
        let new: Vec<_> = {
            let mut taken = self.taken.lock();
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

    /// Announces the departure, so that no replica waits for this one.
    pub(super) async fn leave(self: Arc<Self>) -> db::Result<()> {
        let mut conn = self.replicas.db.acquire().await?;
        store::leave(&mut conn, self.replicas.id).await
    }
}

/// A question that cannot be read comes from another build; the answer reports that.
async fn answer<A: Answers>(
    answers: &A,
    replicas: &Replicas,
    id: Uuid,
    question: Value,
) -> db::Result<()> {
    let Ok(question) = serde_json::from_value(question) else {
        return store_answer(replicas, id, &Value::Null).await;
    };
    let (sender, mut parts) = mpsc::channel(1);
    let answering = answers.answer(question, sender);
    let storing = async {
        while let Some(part) = parts.recv().await {
            let part =
                serde_json::to_value(part).map_err(|error| sqlx::Error::Encode(error.into()))?;
            store_answer(replicas, id, &part).await?;
        }
        Ok::<_, db::Error>(())
    };
    tokio::pin!(answering, storing);
    tokio::select! {
        stored = &mut storing => stored,
        () = &mut answering => storing.await,
    }
}

async fn store_answer(replicas: &Replicas, id: Uuid, answer: &Value) -> db::Result<()> {
    let mut conn = replicas.db.acquire().await?;
    store::answer(&mut conn, id, replicas.id, answer).await
}
