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

/// Answers that wait for the asker.
const WAITING: usize = 64;

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
    answers: mpsc::Sender<Received>,
    /// The last answer of each replica that was passed on.
    last: HashMap<Uuid, Value>,
}

/// A question that was asked, until dropped.
#[derive(Debug)]
pub struct Asking {
    pub(super) id: Uuid,
    pub(super) others: Vec<Uuid>,
    received: mpsc::Receiver<Received>,
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
        let (answers, received) = mpsc::channel(WAITING);
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
            if let Some(question) = questions.by_id.get_mut(&question_id) {
                question.hear(Received { replica_id, answer });
            }
        }
        Ok(())
    }
}

impl Question {
    /// Passes an answer on, unless it is known. Where there is no room for it, the next poll finds it, or a newer one.
    fn hear(&mut self, received: Received) {
        let Received { replica_id, answer } = received.clone();
        if self.last.get(&replica_id) != Some(&answer) && self.answers.try_send(received).is_ok() {
            self.last.insert(replica_id, answer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_asker_that_is_slow_hears_the_newest_of_every_replica() {
        let (answers, mut received) = mpsc::channel(WAITING);
        let last = HashMap::new();
        let mut question = Question { answers, last };
        let mut poll = |answer: &str| {
            for number in 0..=WAITING as u128 {
                question.hear(Received {
                    replica_id: Uuid::from_u128(number),
                    answer: answer.into(),
                });
            }
        };
        poll("first");
        poll("second");
        let mut heard = HashMap::new();
        for waiting in [WAITING, WAITING, 1] {
            assert_eq!(received.len(), waiting);
            let waiting = std::iter::from_fn(|| received.try_recv().ok());
            heard.extend(waiting.map(|one| (one.replica_id, one.answer)));
            poll("second");
        }
        assert_eq!(heard.len(), WAITING + 1);
        assert!(heard.values().all(|answer| answer == "second"));
    }
}
