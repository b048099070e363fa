//! Writes wait for the edges of the other replicas too, unless these lag.
//!
//! A replica that is alone pays nothing. Otherwise the changes of concurrent writes are asked about together, one question after
//! another with a pause in between, so that the load on the database does not grow with the number of writes. A replica that does
//! not answer in time is not waited for again until it answers.

use std::{
    collections::{HashMap, HashSet},
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use fanout::Hub;
use futures_util::{StreamExt, future::join_all, stream::FuturesUnordered};
use serde::{Deserialize, Serialize};
use serving::error::chain;
use tokio::{
    sync::{Semaphore, mpsc, oneshot},
    time::{Instant, MissedTickBehavior, interval, sleep_until, timeout},
};
use uuid::Uuid;

use super::{Answer, Question, millis};
use base::replicas::{Asking, Replicas, Told};
use domain::version::Change;

/// Pause between two questions.
const PACE: Duration = Duration::from_millis(10);
/// Changes in one question.
const TOGETHER: usize = 256;
/// Open questions that writes wait for.
const ROUNDS: usize = 32;
/// Time for an answer to travel: a replica stops waiting for its edges this much earlier.
const TRANSIT: Duration = Duration::from_millis(50);
/// How often a replica reports which of several changes its edges already serve.
const PART: Duration = Duration::from_millis(25);
/// How often the presence of awaited replicas is checked.
const LOOK: Duration = Duration::from_millis(100);
/// Missing edges in one question.
const SOUGHT: usize = 256;

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
    hub: Arc<Hub>,
    replicas: Replicas,
    state: Mutex<State>,
    rounds: Arc<Semaphore>,
}

#[derive(Debug, Default)]
struct State {
    queue: Vec<Waiting>,
    is_asking: bool,
    asked: Option<Instant>,
    /// Replicas that did not answer the last question in time.
    silent: HashSet<Uuid>,
    /// Whether a question waits only for silent replicas.
    is_probing: bool,
}

#[derive(Debug)]
struct Waiting {
    change: Change,
    deadline: Instant,
    reached: oneshot::Sender<()>,
}

impl Elsewhere {
    pub(crate) fn new(hub: Arc<Hub>, replicas: Replicas) -> Self {
        Self {
            hub,
            replicas,
            state: Mutex::default(),
            rounds: Arc::new(Semaphore::new(ROUNDS)),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the edges of all other replicas serve the change, except lagging ones, at most for `patience`.
    pub(crate) async fn reached(self: &Arc<Self>, change: &Change, patience: Duration) {
        if self.replicas.is_alone() {
            return;
        }
        let (reached, told) = oneshot::channel();
        let waiting = Waiting {
            change: change.clone(),
            deadline: Instant::now() + patience,
            reached,
        };
        self.queue(waiting);
        // The sender is dropped if the question cannot be asked.
        drop(timeout(patience, told).await);
    }

    fn queue(self: &Arc<Self>, waiting: Waiting) {
        let mut state = self.state();
        state.queue.push(waiting);
        if !mem::replace(&mut state.is_asking, true) {
            tokio::spawn(Arc::clone(self).ask());
        }
    }

    /// Asks about queued changes until none is left.
    async fn ask(self: Arc<Self>) {
        let mut turn = Turn::new(&self);
        loop {
            let next = self.state().asked.map(|asked| asked + PACE);
            if let Some(next) = next {
                sleep_until(next).await;
            }
            let Ok(permit) = Arc::clone(&self.rounds).acquire_owned().await else {
                return;
            };
            let batch = {
                let mut state = self.state();
                state.queue.retain(|waiting| !waiting.reached.is_closed());
                let count = state.queue.len().min(TOGETHER);
                let batch: Vec<Waiting> = state.queue.drain(..count).collect();
                if batch.is_empty() {
                    turn.end(&mut state);
                }
                state.asked = Some(Instant::now());
                batch
            };
            if batch.is_empty() {
                return;
            }
            let this = Arc::clone(&self);
            tokio::spawn(async move {
                this.ask_about(batch).await;
                drop(permit);
            });
        }
    }

    async fn ask_about(self: &Arc<Self>, batch: Vec<Waiting>) {
        let deadlines = batch.iter().map(|waiting| waiting.deadline);
        let deadline = deadlines.max().unwrap_or_else(Instant::now);
        let patience = deadline.saturating_duration_since(Instant::now());
        let question = Question::Writes(Writes {
            changes: batch.iter().map(|waiting| waiting.change.clone()).collect(),
            patience_ms: millis(patience - TRANSIT.min(patience / 2)),
            sought: self.hub.missing(SOUGHT),
        });
        let asking = match self.replicas.begin(&question).await {
            Ok(asking) => asking,
            Err(error) => {
                tracing::warn!(error = chain(&error), "the other replicas cannot be asked");
                return;
            }
        };
        let round = Round::new(self, &asking, batch);
        round.run(asking, deadline).await;
    }
}

/// The task that asks about queued changes. If it is dropped in any way, the next writer starts another.
struct Turn {
    elsewhere: Arc<Elsewhere>,
    has_ended: bool,
}

impl Turn {
    fn new(elsewhere: &Arc<Elsewhere>) -> Self {
        Self {
            elsewhere: Arc::clone(elsewhere),
            has_ended: false,
        }
    }

    /// The queue is empty.
    fn end(&mut self, state: &mut State) {
        state.is_asking = false;
        self.has_ended = true;
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if !self.has_ended {
            self.elsewhere.state().is_asking = false;
        }
    }
}

/// A question about several changes.
struct Round {
    elsewhere: Arc<Elsewhere>,
    /// Unfinished changes, by their index in the question.
    waiting: HashMap<usize, Waiting>,
    count: usize,
    asked: HashSet<Uuid>,
    /// Replicas whose answers are awaited.
    awaited: HashSet<Uuid>,
    heard: HashMap<Uuid, HashSet<usize>>,
}

impl Round {
    fn new(elsewhere: &Arc<Elsewhere>, asking: &Asking, batch: Vec<Waiting>) -> Self {
        let asked: HashSet<Uuid> = asking.others().collect();
        Self {
            awaited: &asked - &elsewhere.state().silent,
            elsewhere: Arc::clone(elsewhere),
            count: batch.len(),
            waiting: batch.into_iter().enumerate().collect(),
            asked,
            heard: HashMap::new(),
        }
    }

    async fn run(mut self, mut asking: Asking, deadline: Instant) {
        let mut looks = interval(LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut probing = None;
        loop {
            self.tell();
            if self.is_complete() {
                break;
            }
            if self.waiting.is_empty() && probing.is_none() {
                // Silent replicas may still answer: one question stays open for them.
                probing = Probing::begin(&self.elsewhere);
                if probing.is_none() {
                    break;
                }
            }
            tokio::select! {
                told = asking.next() => self.hear(told),
                () = sleep_until(deadline) => break,
                _ = looks.tick() => {
                    let replicas = &self.elsewhere.replicas;
                    self.awaited.retain(|id| replicas.is_present(*id));
                }
            }
        }
        self.judge(Instant::now() >= deadline);
        if let Err(error) = self.elsewhere.replicas.end(asking).await {
            // The question is deleted with those of replicas that have ended.
            tracing::debug!(error = chain(&error), "cannot delete a question");
        }
    }

    /// Completes the writes that no replica delays any more.
    fn tell(&mut self) {
        let Self {
            waiting,
            awaited,
            heard,
            ..
        } = self;
        let is_reached = |index: &usize| {
            let says_so = |id: &Uuid| heard.get(id).is_some_and(|reached| reached.contains(index));
            awaited.iter().all(says_so)
        };
        for (_, waiting) in waiting.extract_if(|index, _| is_reached(index)) {
            // The write may have timed out.
            let _is_heard = waiting.reached.send(()).is_ok();
        }
    }

    fn is_complete(&self) -> bool {
        let is_heard = |id: &Uuid| {
            self.heard
                .get(id)
                .is_some_and(|reached| reached.len() == self.count)
        };
        self.asked.iter().all(is_heard)
    }

    /// A replica of another build does not understand the question, and is not waited for.
    fn hear(&mut self, told: Told) {
        let all = (0..self.count).collect();
        let reached = match serde_json::from_value::<WritesReached>(told.answer) {
            Ok(answer) => {
                self.elsewhere.hub.found_elsewhere(&answer.here);
                answer.reached.into_iter().collect()
            }
            Err(_) => all,
        };
        self.heard.insert(told.replica_id, reached);
    }

    /// Remembers which replicas answered, and which had the time and did not.
    fn judge(&self, had_time: bool) {
        let mut state = self.elsewhere.state();
        for id in &self.asked {
            if self.heard.contains_key(id) {
                state.silent.remove(id);
            } else if had_time {
                state.silent.insert(*id);
            }
        }
        let replicas = &self.elsewhere.replicas;
        state.silent.retain(|id| replicas.is_present(*id));
    }
}

/// The one question that waits for silent replicas, until dropped.
struct Probing(Arc<Elsewhere>);

impl Probing {
    fn begin(elsewhere: &Arc<Elsewhere>) -> Option<Self> {
        let was_probing = mem::replace(&mut elsewhere.state().is_probing, true);
        (!was_probing).then(|| Self(Arc::clone(elsewhere)))
    }
}

impl Drop for Probing {
    fn drop(&mut self) {
        self.0.state().is_probing = false;
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
    let mut is_news = false;
    let mut ticks = interval(PART);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks.reset();
    loop {
        let is_due = tokio::select! {
            biased;
            arrived = coming.next() => match arrived {
                Some(index) => {
                    reached.push(index);
                    is_news = true;
                    false
                }
                None => true,
            },
            _ = ticks.tick(), if is_news => true,
        };
        if is_due {
            is_news = false;
            let answer = WritesReached {
                reached: reached.clone(),
                here: hub.connected_of(&writes.sought),
            };
            // The asker has left.
            if parts.send(Answer::Writes(answer)).await.is_err() || coming.is_empty() {
                return;
            }
        }
    }
}

/// The last part of [`answer`].
pub(super) async fn last(hub: &Hub, writes: Writes) -> WritesReached {
    let patience = Duration::from_millis(writes.patience_ms);
    let changes: Vec<_> = writes.changes.iter().map(Change::published).collect();
    let changes = changes.iter();
    join_all(changes.map(|change| hub.reached(change, patience))).await;
    WritesReached {
        reached: (0..writes.changes.len()).collect(),
        here: hub.connected_of(&writes.sought),
    }
}

#[cfg(test)]
mod tests;
