//! What-if on real traffic: what requests asked is sampled where the control plane says so, and questions are answered about how
//! other contents would have answered it.
//!
//! Samples are kept in memory only, and are nowhere else: neither on disk nor in logs.

use std::{collections::VecDeque, sync::Arc};

use parking_lot::Mutex;
use protocol::what_if::{Failed, Finding, Sampled, SignedQuestion};
use tokio::sync::mpsc;

use crate::Edge;

/// Questions that are remembered, so that none is answered twice. In the minutes in which one is valid there are fewer.
const HEARD: usize = 1_024;

/// The samples of an edge, and the questions about them.
pub(crate) struct WhatIf {
    /// Drawn at the start.
    boot: [u8; 16],
    heard: Mutex<VecDeque<[u8; 16]>>,
    sampled: Mutex<Vec<Sampled>>,
}

impl Default for WhatIf {
    fn default() -> Self {
        Self {
            boot: rand::random(),
            heard: Mutex::default(),
            sampled: Mutex::default(),
        }
    }
}

impl WhatIf {
    /// Whether a question was not heard before.
    fn hear(&self, id: [u8; 16]) -> bool {
        let mut heard = self.heard.lock();
        if heard.contains(&id) {
            return false;
        }
        if heard.len() >= HEARD {
            heard.pop_front();
        }
        heard.push_back(id);
        true
    }
}

impl Edge {
    /// Takes all environments whose requests are sampled.
    pub fn sample(&self, all: &[Sampled]) {
        *self.parts().what_if.sampled.lock() = all.to_vec();
    }

    /// Answers a question, of the control plane in this process or of a link, unless it has been answered or nobody trusted has
    /// signed it. Returns whether it is answered.
    pub fn question(&self, signed: &Arc<SignedQuestion>, findings: mpsc::Sender<Finding>) -> bool {
        let parts = self.parts();
        let question = &signed.question;
        let env_id = question.sampled.env_id;
        if let Err(reason) = parts
            .current
            .verify_question(signed, parts.clock.latest_ms())
        {
            metrics::counter!("halyard_edge_refused_signatures_total", "reason" => reason.name())
                .increment(1);
            tracing::warn!(env.id = %env_id, %reason, "a question about samples was refused");
            return false;
        }
        if !parts.what_if.hear(question.id) {
            return false;
        }
        let (id, boot) = (question.id, parts.what_if.boot);
        if let Some(version) = parts.current.version(env_id) {
            let finding = Finding::failed(id, boot, version, Failed::NotSampled);
            tokio::spawn(async move { findings.send(finding).await });
        }
        true
    }
}
