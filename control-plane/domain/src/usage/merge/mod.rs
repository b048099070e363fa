//! Merges many batches into one write per organization.

use std::{
    collections::{BTreeMap, HashMap, HashSet, btree_map::Entry},
    mem,
};

use protocol::{
    reason::Reason,
    wire::usage::{DIGEST, EvaluationCount, Impression, MAX_VALUE, UsageBatch},
};
use serde::de::IgnoredAny;

use super::{
    Reporter,
    collector::REMEMBERED,
    model::{MAX_UNKNOWN_KEYS, OTHER},
};
use time::OffsetDateTime;

use base::ids::{EnvId, OrgId};

const LONGEST_KEY: usize = 255;

#[derive(Clone, Debug)]
pub(super) struct Owner {
    pub(super) org_id: OrgId,
    pub(super) region: String,
}

/// The key of a counter, in the order of the rows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct CounterKey {
    pub(super) flag_key: String,
    pub(super) env_id: EnvId,
    pub(super) reason: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct SeriesKey {
    pub(super) env_id: EnvId,
    pub(super) flag_key: String,
    pub(super) reason: String,
    /// JSON, a digest of it, or empty if not reported.
    pub(super) value: String,
    pub(super) variant_key: String,
}

#[derive(Debug, Default)]
pub(super) struct OrgUsage {
    pub(super) counts: BTreeMap<CounterKey, i64>,
    pub(super) series: BTreeMap<SeriesKey, i64>,
    /// In batch order.
    pub(super) impressions: Vec<Impression>,
}

#[derive(Debug, Default)]
pub(super) struct Usage {
    pub(super) orgs: BTreeMap<OrgId, OrgUsage>,
    /// Evaluations by organization and edge.
    pub(super) by_edge: BTreeMap<(OrgId, String), i64>,
    /// Dropped counts and impressions: their environment is gone or outside the edge's regions.
    pub(super) dropped: u64,
}

impl Usage {
    /// Adds a batch. Drops entries outside the reporter's regions or without an environment.
    pub(super) fn add(
        &mut self,
        reporter: &Reporter,
        batch: &UsageBatch,
        owners: &HashMap<EnvId, Owner>,
        now: OffsetDateTime,
    ) {
        let owner = |env_id: EnvId| {
            let owner = owners.get(&env_id)?;
            let is_allowed = reporter.regions.allow(&owner.region);
            is_allowed.then_some(owner.org_id)
        };
        for counted in &batch.evaluations {
            let env_id = counted.env_id.into();
            match owner(env_id) {
                Some(org_id) => {
                    let of_edge = self.by_edge.entry((org_id, reporter.edge.clone()));
                    let sum = of_edge.or_default();
                    *sum = sum.saturating_add(plausible_count(counted));
                    self.orgs.entry(org_id).or_default().count(env_id, counted);
                }
                None => self.dropped += 1,
            }
        }
        for shown in &batch.impressions {
            match owner(shown.env_id.into()) {
                // Postgres cannot store NUL, and edges reject it.
                Some(org_id) if !has_nul(shown) => {
                    let org = self.orgs.entry(org_id).or_default();
                    let at_ms = plausible(shown.at_ms, now);
                    org.impressions.push(Impression {
                        at_ms,
                        ..shown.clone()
                    });
                }
                Some(_) | None => self.dropped += 1,
            }
        }
    }
}

impl OrgUsage {
    fn count(&mut self, env_id: EnvId, counted: &EvaluationCount) {
        let cannot_be_a_flag =
            counted.flag_key.len() > LONGEST_KEY || counted.flag_key.contains('\0');
        let key = CounterKey {
            flag_key: if cannot_be_a_flag {
                OTHER.to_owned()
            } else {
                counted.flag_key.clone()
            },
            env_id,
            reason: counted.reason.as_str(),
        };
        let count = plausible_count(counted);
        let series = SeriesKey::of(&key, counted);
        let sum = self.series.entry(series).or_default();
        *sum = sum.saturating_add(count);
        self.add(key, count);
    }

    pub(super) fn has_evaluated(&self) -> bool {
        let not_found = Reason::NotFound.as_str();
        self.counts.keys().any(|key| key.reason != not_found)
    }

    /// Merges the series that are neither `known` nor among the first `room` others.
    pub(super) fn bound_series(&mut self, known: &HashSet<SeriesKey>, mut room: usize) {
        let mut bounded = BTreeMap::new();
        for (key, count) in mem::take(&mut self.series) {
            let key = if known.contains(&key) {
                key
            } else if room > 0 {
                room -= 1;
                key
            } else {
                key.beyond()
            };
            let sum: &mut i64 = bounded.entry(key).or_default();
            *sum = sum.saturating_add(count);
        }
        self.series = bounded;
    }

    /// The keys without a flag, except for those counted together.
    pub(super) fn unknown(&self) -> impl Iterator<Item = &CounterKey> {
        self.counts.keys().filter(|key| is_unknown(key))
    }

    /// Merges the counts of keys that are neither `known` nor within the bound. `unknown_keys` is the number of keys counted
    /// individually, before and after.
    pub(super) fn bound_unknown(
        &mut self,
        known: &HashSet<(EnvId, String)>,
        unknown_keys: &mut i64,
    ) {
        let new: Vec<CounterKey> = self
            .unknown()
            .filter(|key| !known.contains(&(key.env_id, key.flag_key.clone())))
            .cloned()
            .collect();
        let room = usize::try_from(MAX_UNKNOWN_KEYS - *unknown_keys).unwrap_or(0);
        let admitted = room.min(new.len());
        *unknown_keys += i64::try_from(admitted).unwrap_or(0);
        for key in new.into_iter().skip(admitted) {
            let Some(count) = self.counts.remove(&key) else {
                continue;
            };
            let other = CounterKey {
                flag_key: OTHER.to_owned(),
                ..key
            };
            self.add(other, count);
        }
    }

    fn add(&mut self, key: CounterKey, count: i64) {
        match self.counts.entry(key) {
            Entry::Vacant(entry) => {
                entry.insert(count);
            }
            Entry::Occupied(mut entry) => {
                let sum = entry.get().saturating_add(count);
                entry.insert(sum);
            }
        }
    }
}

impl SeriesKey {
    /// Keys without a flag share one series per environment: any client can make them up.
    fn of(key: &CounterKey, counted: &EvaluationCount) -> Self {
        let is_unknown = counted.reason == Reason::NotFound;
        let is_shown = !is_unknown && is_value(&counted.value) && is_key(&counted.variant_key);
        let shown = |text: &String| {
            if is_shown {
                text.clone()
            } else {
                String::new()
            }
        };
        Self {
            env_id: key.env_id,
            flag_key: if is_unknown { OTHER } else { &key.flag_key }.to_owned(),
            reason: key.reason.to_owned(),
            value: shown(&counted.value),
            variant_key: shown(&counted.variant_key),
        }
    }

    /// The shared series beyond the bound.
    fn beyond(self) -> Self {
        Self {
            flag_key: OTHER.to_owned(),
            value: String::new(),
            variant_key: String::new(),
            ..self
        }
    }
}

/// No edge counts more between two batches. It keeps sums within 64 bits whatever a faulty edge sends.
fn plausible_count(counted: &EvaluationCount) -> i64 {
    i64::try_from(counted.count.min(1 << 48)).unwrap_or(i64::MAX)
}

/// Whether a reported value is valid. Postgres cannot store NUL, which JSON always escapes.
pub(super) fn is_value(text: &str) -> bool {
    let is_digest =
        |digest: &str| digest.len() == 16 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    match text.strip_prefix(DIGEST) {
        Some(digest) => is_digest(digest),
        None => text.len() <= MAX_VALUE && serde_json::from_str::<IgnoredAny>(text).is_ok(),
    }
}

pub(super) fn is_key(text: &str) -> bool {
    text.len() <= LONGEST_KEY && !text.contains('\0')
}

fn is_unknown(key: &CounterKey) -> bool {
    key.reason == Reason::NotFound.as_str() && key.flag_key != OTHER
}

/// A plausible time of receipt: in the past, and within the time that batch numbers are kept. Before its first connection an
/// edge uses its machine's clock, which may be years off; impressions from the future would remain the newest and never be
/// evicted.
fn plausible(at_ms: i64, now: OffsetDateTime) -> i64 {
    let unix_ms = |time: OffsetDateTime| {
        i64::try_from(time.unix_timestamp_nanos().div_euclid(1_000_000)).unwrap_or(i64::MAX)
    };
    at_ms.clamp(unix_ms(now - REMEMBERED), unix_ms(now))
}

fn has_nul(shown: &Impression) -> bool {
    [&shown.flag_key, &shown.variant_key, &shown.user_key]
        .iter()
        .any(|text| text.contains('\0'))
}

#[cfg(test)]
mod tests;
