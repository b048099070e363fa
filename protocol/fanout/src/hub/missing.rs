//! Edges whose sessions this replica ended although nothing is wrong with them: until they greet again, here or at
//! another replica, nobody can say what they serve.

use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

use tokio::time::Instant;

use super::{
    Hub,
    listing::Listing,
    state::{Connected, State},
    subscription::Ended,
};
use crate::{Change, PresentEdge};

/// Time for an edge to greet again. One that takes longer is an edge that is away, as one that never connected.
const AWAY: Duration = Duration::from_secs(10);
/// Edges remembered at most.
const MOST: usize = 4_096;

/// The edges that have not come back, by name.
#[derive(Debug, Default)]
pub(super) struct Missing {
    edges: HashMap<String, MissingEdge>,
    /// Whether a write has waited for them in vain; none does again.
    given_up: bool,
}

#[derive(Debug)]
struct MissingEdge {
    /// The data region whose organizations it may hold; `None` for all.
    region: Option<String>,
    until: Instant,
}

impl Missing {
    fn note(&mut self, name: &str, region: Option<&str>, now: Instant) {
        self.given_up = false;
        if self.edges.len() < MOST {
            let edge = MissingEdge {
                region: region.map(str::to_owned),
                until: now + AWAY,
            };
            self.edges.insert(name.to_owned(), edge);
        }
    }

    fn forget_those_away(&mut self, now: Instant) {
        self.edges.retain(|_, edge| now < edge.until);
    }

    /// The edge is connected again.
    pub(super) fn found(&mut self, name: &str) {
        self.edges.remove(name);
    }

    /// The names of those that may hold something of these regions.
    pub(super) fn concerned(&self, regions: &[&str], now: Instant) -> impl Iterator<Item = &str> {
        self.edges.iter().filter_map(move |(name, edge)| {
            let is_allowed = edge
                .region
                .as_deref()
                .is_none_or(|region| regions.contains(&region));
            (is_allowed && now < edge.until).then_some(name.as_str())
        })
    }

    /// Whether a write may have to wait for any.
    pub(super) fn is_awaited(&self) -> bool {
        !self.given_up && self.next_end(Instant::now()).is_some()
    }

    /// The number of those that a write of these regions has to wait for.
    pub(super) fn awaited(&self, regions: &[&str]) -> usize {
        if self.given_up {
            0
        } else {
            self.concerned(regions, Instant::now()).count()
        }
    }

    pub(super) const fn give_up(&mut self) {
        self.given_up = true;
    }

    /// When the next one no longer counts.
    pub(super) fn next_end(&self, now: Instant) -> Option<Instant> {
        let ends = self.edges.values().map(|edge| edge.until);
        ends.filter(|until| now < *until).min()
    }
}

impl Hub {
    /// Ends every session that has a certificate, which the built-in edge does not have. Their edges may come back.
    pub(crate) fn end_all(&self, ended: Ended) {
        let mut state = self.state();
        state.dismiss(ended, |connected| connected.fingerprint.is_some());
        drop(state);
        self.roster.notify_one();
    }

    /// The names of some edges that have not come back.
    pub fn missing(&self, most: usize) -> Vec<String> {
        let state = self.state();
        state.missing.edges.keys().take(most).cloned().collect()
    }

    /// These edges are connected to another replica, which knows what they serve.
    pub fn found_elsewhere(&self, names: &[String]) {
        if names.is_empty() {
            return;
        }
        let mut state = self.state();
        names.iter().for_each(|name| state.missing.found(name));
        state.waits.wake_all();
    }

    /// Those of the named edges that are connected, here or to a relay.
    pub fn connected_of(&self, names: &[String]) -> Vec<String> {
        if names.is_empty() {
            return Vec::new();
        }
        let state = self.state();
        let names: HashSet<&str> = names.iter().map(String::as_str).collect();
        state
            .connected
            .values()
            .flat_map(Connected::names)
            .filter(|name| names.contains(name))
            .map(str::to_owned)
            .collect()
    }

    /// Forgets all environments and ends all sessions: what was known belongs to another history.
    pub fn forget(&self) {
        let mut state = self.state();
        state.dismiss(Ended::EpochChanged, |_| true);
        state.listing = Listing::default();
        state.removed.clear();
        state.left_out.clear_all();
        state.review_all();
        drop(state);
        self.roster.notify_one();
    }
}

impl State {
    /// The missing edges that may hold an environment of the change; all of them if one of its regions is not known.
    pub(super) fn missing_of(&self, change: &Change) -> Vec<&str> {
        let regions = self.regions(change);
        let is_known = regions.len() == change.environments.len();
        let now = Instant::now();
        if is_known {
            self.missing.concerned(&regions, now).collect()
        } else {
            let edges = self.missing.edges.iter();
            let awaited = edges.filter(|(_, edge)| now < edge.until);
            awaited.map(|(name, _)| name.as_str()).collect()
        }
    }

    /// Disconnects edges and remembers them, and with relays those below. What their sessions still report has no effect.
    pub(super) fn dismiss(&mut self, ended: Ended, whom: impl Fn(&Connected) -> bool) {
        let now = Instant::now();
        self.missing.forget_those_away(now);
        let leaving = self.connected.extract_if(|_, connected| whom(connected));
        for (id, connected) in leaving.collect::<Vec<_>>() {
            connected.signals.end(ended);
            for PresentEdge { name, region } in connected.present() {
                self.missing.note(&name, region.as_deref(), now);
            }
            self.flushes_no_more(connected.flush);
            self.questions.answered_no_more(id);
        }
        self.count_twins();
        self.review_leaving();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_that_stays_away_no_longer_counts() {
        let start = Instant::now();
        let mut missing = Missing::default();
        missing.note("any", None, start);
        missing.note("eu-1", Some("eu"), start);
        let names = |missing: &Missing, region: &str, now: Instant| {
            let mut names: Vec<_> = missing
                .concerned(&[region], now)
                .map(str::to_owned)
                .collect();
            names.sort_unstable();
            names
        };
        assert_eq!(names(&missing, "eu", start), ["any", "eu-1"]);
        assert_eq!(names(&missing, "us", start), ["any"]);
        assert_eq!(missing.next_end(start), Some(start + AWAY));
        assert!(names(&missing, "eu", start + AWAY).is_empty());
        assert_eq!(missing.next_end(start + AWAY), None);
        missing.found("any");
        assert_eq!(names(&missing, "eu", start), ["eu-1"]);
    }

    #[test]
    fn a_few_thousand_are_remembered() {
        let mut missing = Missing::default();
        let now = Instant::now();
        for number in 0..=MOST {
            missing.note(&number.to_string(), None, now);
        }
        assert_eq!(missing.concerned(&[], now).count(), MOST);
    }
}
