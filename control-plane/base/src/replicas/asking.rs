//! Open questions of this replica, and the one reader of their answers: each poll is one query for all open questions.

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
/// Minimum between two polls, whatever the rate of notifications.
const PAUSE: Duration = Duration::from_millis(2);

/// A replica's answer: complete, or what it knows so far.
#[derive(Clone, Debug)]
pub struct Told {
    pub replica_id: Uuid,
    /// Replaces its earlier answer to the same question.
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
    /// The replicas that were asked.
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
            // The sender is dropped with this.
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
    /// Registers for answers. Call it before the question is stored, so that none is missed.
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
                // The asker may be gone by now.
                drop(question.told.send(Told { replica_id, answer }));
            }
        }
        Ok(())
    }
}
