//! Questions of this replica that are open, and the one reader of their answers: however many are open, each look for
//! answers is one query.

use std::{
    collections::HashMap,
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde_json::Value;
use serving::error::chain;
use tokio::{
    sync::{mpsc, watch},
    time::sleep,
};
use uuid::Uuid;

use super::{Replicas, store};
use crate::db;

/// How often answers are polled for if no notification arrives.
const LOOK: Duration = Duration::from_millis(100);
/// Between two looks, however many notifications arrive.
const PAUSE: Duration = Duration::from_millis(2);

/// What a replica answered: all of it, or as much as it knows by now.
#[derive(Clone, Debug)]
pub struct Told {
    /// The replica that answers.
    pub replica_id: Uuid,
    /// Replaces what it answered to the same question before.
    pub answer: Value,
}

/// Questions that wait for answers.
#[derive(Debug, Default)]
pub(super) struct Open(Mutex<Questions>);

#[derive(Debug, Default)]
struct Questions {
    by_id: HashMap<Uuid, Question>,
    is_read: bool,
}

#[derive(Debug)]
struct Question {
    told: mpsc::UnboundedSender<Told>,
    /// The latest answers, by replica.
    heard: HashMap<Uuid, Value>,
}

/// A question that was asked, until dropped.
#[derive(Debug)]
pub struct Asking {
    id: Uuid,
    others: Vec<Uuid>,
    told: mpsc::UnboundedReceiver<Told>,
    open: Arc<Open>,
}

impl Asking {
    /// Those that were asked.
    pub fn others(&self) -> impl Iterator<Item = Uuid> {
        self.others.iter().copied()
    }

    pub(super) const fn id(&self) -> Uuid {
        self.id
    }

    /// The next answer. Cancellation safe.
    pub async fn next(&mut self) -> Told {
        match self.told.recv().await {
            Some(told) => told,
            // The sender goes when this is dropped.
            None => std::future::pending().await,
        }
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        self.open.lock().by_id.remove(&self.id);
    }
}

impl Open {
    /// Held only briefly, never across an await.
    fn lock(&self) -> MutexGuard<'_, Questions> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Replicas {
    /// Prepares to hear answers. Call it before the question is stored, so that none goes unnoticed.
    pub(super) fn open(&self, id: Uuid, others: Vec<Uuid>) -> Asking {
        let (telling, told) = mpsc::unbounded_channel();
        let question = Question {
            told: telling,
            heard: HashMap::new(),
        };
        let mut questions = self.open.lock();
        questions.by_id.insert(id, question);
        if !mem::replace(&mut questions.is_read, true) {
            let notified = self.db.asked().listen();
            tokio::spawn(self.clone().read_answers(notified));
        }
        drop(questions);
        Asking {
            id,
            others,
            told,
            open: Arc::clone(&self.open),
        }
    }

    /// Reads answers as long as a question is open.
    async fn read_answers(self, mut notified: watch::Receiver<()>) {
        loop {
            let ids: Vec<Uuid> = {
                let mut questions = self.open.lock();
                questions.is_read = !questions.by_id.is_empty();
                questions.by_id.keys().copied().collect()
            };
            if ids.is_empty() {
                return;
            }
            if let Err(error) = self.look_for_answers(&ids).await {
                let error = chain(&error);
                tracing::debug!(error, "cannot look for answers of other replicas");
            }
            sleep(PAUSE).await;
            tokio::select! {
                // The database keeps the sender.
                _ = notified.changed() => {}
                () = sleep(LOOK) => {}
            }
        }
    }

    async fn look_for_answers(&self, ids: &[Uuid]) -> db::Result<()> {
        let answers = store::answers(&mut *self.db.acquire().await?, ids).await?;
        let mut questions = self.open.lock();
        for store::Answer {
            question_id,
            replica_id,
            answer,
        } in answers
        {
            let Some(question) = questions.by_id.get_mut(&question_id) else {
                continue;
            };
            if question.heard.get(&replica_id) != Some(&answer) {
                question.heard.insert(replica_id, answer.clone());
                // Whoever asked may be gone by now.
                drop(question.told.send(Told { replica_id, answer }));
            }
        }
        Ok(())
    }
}
