//! The last changes of each organization, and when each edge served them.
//!
//! An edge takes eight bytes of a change: names are kept once. What is beyond a bound goes, the oldest first, and of the
//! organization with the most if all have too many.

use std::collections::{HashMap, VecDeque};

use fanout::{Acknowledged, Progress};
use protocol::snapshot::Version;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::waves::Found;
use base::ids::{EnvId, OrgId};

/// Changes of an environment.
pub(super) const OF_ONE: usize = 100;
/// Changes of an organization, and the edges named in them.
const OF_ORG: (usize, usize) = (2_000, 50_000);
/// The same of all organizations.
const OF_ALL: (usize, usize) = (50_000, 1_000_000);
/// Names of edges, of which none is forgotten: with more, everything begins anew. Replaced edges may have other names each time.
const NAMES: usize = 100_000;

/// A change that reached edges. Replicas send each other the same.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RecordedWave {
    pub env_id: EnvId,
    pub version: Version,
    /// The transaction that drew the version.
    pub transaction: u64,
    /// When this replica learned of it: the times of the edges count from here.
    #[serde(with = "time::serde::rfc3339")]
    pub committed_at: OffsetDateTime,
    /// The size of the message to edges that held the version before.
    pub bytes: Option<u32>,
    /// Whether that only switches flags off, and is sent before everything else.
    pub priority: Option<bool>,
    pub acknowledged: Vec<Acknowledged>,
    pub lagging: Vec<String>,
}

impl RecordedWave {
    /// Adds what another replica recorded of the same version.
    pub(super) fn merge(&mut self, other: Self) {
        self.committed_at = self.committed_at.min(other.committed_at);
        self.bytes = self.bytes.max(other.bytes);
        self.priority = self.priority.or(other.priority);
        let mut progress = Progress {
            acknowledged: std::mem::take(&mut self.acknowledged),
            lagging: std::mem::take(&mut self.lagging),
            is_known: true,
        };
        progress.merge(Progress {
            acknowledged: other.acknowledged,
            lagging: other.lagging,
            is_known: true,
        });
        self.acknowledged = progress.acknowledged;
        self.lagging = progress.lagging;
    }
}

/// A change that is over, or was given up.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) found: Found,
    pub(super) at: OffsetDateTime,
    pub(super) sent: Option<(u32, bool)>,
    /// Numbers of names, and milliseconds.
    acknowledged: Box<[(u32, u32)]>,
    lagging: Box<[u32]>,
}

impl Kept {
    fn entries(&self) -> usize {
        self.acknowledged.len() + self.lagging.len()
    }
}

#[derive(Debug, Default)]
pub(super) struct Ring {
    names: Vec<String>,
    numbers: HashMap<String, u32>,
    by_org: HashMap<OrgId, VecDeque<Kept>>,
    /// Changes of all, and edges named in them.
    size: (usize, usize),
}

impl Ring {
    pub(super) fn push(
        &mut self,
        found: Found,
        at: OffsetDateTime,
        sent: Option<(u32, bool)>,
        progress: &Progress,
    ) {
        if self.names.len() >= NAMES {
            *self = Self::default();
        }
        let acknowledged = progress.acknowledged.iter().map(|one| {
            let after_ms = u32::try_from(one.after_ms).unwrap_or(u32::MAX);
            (self.number(&one.edge), after_ms)
        });
        let acknowledged = acknowledged.collect();
        let lagging = progress.lagging.iter().map(|name| self.number(name));
        let kept = Kept {
            lagging: lagging.collect(),
            acknowledged,
            found,
            at,
            sent,
        };
        let org_id = found.origin.org_id;
        self.size.0 += 1;
        self.size.1 += kept.entries();
        let own = self.by_org.entry(org_id).or_default();
        own.push_back(kept);
        let env_id = found.raised.env_id;
        let is_same = |kept: &&Kept| kept.found.raised.env_id == env_id;
        if own.iter().filter(is_same).count() > OF_ONE
            && let Some(oldest) = own.iter().position(|kept| is_same(&kept))
            && let Some(gone) = own.remove(oldest)
        {
            self.size.0 -= 1;
            self.size.1 -= gone.entries();
        }
        while self.is_beyond(org_id) {
            self.drop_oldest(org_id);
        }
        while self.size.0 > OF_ALL.0 || self.size.1 > OF_ALL.1 {
            let most = self.by_org.iter().max_by_key(|(_, own)| own.len());
            let Some(org_id) = most.map(|(org_id, _)| *org_id) else {
                return;
            };
            self.drop_oldest(org_id);
        }
    }

    fn is_beyond(&self, org_id: OrgId) -> bool {
        self.by_org.get(&org_id).is_some_and(|own| {
            let entries: usize = own.iter().map(Kept::entries).sum();
            own.len() > 1 && (own.len() > OF_ORG.0 || entries > OF_ORG.1)
        })
    }

    fn drop_oldest(&mut self, org_id: OrgId) {
        let Some(own) = self.by_org.get_mut(&org_id) else {
            return;
        };
        if let Some(gone) = own.pop_front() {
            self.size.0 -= 1;
            self.size.1 -= gone.entries();
        }
        if own.is_empty() {
            self.by_org.remove(&org_id);
        }
    }

    /// The number of an edge's name. Names are those of certificates and replicas.
    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    fn name(&self, number: u32) -> String {
        let name = self.names.get(number as usize);
        name.cloned().unwrap_or_default()
    }

    /// The changes of an organization, oldest first.
    pub(super) fn of(&self, org_id: OrgId) -> impl DoubleEndedIterator<Item = &Kept> {
        self.by_org.get(&org_id).into_iter().flatten()
    }

    /// Whether an edge served a change.
    pub(super) fn has_served(&self, kept: &Kept, edge: &str) -> bool {
        let number = self.numbers.get(edge);
        number.is_some_and(|number| kept.acknowledged.iter().any(|(one, _)| one == number))
    }

    pub(super) fn has_lagged(&self, kept: &Kept, edge: &str) -> bool {
        let number = self.numbers.get(edge);
        number.is_some_and(|number| kept.lagging.contains(number))
    }

    pub(super) fn show(&self, kept: &Kept) -> RecordedWave {
        let acknowledged = kept
            .acknowledged
            .iter()
            .map(|(edge, after_ms)| Acknowledged {
                edge: self.name(*edge),
                after_ms: (*after_ms).into(),
            });
        RecordedWave {
            env_id: kept.found.raised.env_id,
            version: kept.found.raised.version,
            transaction: kept.found.origin.transaction,
            committed_at: kept.at,
            bytes: kept.sent.map(|(bytes, _)| bytes),
            priority: kept.sent.map(|(_, is_urgent)| is_urgent),
            acknowledged: acknowledged.collect(),
            lagging: kept.lagging.iter().map(|edge| self.name(*edge)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;
    use uuid::Uuid;

    use super::*;
    use tokio::time::Instant;

    use crate::{fleet::Raised, store::Origin};

    const AT: OffsetDateTime = datetime!(2026-05-04 12:00 UTC);

    fn found(org: u128, env: u128, version: Version) -> Found {
        Found {
            raised: Raised {
                env_id: EnvId(Uuid::from_u128(env)),
                version,
            },
            origin: Origin {
                org_id: OrgId(Uuid::from_u128(org)),
                transaction: version,
            },
            announced: Instant::now(),
        }
    }

    fn served(edges: usize) -> Progress {
        let edges = (0..edges).map(|number| Acknowledged {
            edge: format!("e{number}"),
            after_ms: number as u64,
        });
        Progress {
            acknowledged: edges.collect(),
            lagging: vec!["late".to_owned()],
            is_known: true,
        }
    }

    fn versions(ring: &Ring, org: u128) -> Vec<Version> {
        let own = ring.of(OrgId(Uuid::from_u128(org)));
        own.map(|kept| kept.found.raised.version).collect()
    }

    #[test]
    fn a_hundred_changes_of_an_environment_are_kept_as_they_were() {
        let mut ring = Ring::default();
        for version in 1..=150 {
            ring.push(found(1, 1, version), AT, Some((90, true)), &served(3));
        }
        ring.push(found(1, 2, 151), AT, None, &served(0));
        let kept = versions(&ring, 1);
        assert_eq!((kept.len(), kept[0], kept[100]), (101, 51, 151));
        let last = ring.show(ring.of(OrgId(Uuid::from_u128(1))).next().unwrap());
        assert_eq!((last.version, last.transaction), (51, 51));
        assert_eq!((last.bytes, last.priority), (Some(90), Some(true)));
        assert_eq!(last.acknowledged, served(3).acknowledged);
        assert_eq!(last.lagging, ["late"]);
    }

    #[test]
    fn an_organization_with_many_edges_and_environments_loses_its_own_oldest() {
        let mut ring = Ring::default();
        ring.push(found(2, 9, 1), AT, None, &served(1));
        for version in 1..=200 {
            let env = u128::from(version % 20);
            ring.push(found(1, env, version), AT, None, &served(499));
        }
        let kept = versions(&ring, 1);
        assert_eq!(
            (kept.len(), kept[0]),
            (100, 101),
            "500 edges, 50,000 in all"
        );
        assert_eq!(versions(&ring, 2), [1]);
        assert_eq!(ring.size, (101, 50_002));
    }

    #[test]
    fn names_of_edges_that_come_and_go_are_bounded() {
        let mut ring = Ring::default();
        for version in 1..=101 {
            let names = (0..1_000).map(|number| format!("e{version}-{number}"));
            let progress = Progress {
                lagging: names.collect(),
                ..Progress::default()
            };
            ring.push(found(1, 1, version), AT, None, &progress);
        }
        assert_eq!((ring.names.len(), ring.numbers.len()), (1_000, 1_000));
        assert_eq!(versions(&ring, 1), [101]);
        assert_eq!(ring.size, (1, 1_000));
    }
}
