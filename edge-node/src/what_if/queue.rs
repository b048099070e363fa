//! Questions wait until it is their turn, and are answered one after the other.

use std::{collections::VecDeque, sync::Arc};

use parking_lot::Mutex;
use protocol::what_if::{Failed, Finding, SignedQuestion};
use tokio::{sync::mpsc, task::spawn_blocking};

use super::answer::answer;
use crate::Edge;

/// The most questions that wait.
pub(super) const WAITING: usize = 16;

/// A question, and where its answer goes.
pub(super) struct Job {
    pub(super) signed: Arc<SignedQuestion>,
    pub(super) findings: mpsc::Sender<Finding>,
}

/// The questions that wait; nothing while none is being answered.
#[derive(Default)]
pub(super) struct Queue(Mutex<Option<VecDeque<Job>>>);

impl Queue {
    /// Answers a question when its turn comes. One too many is refused.
    pub(super) fn add(&self, edge: &Edge, job: Job) {
        let refused = {
            let mut waiting = self.0.lock();
            match &mut *waiting {
                Some(waiting) if waiting.len() >= WAITING => Some(job),
                Some(waiting) => {
                    waiting.push_back(job);
                    None
                }
                None => {
                    *waiting = Some(VecDeque::from([job]));
                    tokio::spawn(answer_all(edge.clone()));
                    None
                }
            }
        };
        if let Some(Job { signed, findings }) = refused {
            let (id, env_id) = (signed.question.id, signed.question.sampled.env_id);
            let parts = edge.parts();
            count("busy");
            if let Some(version) = parts.current.version(env_id) {
                let finding = Finding::failed(id, parts.what_if.boot, version, Failed::Busy);
                // The link may be gone, and the finding with it.
                tokio::spawn(async move { findings.send(finding).await });
            }
        }
    }

    fn next(&self) -> Option<Job> {
        let mut waiting = self.0.lock();
        let next = waiting.as_mut().and_then(VecDeque::pop_front);
        if next.is_none() {
            *waiting = None;
        }
        next
    }
}

async fn answer_all(edge: Edge) {
    while let Some(Job { signed, findings }) = edge.parts().what_if.queue.next() {
        let answering = edge.clone();
        let answered = spawn_blocking(move || answer(&answering, &signed.question));
        if let Ok(Some(finding)) = answered.await {
            count(match finding.failed {
                None => "answered",
                Some(Failed::NotSampled) => "not_sampled",
                Some(Failed::DraftRefused) => "draft_refused",
                Some(Failed::Busy) => "busy",
            });
            // The link may be gone, and the finding with it.
            drop(findings.send(finding).await);
        }
    }
}

fn count(outcome: &'static str) {
    metrics::counter!("halyard_edge_questions_total", "outcome" => outcome).increment(1);
}
