//! The connected edges as reported to operators and members, and which of them a change has reached.

use std::{
    collections::{BTreeMap, HashSet},
    sync::atomic::{AtomicU32, AtomicU64, Ordering},
    time::Duration,
};

use protocol::ids::EnvId;
use time::OffsetDateTime;
use tokio::time::Instant;

use super::{
    Hub, Interest, Waiting, Whom,
    listing::Listed,
    state::{Connected, State},
    subscriber::{Counts, Subscriber},
};
use crate::{Change, ConnectedEdge, HeldEnvironment, PresentEdge, Reached};

/// The identity of a connected edge.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The name in its certificate.
    pub name: String,
    /// The data region whose organizations it may hold; `None` for all.
    pub region: Option<String>,
    /// Its build.
    pub build: String,
    /// When it connected.
    pub since: OffsetDateTime,
    /// Whether it serves edges itself.
    pub is_relay: bool,
}

/// The state of a connected edge as last reported to its session; zero until then.
#[derive(Debug, Default)]
pub(super) struct Vitals {
    rtt_us: AtomicU64,
    streams: AtomicU32,
}

impl Vitals {
    pub(super) fn note(&self, rtt: Option<Duration>, streams: u32) {
        let rtt = rtt.map_or(0, |rtt| u64::try_from(rtt.as_micros()).unwrap_or(u64::MAX));
        self.rtt_us.store(rtt, Ordering::Relaxed);
        self.streams.store(streams, Ordering::Relaxed);
    }

    pub(super) fn rtt_us(&self) -> u64 {
        self.rtt_us.load(Ordering::Relaxed)
    }

    pub(super) fn streams(&self) -> u32 {
        self.streams.load(Ordering::Relaxed)
    }
}

impl Hub {
    /// The connected edges, and those below relays, with what they hold: of these environments, or of all.
    pub fn edges(&self, only: Option<&[EnvId]>) -> Vec<ConnectedEdge> {
        // An edge may hold many thousands: the lock is taken once per edge, not for all of them.
        let ids: Vec<u64> = self.state().connected.keys().copied().collect();
        let mut edges = Vec::with_capacity(ids.len());
        for id in ids {
            let state = self.state();
            if let Some(connected) = state.connected.get(&id) {
                edges.push(state.report(connected, only));
                let below = connected.below.iter();
                edges.extend(below.flat_map(|below| below.report(&connected.identity)));
            }
        }
        edges
    }

    /// The identities of the connected edges, and of those below relays.
    pub fn present(&self) -> Vec<PresentEdge> {
        let state = self.state();
        let mut present = Vec::with_capacity(state.connected.len());
        for connected in state.connected.values() {
            present.extend(connected.present());
        }
        present
    }

    /// The names of the edges that may hold an environment of the change, judged by their data regions.
    pub fn concerned(
        &self,
        change: &Change,
        edges: impl Iterator<Item = PresentEdge>,
    ) -> Vec<String> {
        let state = self.state();
        let regions = state.regions(change);
        edges
            .filter(|PresentEdge { region, .. }| match region {
                Some(region) => regions.contains(&region.as_str()),
                None => true,
            })
            .map(|edge| edge.name)
            .collect()
    }

    /// Waits until every connected edge serves the change, at most for `patience`, including edges that writes
    /// otherwise do not wait for. Returns which do; an edge lost meanwhile does not.
    pub async fn acknowledged(&self, change: &Change, patience: Duration) -> Reached {
        let begun = Instant::now();
        let before = self.state().parts(change);
        let waiting = Waiting::begin(self, change, Whom::All);
        let mut asked = HashSet::new();
        // The final state is reported either way.
        let (_is_over, mut below) = tokio::join!(
            waiting.at_most(patience),
            self.reached_below(change, patience, &mut asked),
        );
        // A relay has a part in an environment that is new once that is listed: time for relays that were not asked at first.
        let rest = patience
            .saturating_sub(begun.elapsed())
            .max(Duration::from_millis(250));
        below.merge(self.reached_below(change, rest, &mut asked).await);

        let state = self.state();
        let mut parts = state.parts(change);
        for name in before.into_keys() {
            let is_behind = !state.is_connected(&name);
            parts.entry(name).or_insert(Part { is_behind });
        }
        for name in state.missing_of(change) {
            parts.insert(name.to_owned(), Part { is_behind: true });
        }
        drop(state);
        let (lagging, acknowledged): (Vec<_>, Vec<_>) =
            parts.into_iter().partition(|(_, part)| part.is_behind);
        let names = |parts: Vec<(String, Part)>| parts.into_iter().map(|(name, _)| name).collect();
        let mut reached = Reached {
            acknowledged: names(acknowledged),
            lagging: names(lagging),
        };
        reached.merge(below);
        reached
    }
}

/// An edge's part in a change.
pub(super) struct Part {
    pub(super) is_behind: bool,
}

impl State {
    fn report(&self, connected: &Connected, only: Option<&[EnvId]>) -> ConnectedEdge {
        let held = |env_id: EnvId, listed: &Listed| {
            let holding = connected.subscriber.holding(env_id, Some(listed))?;
            Some(HeldEnvironment {
                env_id,
                version: holding.held?,
                current_version: listed.version,
                age_ms: millis(holding.since?.elapsed()),
            })
        };
        let mut environments: Vec<_> = match only {
            Some(only) => only
                .iter()
                .filter_map(|env_id| held(*env_id, self.listing.get(*env_id)?))
                .collect(),
            None => self
                .listing
                .iter()
                .filter_map(|(env_id, listed)| held(env_id, listed))
                .collect(),
        };
        environments.sort_unstable_by_key(|held| held.env_id);
        let Counts { held, behind } = connected.subscriber.counts();
        let Identity {
            name,
            region,
            build,
            since,
            is_relay: _,
        } = connected.identity.clone();
        ConnectedEdge {
            name,
            region,
            build,
            since,
            rtt_ms: rtt_ms(connected.signals.vitals.rtt_us()),
            streams: connected.signals.vitals.streams(),
            environments,
            held,
            behind,
            via: None,
        }
    }

    /// Whether the environment is gone, and the edge, which no longer has it, had it as did all edges of its regions.
    fn had_to_go(&self, env_id: EnvId, edge: &Subscriber) -> bool {
        let region = self.region_of_removed(env_id);
        edge.interest() == Interest::All
            && region.is_some_and(|region| edge.regions().allow(region))
    }

    pub(super) fn is_connected(&self, name: &str) -> bool {
        self.connected
            .values()
            .any(|connected| connected.identity.name == name)
    }

    /// What a connected edge has to do with a change; `None` if it has no part in it.
    fn part(&self, connected: &Connected, change: &Change) -> Option<Part> {
        let (mut has_part, mut is_behind) = (false, false);
        for env_id in &change.environments {
            let edge = &connected.subscriber;
            match edge.serves(*env_id, change.version, self.listing.get(*env_id)) {
                None => has_part |= self.had_to_go(*env_id, edge),
                Some(serves) => {
                    has_part = true;
                    is_behind |= !serves;
                }
            }
        }
        has_part.then_some(Part { is_behind })
    }

    pub(super) fn has_part(&self, connected: &Connected, change: &Change) -> bool {
        self.part(connected, change).is_some()
    }

    /// The edges that have a part in the change, by name: they hold or await one of its environments, or had one that
    /// is gone. An edge that has just reconnected may have two connections; the one that serves the change counts.
    pub(super) fn parts(&self, change: &Change) -> BTreeMap<String, Part> {
        let mut parts = BTreeMap::new();
        for connected in self.connected.values() {
            if let Some(Part { is_behind }) = self.part(connected, change) {
                let name = connected.identity.name.clone();
                let part = parts.entry(name).or_insert(Part { is_behind });
                part.is_behind &= is_behind;
            }
        }
        parts
    }
}

/// Milliseconds of a round-trip time in microseconds; `None` if it is not known.
#[expect(
    clippy::cast_precision_loss,
    reason = "a round trip of 2^53 microseconds is none"
)]
pub(super) fn rtt_ms(rtt_us: u64) -> Option<f64> {
    (rtt_us > 0).then(|| rtt_us as f64 / 1_000.0)
}

pub(super) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
