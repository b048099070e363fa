//! Propagation of versions of environments, per edge and at all replicas, for event streams.
//!
//! No write waits for this. Each replica times its own edges, from when it learned of a version; the others are asked once, and
//! answer in parts as their edges acknowledge.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use fanout::{Following, Hub, Progress, Seen};
use protocol::snapshot::Version;
use serde::{Deserialize, Serialize};
use serving::error::chain;
use tokio::{
    sync::{Notify, broadcast, mpsc},
    time::{Instant, sleep, sleep_until},
};
use uuid::Uuid;

use super::{Answer, Question, millis};
use crate::{Publisher, store::Origin};
use base::{
    ids::EnvId,
    replicas::{Asking, Received, Replicas},
};

/// A new version of an environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Raised {
    pub env_id: EnvId,
    pub version: Version,
}

/// A new version that a poll found, and where it comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) raised: Raised,
    pub(crate) origin: Origin,
    /// When its commit was announced, here or by another replica; at the latest when the poll began.
    pub(crate) announced: Instant,
}

/// Keeps new versions being reported, until dropped.
#[derive(Clone, Debug)]
pub struct Interest {
    _counted: Arc<()>,
}

/// Publishes the new versions that polls found.
#[derive(Debug)]
pub(crate) struct Raises {
    interest: Arc<()>,
    sender: broadcast::Sender<Arc<[Found]>>,
}

impl Default for Raises {
    fn default() -> Self {
        Self {
            interest: Arc::default(),
            // Polls that a slow subscriber may lag behind.
            sender: broadcast::Sender::new(64),
        }
    }
}

impl Raises {
    /// Whether an [`Interest`] exists.
    pub(crate) fn are_wanted(&self) -> bool {
        Arc::strong_count(&self.interest) > 1
    }

    /// Publishes the versions in `seen` whose environments are among `raised`, up to 1,024.
    pub(crate) fn publish(
        &self,
        seen: &[Seen],
        origins: &HashMap<EnvId, Origin>,
        raised: &[(EnvId, Version)],
        announced: Instant,
    ) {
        if raised.is_empty() || !self.are_wanted() {
            return;
        }
        let ids: BTreeSet<EnvId> = raised.iter().map(|(env_id, _)| *env_id).collect();
        let found = seen.iter().filter_map(|seen| {
            let Seen::Environment {
                env_id, version, ..
            } = seen
            else {
                return None;
            };
            let raised = Raised {
                env_id: (*env_id).into(),
                version: *version,
            };
            let origin = *origins.get(&raised.env_id)?;
            Some(Found {
                raised,
                origin,
                announced,
            })
        });
        let found = found.filter(|found| ids.contains(&found.raised.env_id));
        // All subscribers may be gone by now.
        drop(self.sender.send(found.take(1_024).collect()));
    }
}

/// Versions followed at all replicas.
#[derive(Debug)]
pub struct Waves {
    /// `None`: no longer followed.
    following: Vec<Option<Following>>,
    progress: Arc<Notify>,
    others: Option<Others>,
}

/// The progress that other replicas report.
#[derive(Debug)]
struct Others {
    replicas: Replicas,
    asking: Asking,
    /// Replicas that have not reported yet.
    awaited: HashSet<Uuid>,
    progress: HashMap<Uuid, Vec<Progress>>,
}

impl Publisher {
    /// Keeps new versions published and remembered, until it is dropped.
    pub(crate) fn look_on(&self) -> Interest {
        Interest {
            _counted: Arc::clone(&self.0.raises.interest),
        }
    }

    /// New versions as polls find them, while there is an [`Interest`].
    pub(crate) fn raises(&self) -> broadcast::Receiver<Arc<[Found]>> {
        self.0.raises.sender.subscribe()
    }

    /// Follows versions at all replicas, which answer for `patience` at most.
    pub async fn follow(&self, raised: &[Raised], patience: Duration) -> Waves {
        let progress = Arc::default();
        let following = follow(&self.0.hub, raised, &progress);
        let others = Others::ask(&self.0.replicas, raised, patience).await;
        Waves {
            following,
            progress,
            others,
        }
    }
}

fn follow(hub: &Arc<Hub>, raised: &[Raised], progress: &Arc<Notify>) -> Vec<Option<Following>> {
    let each = raised.iter();
    each.map(|one| Some(hub.follow(one.env_id.into(), one.version, progress)))
        .collect()
}

impl Waves {
    /// Waits until progress may have changed. Cancellation safe.
    pub async fn moved(&mut self) {
        let Some(others) = &mut self.others else {
            return self.progress.notified().await;
        };
        tokio::select! {
            () = self.progress.notified() => {}
            received = others.asking.next() => others.note(received),
        }
    }

    /// Whether all replicas have reported.
    pub(crate) fn are_known(&self) -> bool {
        let others = self.others.as_ref();
        others.is_none_or(|others| others.awaited.is_empty())
    }

    /// The progress of a version by its index, and how long it has been listed here.
    pub(crate) fn progress(&mut self, index: usize) -> Option<(Progress, Duration)> {
        let following = self.following.get_mut(index)?.as_mut()?;
        let mut progress = following.look();
        if let Some(others) = &mut self.others {
            let replicas = &others.replicas;
            others.awaited.retain(|id| replicas.is_present(*id));
            for reported in others.progress.values().filter_map(|all| all.get(index)) {
                progress.merge(reported.clone());
            }
            progress.is_known &= others.awaited.is_empty();
        }
        Some((progress, following.age()))
    }

    /// Stops following a version.
    pub fn leave(&mut self, index: usize) {
        if let Some(following) = self.following.get_mut(index) {
            *following = None;
        }
    }

    /// Ends the question at the other replicas.
    pub async fn end(self) {
        if let Some(Others {
            replicas, asking, ..
        }) = self.others
            && let Err(error) = replicas.end(asking).await
        {
            // The question is deleted with those of replicas that have ended.
            tracing::debug!(error = chain(&error), "cannot delete a question");
        }
    }
}

impl Others {
    /// `None` if there are no other replicas, or they cannot be asked.
    async fn ask(replicas: &Replicas, raised: &[Raised], patience: Duration) -> Option<Self> {
        if replicas.is_alone() {
            return None;
        }
        let question = Question::Waves {
            raised: raised.to_vec(),
            patience_ms: millis(patience),
        };
        match replicas.begin(&question).await {
            Ok(asking) => Some(Self {
                awaited: asking.others().collect(),
                replicas: replicas.clone(),
                asking,
                progress: HashMap::new(),
            }),
            Err(error) => {
                let error = chain(&error);
                tracing::warn!(error, "the other replicas cannot be asked");
                None
            }
        }
    }

    /// A replica of another build does not understand the question, and is not waited for.
    fn note(&mut self, received: Received) {
        self.awaited.remove(&received.replica_id);
        if let Ok(progress) = serde_json::from_value(received.answer) {
            self.progress.insert(received.replica_id, progress);
        }
    }
}

/// Answers another replica with the progress here, repeatedly until all versions are done.
pub(super) async fn answer(
    hub: &Arc<Hub>,
    raised: &[Raised],
    patience: Duration,
    parts: mpsc::Sender<Answer>,
) {
    let until = Instant::now() + patience;
    let progress = Arc::default();
    let mut following = follow(hub, raised, &progress);
    let mut pause = Duration::from_millis(25);
    let mut last = None;
    loop {
        let following = following.iter_mut().flatten();
        let now: Vec<_> = following.map(Following::look).collect();
        let is_over = now.iter().all(Progress::is_over) || Instant::now() >= until;
        if last.as_ref() != Some(&now) {
            // The asker has left.
            if parts.send(Answer::Waves(now.clone())).await.is_err() {
                return;
            }
            last = Some(now);
        }
        if is_over {
            return;
        }
        tokio::select! {
            () = progress.notified() => {}
            () = sleep_until(until) => {}
        }
        sleep(pause).await;
        pause = (pause * 2).min(Duration::from_millis(800));
    }
}
