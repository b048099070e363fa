//! What replicas know of edges beside their connections: the versions that they are behind by, and how much they evaluate.

use std::collections::{BTreeMap, HashMap};

use protocol::snapshot::Version;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::{
    Question, ask,
    left::{Behind, LeftEdge},
    report::HeldEnvironment,
    ring::{OF_ONE, RecordedWave},
};
use crate::{Publisher, local::built_in};
use base::ids::{EnvId, OrgId};

/// A version of an environment that a replica found.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct SeenChange {
    pub env_id: EnvId,
    pub version: Version,
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
}

/// What is known about edges as far as one organization goes.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Standing {
    changes: Vec<SeenChange>,
    left: Vec<LeftEdge>,
    /// Evaluations of the last minute, by the edge that reported them.
    evaluations: BTreeMap<String, u64>,
}

impl Standing {
    fn merge(&mut self, other: Self) {
        self.changes.extend(other.changes);
        for edge in other.left {
            match self.left.iter_mut().find(|one| one.name == edge.name) {
                Some(one) if one.seen_at < edge.seen_at => *one = edge,
                Some(_) => {}
                None => self.left.push(edge),
            }
        }
        for (edge, count) in other.evaluations {
            let sum = self.evaluations.entry(edge).or_default();
            *sum = sum.saturating_add(count);
        }
    }

    /// By name: what the edges that have left do not serve.
    pub(crate) fn left(&self) -> HashMap<&str, &[Behind]> {
        let left = self.left.iter();
        left.map(|edge| (&*edge.name, &*edge.behind)).collect()
    }

    /// How far an edge is behind that holds these.
    pub(crate) fn behind(&self, held: &[HeldEnvironment], now: OffsetDateTime) -> Vec<Behind> {
        let late = held.iter().filter(|one| one.version < one.current_version);
        let behind = late.map(|one| {
            let mut missed: Vec<_> = self
                .changes
                .iter()
                .filter(|change| change.env_id == one.env_id && change.version > one.version)
                .map(|change| (change.version, change.at))
                .collect();
            missed.sort_unstable();
            missed.dedup_by_key(|(version, _)| *version);
            Behind {
                env_id: one.env_id,
                versions: missed.len().clamp(1, OF_ONE),
                since: missed.first().map_or(now, |(_, at)| *at),
            }
        });
        behind.collect()
    }

    /// The evaluations of the last minute that an edge reported.
    pub(crate) fn evaluations(&self, edge: &str) -> Option<u64> {
        self.evaluations.get(edge).copied()
    }
}

impl Publisher {
    /// What all replicas know about edges as far as these environments of an organization go.
    pub async fn standing(&self, org_id: OrgId, env_ids: &[EnvId]) -> Standing {
        let mut standing = self.own_standing(org_id, env_ids);
        if !self.0.replicas.is_alone() {
            let question = Question::Standing {
                org_id,
                env_ids: env_ids.to_vec(),
            };
            let heard = ask::<Standing>(&self.0.replicas, &question, super::PATIENCE).await;
            for other in heard.answers {
                standing.merge(other);
            }
        }
        standing
    }

    pub(super) fn own_standing(&self, org_id: OrgId, env_ids: &[EnvId]) -> Standing {
        let (changes, left) = self.changes(org_id, env_ids);
        let now = self.0.clock.now();
        let reported = self.usage().rates().of(org_id, now).into_iter();
        let evaluations = reported.map(|(edge, count)| {
            if edge.is_empty() {
                (built_in(&self.0.replicas), count)
            } else {
                (edge, count)
            }
        });
        Standing {
            changes,
            left,
            evaluations: evaluations.collect(),
        }
    }

    /// The last changes of these environments at all replicas, newest first; at most so many.
    pub async fn waves(&self, org_id: OrgId, env_ids: &[EnvId], limit: usize) -> Vec<RecordedWave> {
        let mut waves = self.recorded(org_id, env_ids, limit);
        if !self.0.replicas.is_alone() {
            let question = Question::Recorded {
                org_id,
                env_ids: env_ids.to_vec(),
                limit,
            };
            let heard =
                ask::<Vec<RecordedWave>>(&self.0.replicas, &question, super::PATIENCE).await;
            let mut all: BTreeMap<(Version, EnvId), RecordedWave> = BTreeMap::new();
            for wave in waves.into_iter().chain(heard.answers.into_iter().flatten()) {
                let key = (wave.version, wave.env_id);
                match all.get_mut(&key) {
                    Some(known) => known.merge(wave),
                    None => drop(all.insert(key, wave)),
                }
            }
            waves = all.into_values().collect();
            waves.sort_by_key(|wave| std::cmp::Reverse(wave.committed_at));
            waves.truncate(limit);
        }
        waves
    }
}
