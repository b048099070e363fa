//! What-if on real traffic: what requests asked is sampled where the control plane says so, and questions are answered about how
//! other contents would have answered it.
//!
//! Samples are in memory and nowhere else: neither on disk nor in logs. A request of an environment that is not sampled costs one look at
//! a flag in memory, or one in a table if others are sampled.

mod answer;
mod estimate;
mod queue;
mod reservoir;
mod sample;
#[cfg(test)]
mod tests;

use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use protocol::{
    eval::Context,
    ids::EnvId,
    what_if::{Finding, MOST_SAMPLED, Sampled, SignedQuestion},
};
use tokio::sync::mpsc;

pub(crate) use self::sample::AskedFor;
use self::{
    queue::{Job, Queue},
    reservoir::Reservoir,
};
use crate::{Edge, current::Served};

/// The most bytes of the samples of an environment, and of all. With more than 32 environments, each has its part of the latter.
const OF_ENVIRONMENT: usize = 2_000_000;
const OF_ALL: usize = 64_000_000;
/// Questions that are remembered, so that none is answered twice. In the minutes in which one is valid there are fewer.
const HEARD: usize = 1_024;

/// The samples of an edge, and the questions about them.
pub(crate) struct WhatIf {
    /// Drawn at the start.
    boot: [u8; 16],
    are_any: AtomicBool,
    reservoirs: ArcSwap<HashMap<EnvId, Arc<Reservoir>>>,
    heard: Mutex<VecDeque<[u8; 16]>>,
    queue: Queue,
}

impl Default for WhatIf {
    fn default() -> Self {
        Self {
            boot: rand::random(),
            are_any: AtomicBool::new(false),
            reservoirs: ArcSwap::default(),
            heard: Mutex::default(),
            queue: Queue::default(),
        }
    }
}

impl WhatIf {
    /// Takes all environments that are sampled. Samples of others, and those that were kept in another way, are dropped.
    fn take(&self, all: &[Sampled], now: Duration) {
        let share = OF_ENVIRONMENT.min(OF_ALL / all.len().clamp(1, MOST_SAMPLED));
        let before = self.reservoirs.load_full();
        // The built-in edge is told of more.
        let held = all.iter().take(MOST_SAMPLED).map(|sampled| {
            let kept = before.get(&sampled.env_id);
            let kept = kept.filter(|it| it.sampled == *sampled);
            let made = || Arc::new(Reservoir::new(sampled.clone(), share, rand::random()));
            (sampled.env_id, kept.cloned().unwrap_or_else(made))
        });
        let held: HashMap<EnvId, Arc<Reservoir>> = held.collect();
        self.are_any.store(!held.is_empty(), Ordering::Release);
        let held = Arc::new(held);
        self.reservoirs.store(Arc::clone(&held));
        for (env_id, reservoir) in before.iter() {
            match held.get(env_id) {
                Some(kept) if Arc::ptr_eq(kept, reservoir) => kept.tidy(share, now),
                _ => reservoir.drop_for_good(),
            }
        }
    }

    /// Drops the samples of an environment that is no longer served.
    pub(crate) fn removed(&self, env_id: EnvId) {
        if let Some(reservoir) = self.reservoirs.load().get(&env_id) {
            reservoir.clear();
        }
    }

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
    /// A request was answered: it may become a sample.
    #[inline]
    pub(crate) fn answered(&self, served: &Served, asked: AskedFor<'_>, context: &Context<'_>) {
        let what_if = &self.parts().what_if;
        if what_if.are_any.load(Ordering::Relaxed) {
            let reservoirs = what_if.reservoirs.load();
            if let Some(reservoir) = reservoirs.get(&served.head().env_id) {
                reservoir.answered(asked, context, || self.parts().clock.elapsed_ms());
            }
        }
    }

    /// Whether requests of an environment may become samples.
    #[inline]
    pub(crate) fn is_sampled(&self, served: &Served) -> bool {
        let what_if = &self.parts().what_if;
        what_if.are_any.load(Ordering::Relaxed)
            && what_if
                .reservoirs
                .load()
                .contains_key(&served.head().env_id)
    }

    /// Takes all environments whose requests are sampled.
    pub fn sample(&self, all: &[Sampled]) {
        let parts = self.parts();
        parts.what_if.take(all, parts.clock.elapsed());
    }

    /// Bytes that samples take. Those that are older than a day are dropped.
    pub(crate) fn sampled_bytes(&self) -> usize {
        let parts = self.parts();
        let reservoirs = parts.what_if.reservoirs.load_full();
        let now = parts.clock.elapsed();
        let all = reservoirs.values().map(|reservoir| {
            reservoir.expire(now);
            reservoir.bytes()
        });
        all.sum()
    }

    /// Answers a question, of the control plane in this process or of a link, unless it has been answered or nobody trusted has
    /// signed it. Returns whether it is answered.
    pub fn question(&self, signed: &Arc<SignedQuestion>, findings: mpsc::Sender<Finding>) -> bool {
        let parts = self.parts();
        let verified = parts
            .current
            .verify_question(signed, parts.clock.latest_ms());
        if let Err(reason) = verified {
            let env_id = signed.question.sampled.env_id;
            metrics::counter!("halyard_edge_refused_signatures_total", "reason" => reason.name())
                .increment(1);
            tracing::warn!(env.id = %env_id, %reason, "a question about samples was refused");
            return false;
        }
        let is_new = parts.what_if.hear(signed.question.id);
        if is_new {
            let signed = Arc::clone(signed);
            parts.what_if.queue.add(self, Job { signed, findings });
        }
        is_new
    }
}
