//! Follows how far a version of an environment is, edge by edge, with the time that each took.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
    time::Duration,
};

use protocol::{ids::EnvId, snapshot::Version};
use tokio::{sync::Notify, time::Instant};

use super::{Hub, fleet::millis, state::State};
use crate::{Acknowledged, Change, Progress};

/// A version that is followed, until dropped. Edges below a relay are the relay's: it acknowledges for those that keep up.
#[derive(Debug)]
pub struct Following {
    hub: Arc<Hub>,
    /// The wait.
    id: u64,
    change: Change,
    env_id: EnvId,
    /// When the version was listed; `None` until a poll finds it.
    begun: Option<Instant>,
    /// Who had a part in it at any time, and when they served it.
    edges: BTreeMap<String, Option<Instant>>,
    /// Who of them was there when it was first looked at after it was listed.
    first: Option<BTreeSet<String>>,
}

impl Hub {
    /// Whether what is listed and acknowledged is remembered for a moment, for those who begin to follow it a little later.
    pub fn remember(&self, is_kept: bool) {
        self.state().recent.keep(is_kept);
    }

    /// Follows a version. `progress` is notified of each step.
    pub fn follow(
        self: &Arc<Self>,
        env_id: EnvId,
        version: Version,
        progress: &Arc<Notify>,
    ) -> Following {
        let change = Change {
            version,
            environments: vec![env_id],
        };
        let mut state = self.state();
        let served = state.recent.acknowledged(env_id, version);
        let id = state.begin_followed(&change, served, Arc::clone(progress));
        drop(state);
        Following {
            hub: Arc::clone(self),
            id,
            change,
            env_id,
            begun: None,
            edges: BTreeMap::new(),
            first: None,
        }
    }
}

impl Following {
    /// How far it is now.
    pub fn look(&mut self) -> Progress {
        let hub = Arc::clone(&self.hub);
        let state = hub.state();
        let is_known = state.knows(self.env_id, self.change.version);
        if is_known {
            self.begun
                .get_or_insert_with(|| state.listed_at(self.env_id, self.change.version));
        }
        self.note_parts(&state);
        if is_known && self.first.is_none() {
            self.first = Some(self.edges.keys().cloned().collect());
        }
        let mut missing = Vec::new();
        for name in state.missing_of(&self.change) {
            if self.edges.get(name).is_none_or(Option::is_none) {
                missing.push(name.to_owned());
            }
        }
        drop(state);
        self.report(missing, is_known)
    }

    /// For how long it has been listed.
    pub fn age(&self) -> Duration {
        self.begun.map_or(Duration::ZERO, |begun| begun.elapsed())
    }

    /// When each edge that was connected in time, and still has a part in it, served it; `None`: not yet. Those that came later
    /// would count for the time that they were away, and what is left out is nobody's delay.
    pub fn served(&self) -> Vec<Option<Instant>> {
        let is_left_out = self.hub.state().left_out.contains(self.env_id);
        let first = self.first.iter().flatten();
        let served = first.filter_map(|name| self.edges.get(name).copied());
        served
            .filter(|served_at| served_at.is_some() || !is_left_out)
            .collect()
    }

    fn note_parts(&mut self, state: &State) {
        let mut parts = state.parts(&self.change);
        // One that is still here without a part no longer has the environment.
        self.edges.retain(|name, served_at| {
            served_at.is_some() || parts.contains_key(name) || !state.is_connected(name)
        });
        for (name, served_at) in &mut self.edges {
            if parts.get(name).is_some_and(|part| part.is_behind) {
                *served_at = None;
            }
        }
        parts.retain(|name, _| self.edges.get(name).is_none_or(Option::is_none));
        let served = if parts.is_empty() {
            HashMap::new()
        } else {
            state.served(self.id)
        };
        for (name, part) in parts {
            // One that came with it is noticed now.
            let served_at = || served.get(&*name).copied().unwrap_or_else(Instant::now);
            let served_at = (!part.is_behind).then(served_at);
            self.edges.insert(name, served_at);
        }
    }

    fn report(&self, mut lagging: Vec<String>, is_known: bool) -> Progress {
        let mut acknowledged = Vec::new();
        for (name, served_at) in &self.edges {
            match served_at {
                Some(at) => acknowledged.push(Acknowledged {
                    edge: name.clone(),
                    after_ms: self
                        .begun
                        .map_or(0, |begun| millis(at.saturating_duration_since(begun))),
                }),
                None => lagging.push(name.clone()),
            }
        }
        lagging.sort_unstable();
        lagging.dedup();
        acknowledged.sort_by(|a, b| (a.after_ms, &a.edge).cmp(&(b.after_ms, &b.edge)));
        Progress {
            acknowledged,
            lagging,
            is_known,
        }
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        self.hub.state().waits.end(self.id);
    }
}

impl State {
    fn listed_at(&self, env_id: EnvId, version: Version) -> Instant {
        let remembered = self.recent.listed(env_id, version);
        let since = || self.listing.get(env_id).map(|listed| listed.since);
        remembered.or_else(since).unwrap_or_else(Instant::now)
    }

    /// When each edge was seen to serve what is followed, by the first of its connections that did.
    fn served(&self, wait: u64) -> HashMap<&str, Instant> {
        let mut served: HashMap<&str, Instant> = HashMap::new();
        for (id, connected) in &self.connected {
            if let Some(at) = self.waits.served_at(wait, *id) {
                let first = served.entry(&connected.identity.name).or_insert(at);
                *first = at.min(*first);
            }
        }
        served
    }
}
