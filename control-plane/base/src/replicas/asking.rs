//! Open questions of this replica, and the one reader of their answers: each poll is one query for all open questions.

use std::{collections::HashMap, mem, sync::Arc, time::Duration};

use parking_lot::Mutex;
use serde_json::Value;
use serving::error::chain;
use tokio::{
    sync::{mpsc, watch},
    time::{sleep, timeout},
};
use uuid::Uuid;

use super::{Replicas, store};
use crate::db;

/// A replica's answer: complete, or what it knows so far.
#[derive(Clone, Debug)]
pub struct Received {
    pub replica_id: Uuid,
    /// Replaces its earlier answer to the same question.
    pub answer: Value,
}

/// Questions that wait for answers.
#[derive(Debug, Default)]
pub(super) struct Questions {
    by_id: HashMap<Uuid, Question>,
    is_read: bool,
}

#[derive(Debug)]
struct Question {
    answers: mpsc::UnboundedSender<Received>,
    /// The last answer of each replica.
    last: HashMap<Uuid, Value>,
}

/// A question that was asked, until dropped.
#[derive(Debug)]
pub struct Asking {
    pub(super) id: Uuid,
    pub(super) others: Vec<Uuid>,
    received: mpsc::UnboundedReceiver<Received>,
    open: Arc<Mutex<Questions>>,
}

impl Asking {
    /// The replicas that were asked.
    pub fn others(&self) -> impl Iterator<Item = Uuid> {
        self.others.iter().copied()
    }

    /// The next answer. Cancellation safe.
    pub async fn next(&mut self) -> Received {
        match self.received.recv().await {
            Some(received) => received,
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

impl Replicas {
    /// Registers for answers. Call it before the question is stored, so that none is missed.
    pub(super) fn open(&self, id: Uuid, others: Vec<Uuid>) -> Asking {
        let (answers, received) = mpsc::unbounded_channel();
        let question = Question {
            answers,
            last: HashMap::new(),
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
            received,
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
            let polling = self.db.unless_moved(self.poll_answers(&ids));
            if let Err(error) = polling.await.flatten() {
                let error = chain(&error);
                tracing::debug!(error, "cannot read the answers of other replicas");
            }
            // The minimum between two polls, whatever the rate of notifications.
            sleep(Duration::from_millis(2)).await;
            // The database keeps the sender, so that this ends by a notification or in time.
            drop(timeout(Duration::from_millis(100), notified.changed()).await);
        }
    }

    async fn poll_answers(&self, ids: &[Uuid]) -> db::Result<()> {
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
            if question.last.get(&replica_id) != Some(&answer) {
                question.last.insert(replica_id, answer.clone());
                // The asker may be gone by now.
                drop(question.answers.send(Received { replica_id, answer }));
            }
        }
        Ok(())
    }
}
