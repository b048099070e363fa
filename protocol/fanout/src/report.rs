//! What is reported about connected edges.

use protocol::{ids::EnvId, snapshot::Version};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// A connected edge.
#[derive(Clone, Debug)]
pub struct ConnectedEdge {
    /// Its name.
    pub name: String,
    /// The data region whose organizations it may hold; `None` for all.
    pub region: Option<String>,
    /// Its build.
    pub build: String,
    /// When it connected.
    pub since: OffsetDateTime,
    /// Round-trip time in milliseconds; `None` if it is not known, or there is no line.
    pub rtt_ms: Option<f64>,
    /// Open event streams, as it last reported.
    pub streams: u32,
    /// What it holds, of the environments that were asked for.
    pub environments: Vec<HeldEnvironment>,
    /// How many environments it holds.
    pub held: usize,
    /// How many of these have a newer version than it serves.
    pub behind: usize,
    /// The relay that it is connected to, if it is not connected here.
    pub via: Option<String>,
}

/// An environment at an edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldEnvironment {
    /// Which.
    pub env_id: EnvId,
    /// The version that the edge serves.
    pub version: Version,
    /// The version that there is.
    pub current_version: Version,
    /// Milliseconds since this version was there to be sent, or the edge was greeted with it.
    pub age_ms: u64,
}

/// What is announced in advance about a connected edge.
#[derive(Debug, Serialize, Deserialize)]
pub struct PresentEdge {
    /// Its name.
    pub name: String,
    /// The data region whose organizations it may hold; `None` for all.
    pub region: Option<String>,
}

/// How far a change has propagated: sorted names of edges.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reached {
    /// Those that serve it.
    pub acknowledged: Vec<String>,
    /// The edges that should serve it but do not yet.
    pub lagging: Vec<String>,
}

impl Reached {
    /// Adds what another place says. An edge that moved meanwhile lags at the place that it left, so an acknowledgement
    /// elsewhere counts more.
    pub fn merge(&mut self, other: Self) {
        self.acknowledged.extend(other.acknowledged);
        self.lagging.extend(other.lagging);
        for names in [&mut self.acknowledged, &mut self.lagging] {
            names.sort_unstable();
            names.dedup();
        }
        self.lagging
            .retain(|name| self.acknowledged.binary_search(name).is_err());
    }
}

/// How far a version of an environment is, with times.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Those that serve it, in the order of the time that it took.
    pub acknowledged: Vec<Acknowledged>,
    /// Sorted names of those that should serve it and do not yet.
    pub lagging: Vec<String>,
    /// Whether all places have listed it: before that they do not know who should serve it.
    pub is_known: bool,
}

/// An edge that serves a version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acknowledged {
    /// Its name.
    pub edge: String,
    /// Milliseconds from when the place that it is connected to learned of the version to its acknowledgement there.
    pub after_ms: u64,
}

impl Progress {
    /// Adds what another place says, as [`Reached::merge`] does. Of two times the shorter counts.
    pub fn merge(&mut self, other: Self) {
        self.acknowledged.extend(other.acknowledged);
        self.acknowledged
            .sort_by(|a, b| (&a.edge, a.after_ms).cmp(&(&b.edge, b.after_ms)));
        self.acknowledged.dedup_by(|a, b| a.edge == b.edge);
        self.lagging.extend(other.lagging);
        self.lagging.sort_unstable();
        self.lagging.dedup();
        let edges = &self.acknowledged;
        let is_there = |name: &String| edges.binary_search_by(|one| one.edge.cmp(name)).is_ok();
        self.lagging.retain(|name| !is_there(name));
        self.acknowledged
            .sort_by(|a, b| (a.after_ms, &a.edge).cmp(&(b.after_ms, &b.edge)));
        self.is_known &= other.is_known;
    }

    /// Whether everybody serves it.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.is_known && self.lagging.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(acknowledged: &[(&str, u64)], lagging: &[&str], is_known: bool) -> Progress {
        let acknowledged = acknowledged.iter().map(|(edge, after_ms)| Acknowledged {
            edge: (*edge).to_owned(),
            after_ms: *after_ms,
        });
        Progress {
            acknowledged: acknowledged.collect(),
            lagging: lagging.iter().map(|name| (*name).to_owned()).collect(),
            is_known,
        }
    }

    #[test]
    fn an_edge_that_moved_has_acknowledged_if_it_did_anywhere() {
        let mut here = progress(&[("b", 9), ("a", 12)], &["c", "d"], true);
        here.merge(progress(&[("c", 3), ("b", 7)], &["a", "e"], false));
        let all = progress(&[("c", 3), ("b", 7), ("a", 12)], &["d", "e"], false);
        assert_eq!(here, all);
        here.merge(progress(&[("d", 20), ("e", 21)], &[], true));
        assert!(here.lagging.is_empty() && !here.is_over());
    }
}
