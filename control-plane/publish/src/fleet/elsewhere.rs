//! Writes wait for the edges of the other replicas too, unless these lag.
//!
//! A replica that is alone pays nothing. Otherwise the changes of concurrent writes are asked about together, one question after
//! another with a pause in between, so that the load on the database does not grow with the number of writes. A replica that does
//! not answer in time is not waited for again until it answers.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use fanout::Hub;
use futures_util::{StreamExt, stream::FuturesUnordered};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serving::error::chain;
use tokio::{
    sync::{Semaphore, mpsc, oneshot},
    time::{Instant, MissedTickBehavior, interval, sleep, sleep_until, timeout},
};
use uuid::Uuid;

use super::{Answer, Question, millis};
use base::replicas::{Asking, Received, Replicas};
use domain::version::Change;

/// Writes that wait to be asked about. Further ones do not wait for other replicas.
const QUEUED: usize = 4_096;

/// Changes that were written at another replica.
#[derive(Debug, Serialize, Deserialize)]
pub struct Writes {
    changes: Vec<Change>,
    patience_ms: u64,
    /// Edges whose sessions the asker ended, and that have not reconnected to it.
    sought: Vec<String>,
}

/// A replica's progress with these changes.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct WritesReached {
    /// Indexes of changes that no longer wait for an edge.
    reached: Vec<usize>,
    /// The sought edges that are connected here.
    here: Vec<String>,
}

/// Asks the other replicas about changes.
#[derive(Debug)]
pub(crate) struct Elsewhere {
    replicas: Replicas,
    queue: mpsc::Sender<Waiting>,
}

#[derive(Debug)]
struct Asker {
    hub: Arc<Hub>,
    replicas: Replicas,
    /// Replicas that did not answer the last question in time.
    silent: Mutex<HashSet<Uuid>>,
    /// For the one question that waits only for silent replicas.
    probe: Arc<Semaphore>,
}

#[derive(Debug)]
struct Waiting {
    change: Change,
    deadline: Instant,
    reached: oneshot::Sender<()>,
}

impl Elsewhere {
    pub(crate) fn new(hub: Arc<Hub>, replicas: Replicas) -> Self {
        let (queue, queued) = mpsc::channel(QUEUED);
        let asker = Asker {
            hub,
            replicas: replicas.clone(),
            silent: Mutex::default(),
            probe: Arc::new(Semaphore::new(1)),
        };
        tokio::spawn(Arc::new(asker).run(queued));
        Self { replicas, queue }
    }

    /// Waits until the edges of all other replicas serve the change, except lagging ones, at most for `patience`.
    pub(crate) async fn reached(&self, change: &Change, patience: Duration) {
        if self.replicas.is_alone() {
            return;
        }
        let (reached, is_reached) = oneshot::channel();
        let waiting = Waiting {
            change: change.clone(),
            deadline: Instant::now() + patience,
            reached,
        };
        drop(self.queue.try_send(waiting));
        // The sender is dropped if the question cannot be asked.
        drop(timeout(patience, is_reached).await);
    }
}

impl Asker {
    /// Asks about queued changes until no more can come.
    async fn run(self: Arc<Self>, mut queue: mpsc::Receiver<Waiting>) {
        let open_questions = Arc::new(Semaphore::new(32));
        while let Ok(permit) = Arc::clone(&open_questions).acquire_owned().await {
            let mut batch = Vec::new();
            if queue.recv_many(&mut batch, 256).await == 0 {
                return;
            }
            batch.retain(|waiting| !waiting.reached.is_closed());
            if batch.is_empty() {
                continue;
            }
            let this = Arc::clone(&self);
            tokio::spawn(async move {
                this.ask_about(batch).await;
                drop(permit);
            });
            sleep(Duration::from_millis(10)).await;
        }
    }

    async fn ask_about(self: Arc<Self>, batch: Vec<Waiting>) {
        let deadlines = batch.iter().map(|waiting| waiting.deadline);
        let deadline = deadlines.max().unwrap_or_else(Instant::now);
        let patience = deadline.saturating_duration_since(Instant::now());
        // A replica stops waiting for its edges this much earlier, so that its answer arrives in time.
        let transit = Duration::from_millis(50).min(patience / 2);
        let question = Question::Writes(Writes {
            changes: batch.iter().map(|waiting| waiting.change.clone()).collect(),
            patience_ms: millis(patience - transit),
            sought: self.hub.missing(256),
        });
        match self.replicas.begin(&question).await {
            Ok(asking) => Round::new(self, &asking, batch).run(asking, deadline).await,
            Err(error) => {
                tracing::warn!(error = chain(&error), "the other replicas cannot be asked");
            }
        }
    }
}

/// A question about several changes.
struct Round {
    asker: Arc<Asker>,
    /// Unfinished changes, by their index in the question.
    waiting: HashMap<usize, Waiting>,
    count: usize,
    asked: HashSet<Uuid>,
    /// Replicas whose answers are awaited.
    awaited: HashSet<Uuid>,
    /// What each replica answered last.
    reached: HashMap<Uuid, HashSet<usize>>,
}

impl Round {
    fn new(asker: Arc<Asker>, asking: &Asking, batch: Vec<Waiting>) -> Self {
        let asked: HashSet<Uuid> = asking.others().collect();
        let awaited = &asked - &*asker.silent.lock();
        Self {
            asker,
            count: batch.len(),
            waiting: batch.into_iter().enumerate().collect(),
            asked,
            awaited,
            reached: HashMap::new(),
        }
    }

    async fn run(mut self, mut asking: Asking, deadline: Instant) {
        let mut presence = interval(Duration::from_millis(100));
        presence.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut probe = None;
        loop {
            self.complete_writes();
            if self.is_complete() {
                break;
            }
            if self.waiting.is_empty() && probe.is_none() {
                // Silent replicas may still answer: one question stays open for them.
                probe = Arc::clone(&self.asker.probe).try_acquire_owned().ok();
                if probe.is_none() {
                    break;
                }
            }
            tokio::select! {
                received = asking.next() => self.note(received),
                () = sleep_until(deadline) => break,
                _ = presence.tick() => {
                    let replicas = &self.asker.replicas;
                    self.awaited.retain(|id| replicas.is_present(*id));
                }
            }
        }
        self.note_silent(Instant::now() >= deadline);
        if let Err(error) = self.asker.replicas.end(asking).await {
            // The question is deleted with those of replicas that have ended.
            tracing::debug!(error = chain(&error), "cannot delete a question");
        }
    }

    /// Completes the writes that no replica delays any more.
    fn complete_writes(&mut self) {
        let (awaited, reached) = (&self.awaited, &self.reached);
        let has_reached = |id: &Uuid, index: &usize| {
            let of_replica = reached.get(id);
            of_replica.is_some_and(|of_replica| of_replica.contains(index))
        };
        let is_reached = |index: &usize| awaited.iter().all(|id| has_reached(id, index));
        for (_, waiting) in self.waiting.extract_if(|index, _| is_reached(index)) {
            // The write may have timed out.
            waiting.reached.send(()).unwrap_or_default();
        }
    }

    fn is_complete(&self) -> bool {
        let reached_all = |id| {
            self.reached
                .get(id)
                .is_some_and(|of| of.len() == self.count)
        };
        self.asked.iter().all(reached_all)
    }

    /// A replica of another build does not understand the question, and is not waited for.
    fn note(&mut self, received: Received) {
        let reached = match serde_json::from_value::<WritesReached>(received.answer) {
            Ok(answer) => {
                self.asker.hub.found_elsewhere(&answer.here);
                answer.reached.into_iter().collect()
            }
            Err(_) => (0..self.count).collect(),
        };
        self.reached.insert(received.replica_id, reached);
    }

    /// Remembers which replicas answered, and which had the time and did not.
    fn note_silent(&self, had_time: bool) {
        let mut silent = self.asker.silent.lock();
        for id in &self.asked {
            if self.reached.contains_key(id) {
                silent.remove(id);
            } else if had_time {
                silent.insert(*id);
            }
        }
        silent.retain(|id| self.asker.replicas.is_present(*id));
    }
}

/// Answers another replica with the changes that have arrived: at once when all have, otherwise in parts, so that a slow change
/// does not delay the others.
pub(super) async fn answer(hub: &Hub, writes: Writes, parts: mpsc::Sender<Answer>) {
    let patience = Duration::from_millis(writes.patience_ms);
    let changes = writes.changes.iter().enumerate();
    let mut coming: FuturesUnordered<_> = changes
        .map(|(index, change)| async move {
            hub.reached(&change.published(), patience).await;
            index
        })
        .collect();
    let mut reached = Vec::new();
    while let Some(index) = coming.next().await {
        reached.push(index);
        let others = async {
            while let Some(index) = coming.next().await {
                reached.push(index);
            }
        };
        drop(timeout(Duration::from_millis(25), others).await);
        let answer = WritesReached {
            reached: reached.clone(),
            here: hub.connected_of(&writes.sought),
        };
        if parts.send(Answer::Writes(answer)).await.is_err() {
            // The asker has left.
            return;
        }
    }
}
