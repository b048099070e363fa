//! The fleet: the edges of all replicas, their contents, and the propagation of changes.
//!
//! The hub knows the edges connected to this replica; the other replicas are asked for theirs. Replicas send each other the same
//! report that the operator sees and, limited to their organization, members see.

mod elsewhere;
mod gauges;
mod left;
mod recorder;
mod report;
mod ring;
mod standing;
mod waves;

use std::time::Duration;

pub use fanout::{Acknowledged, PresentEdge, Progress, Reached};
use serde::{Deserialize, Serialize};
use serving::error::chain;
use tokio::sync::mpsc;

pub(super) use self::{
    elsewhere::Elsewhere,
    gauges::Gauges,
    recorder::Recorder,
    waves::{Found, Raises},
};
pub use self::{
    elsewhere::{Writes, WritesReached},
    left::{Behind, LeftEdge},
    report::{ConnectedEdge, HeldEnvironment},
    ring::RecordedWave,
    standing::{SeenChange, Standing},
    waves::{Interest, Raised, Waves},
};
use super::Publisher;
use base::{
    ids::{EnvId, OrgId},
    replicas::{Answers, Heard, Replicas},
};
use domain::version::Change;

/// How long others are waited for by who only wants to see.
const PATIENCE: Duration = Duration::from_secs(2);

/// Questions between replicas.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// Which of your edges serve this change, within this time?
    Reached {
        change: Change,
        /// Milliseconds.
        patience_ms: u64,
    },
    /// Which of these changes do your edges serve, as far as they keep up? Answered in parts.
    Writes(Writes),
    /// Which versions do your edges hold, of these environments or of all?
    Edges(Option<Vec<EnvId>>),
    /// How far have these versions propagated to your edges, and since when? Answered in parts.
    Waves {
        raised: Vec<Raised>,
        /// Milliseconds.
        patience_ms: u64,
    },
    /// Request usage reports from your edges, within this time.
    FlushUsage {
        /// Milliseconds.
        patience_ms: u64,
    },
    /// What do you know about edges, as far as these environments of the organization go?
    Standing { org_id: OrgId, env_ids: Vec<EnvId> },
    /// Which changes of these environments of the organization did you record?
    Recorded {
        org_id: OrgId,
        env_ids: Vec<EnvId>,
        limit: usize,
    },
}

/// Answers of replicas. The asker knows which kind belongs to its question.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// To [`Question::Reached`].
    Reached(Reached),
    /// To [`Question::Writes`].
    Writes(WritesReached),
    /// To [`Question::Edges`].
    Edges(Vec<ConnectedEdge>),
    /// To [`Question::Waves`], in the order of the question.
    Waves(Vec<Progress>),
    /// To [`Question::FlushUsage`].
    Done,
    /// To [`Question::Standing`].
    Standing(Standing),
    /// To [`Question::Recorded`].
    Recorded(Vec<RecordedWave>),
}

impl Answers for Publisher {
    type Question = Question;
    type Answer = Answer;
    type Presence = Vec<PresentEdge>;

    async fn answer(&self, question: Question, parts: mpsc::Sender<Answer>) {
        let hub = &self.0.hub;
        let answer = match question {
            Question::Writes(writes) => return elsewhere::answer(hub, writes, parts).await,
            Question::Waves {
                raised,
                patience_ms,
            } => {
                let patience = Duration::from_millis(patience_ms);
                return waves::answer(hub, &raised, patience, parts).await;
            }
            Question::Reached {
                change,
                patience_ms,
            } => {
                let patience = Duration::from_millis(patience_ms);
                Answer::Reached(hub.acknowledged(&change.published(), patience).await)
            }
            Question::Edges(only) => Answer::Edges(self.connected(only.as_deref())),
            Question::Standing { org_id, env_ids } => {
                Answer::Standing(self.own_standing(org_id, &env_ids))
            }
            Question::Recorded {
                org_id,
                env_ids,
                limit,
            } => Answer::Recorded(self.recorded(org_id, &env_ids, limit)),
            Question::FlushUsage { patience_ms } => {
                hub.flush(Duration::from_millis(patience_ms)).await;
                Answer::Done
            }
        };
        // The receiver is gone if the database is.
        drop(parts.send(answer).await);
    }

    fn presence(&self) -> Vec<PresentEdge> {
        self.0.hub.present()
    }
}

impl Publisher {
    /// Waits until the edges of all replicas serve the change, at most `EDGES_WAIT`, and returns which do and which do not. The
    /// edges of a replica that does not answer count as lagging, unless another replica reports them.
    pub async fn reached_everywhere(&self, change: &Change) -> Reached {
        let patience = self.0.edges_wait;
        self.prepare(change);
        self.is_of_this_history(change, patience).await;
        let published = change.published();
        // The others stop waiting for their edges this much earlier, so that their answers arrive in time.
        let transit = Duration::from_millis(500).min(patience / 2);
        let question = Question::Reached {
            change: change.clone(),
            patience_ms: millis(patience - transit),
        };
        let (mut reached, heard) = tokio::join!(
            self.0.hub.acknowledged(&published, patience),
            ask::<Reached>(&self.0.replicas, &question, patience),
        );
        for other in heard.answers {
            reached.merge(other);
        }
        let silent = heard
            .silent
            .into_iter()
            .filter_map(|presence| serde_json::from_value::<Vec<PresentEdge>>(presence).ok());
        reached.merge(Reached {
            acknowledged: Vec::new(),
            lagging: self.0.hub.concerned(&published, silent.flatten()),
        });
        reached
    }

    /// The connected edges of all replicas with their contents, in these environments or in all.
    pub async fn fleet(&self, only: Option<&[EnvId]>) -> Vec<ConnectedEdge> {
        let mut edges = self.connected(only);
        edges.extend(of_others(&self.0.replicas, only).await);
        edges
    }

    /// The edges connected to this replica.
    fn connected(&self, only: Option<&[EnvId]>) -> Vec<ConnectedEdge> {
        let only: Option<Vec<_>> = only.map(|only| only.iter().map(|id| (*id).into()).collect());
        let edges = self.0.hub.edges(only.as_deref()).into_iter();
        edges.map(ConnectedEdge::from).collect()
    }

    /// The gauges of the edges connected to this replica, as Prometheus reads them.
    pub fn render_gauges(&self) -> String {
        self.0.gauges.render()
    }

    /// Requests usage reports from the edges of all replicas, and waits until they are stored, at most for `patience`.
    pub async fn flush_usage(&self, patience: Duration) {
        let question = Question::FlushUsage {
            patience_ms: millis(patience),
        };
        tokio::join!(
            self.0.hub.flush(patience),
            ask::<()>(&self.0.replicas, &question, patience),
        );
    }
}

/// The connected edges of all replicas except the asking one.
pub async fn of_others(replicas: &Replicas, only: Option<&[EnvId]>) -> Vec<ConnectedEdge> {
    let question = Question::Edges(only.map(<[_]>::to_vec));
    let heard = ask::<Vec<ConnectedEdge>>(replicas, &question, PATIENCE).await;
    heard.answers.into_iter().flatten().collect()
}

/// Failures are logged, and no answers returned.
async fn ask<A: serde::de::DeserializeOwned>(
    replicas: &Replicas,
    question: &Question,
    patience: Duration,
) -> Heard<A> {
    replicas
        .ask(question, patience)
        .await
        .unwrap_or_else(|error| {
            tracing::warn!(error = chain(&error), "the other replicas cannot be asked");
            Heard {
                answers: Vec::new(),
                silent: Vec::new(),
            }
        })
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
