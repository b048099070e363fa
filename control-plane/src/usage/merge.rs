//! Merges many batches into one write per organization.

use std::collections::{BTreeMap, HashMap, HashSet, btree_map::Entry};

use protocol::{
    reason::Reason,
    wire::usage::{EvaluationCount, Impression, UsageBatch},
};

use super::{
    Reporter,
    collector::REMEMBERED,
    model::{MAX_UNKNOWN_KEYS, OTHER},
};
use time::OffsetDateTime;

use crate::ids::{EnvId, OrgId};

/// Bytes of the longest key that a flag can have.
const LONGEST_KEY: usize = 255;
/// No edge answers this often between two batches. It keeps sums within 64 bits whatever a broken edge sends.
const HIGHEST_COUNT: u64 = 1 << 48;

/// The owner of an environment.
#[derive(Clone, Debug)]
pub(super) struct Place {
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

/// What is written for one organization.
#[derive(Debug, Default)]
pub(super) struct OrgUsage {
    pub(super) counts: BTreeMap<CounterKey, i64>,
    /// In batch order.
    pub(super) impressions: Vec<Impression>,
}

/// What is written, by organization.
#[derive(Debug, Default)]
pub(super) struct Usage {
    pub(super) orgs: BTreeMap<OrgId, OrgUsage>,
    /// Number of dropped counts and impressions, of environments that are gone or outside the edge's regions.
    pub(super) dropped: u64,
}

impl Usage {
    /// Adds a batch. What is outside the reporter's regions, or belongs to no environment, is dropped.
    pub(super) fn add(
        &mut self,
        reporter: &Reporter,
        batch: &UsageBatch,
        places: &HashMap<EnvId, Place>,
        now: OffsetDateTime,
    ) {
        let place = |env_id: EnvId| {
            let place = places.get(&env_id)?;
            reporter
                .regions
                .allow(&place.region)
                .then_some(place.org_id)
        };
        for counted in &batch.evaluations {
            let env_id = counted.env_id.into();
            match place(env_id) {
                Some(org_id) => self.orgs.entry(org_id).or_default().count(env_id, counted),
                None => self.dropped += 1,
            }
        }
        for shown in &batch.impressions {
            match place(shown.env_id.into()) {
                // Postgres cannot store NUL, and no edge lets it through.
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
        let count = i64::try_from(counted.count.min(HIGHEST_COUNT)).unwrap_or(i64::MAX);
        self.add(key, count);
    }

    /// Whether a flag was evaluated, and not only a key asked for that none has.
    pub(super) fn has_evaluated(&self) -> bool {
        let not_found = Reason::NotFound.as_str();
        self.counts.keys().any(|key| key.reason != not_found)
    }

    /// The keys that no flag has, except for those counted together.
    pub(super) fn unknown(&self) -> impl Iterator<Item = &CounterKey> {
        self.counts.keys().filter(|key| is_unknown(key))
    }

    /// Merges the counts of keys that are neither `known` nor within the bound. `unknown_keys` is the number of keys
    /// with a count of their own, before and after.
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

fn is_unknown(key: &CounterKey) -> bool {
    key.reason == Reason::NotFound.as_str() && key.flag_key != OTHER
}

/// A time of receipt as it may be: in the past, and not so long ago that the batch could no longer be told from others.
/// An edge that was never greeted goes by its machine's clock, which may be years off; what comes from the future would
/// be the newest for ever, and never make room for others.
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
mod tests {
    use protocol::wire::usage::{EvaluationCount, UsageBatch};
    use time::macros::datetime;
    use uuid::Uuid;

    use super::*;
    use crate::publish::Regions;

    const NOW: OffsetDateTime = datetime!(2026-05-04 12:00 UTC);

    fn env(number: u128) -> EnvId {
        EnvId(Uuid::from_u128(number))
    }

    fn batch(counts: &[(u128, &str, Reason, u64)]) -> UsageBatch {
        let count =
            |&(number, flag_key, reason, count): &(u128, &str, Reason, u64)| EvaluationCount {
                env_id: env(number).into(),
                flag_key: flag_key.to_owned(),
                reason,
                count,
            };
        UsageBatch {
            boot: [0; 16],
            sequence: 1,
            evaluations: counts.iter().map(count).collect(),
            impressions: Vec::new(),
            keys_used: Vec::new(),
        }
    }

    /// Environment 1 belongs to an organization in `eu`, 2 and 3 to one in `us`.
    fn places() -> HashMap<EnvId, Place> {
        let place = |org: u128, region: &str| Place {
            org_id: OrgId(Uuid::from_u128(org)),
            region: region.to_owned(),
        };
        HashMap::from([
            (env(1), place(10, "eu")),
            (env(2), place(20, "us")),
            (env(3), place(20, "us")),
        ])
    }

    /// In the form `org env key reason count`.
    fn written(usage: &Usage) -> Vec<String> {
        let orgs = usage.orgs.iter().flat_map(|(org_id, org)| {
            org.counts.iter().map(move |(key, count)| {
                let (org, env) = (org_id.0.as_u128(), key.env_id.0.as_u128());
                format!("{org} {env} {} {} {count}", key.flag_key, key.reason)
            })
        });
        orgs.collect()
    }

    #[test]
    fn equal_counters_of_many_batches_are_added() {
        let mut usage = Usage::default();
        let first = batch(&[(1, "a", Reason::Rollout, 2), (3, "a", Reason::Rollout, 1)]);
        let second = batch(&[(1, "a", Reason::Rollout, 3), (1, "a", Reason::Disabled, 1)]);
        for batch in [first, second] {
            usage.add(&Reporter::built_in(), &batch, &places(), NOW);
        }
        let expected = ["10 1 a DISABLED 1", "10 1 a ROLLOUT 5", "20 3 a ROLLOUT 1"];
        assert_eq!(written(&usage), expected);
        assert_eq!(usage.dropped, 0);
    }

    #[test]
    fn an_edge_reports_for_its_regions_and_what_exists() {
        let mut usage = Usage::default();
        let batch = batch(&[
            (1, "a", Reason::Rollout, 1),
            (2, "a", Reason::Rollout, 1),
            (9, "a", Reason::Rollout, 1),
        ]);
        let reporter = Reporter::joined("fra", Regions::Only("eu".into()));
        usage.add(&reporter, &batch, &places(), NOW);
        assert_eq!(written(&usage), ["10 1 a ROLLOUT 1"]);
        assert_eq!(usage.dropped, 2);
    }

    #[test]
    fn what_a_broken_edge_sends_stays_within_bounds() {
        let mut usage = Usage::default();
        let long = "a".repeat(LONGEST_KEY + 1);
        let batch = batch(&[
            (1, "a", Reason::Rollout, u64::MAX),
            (1, &long, Reason::NotFound, 1),
            (1, "nul\0", Reason::NotFound, 1),
        ]);
        usage.add(&Reporter::built_in(), &batch, &places(), NOW);
        let expected = [
            "10 1 __other__ NOT_FOUND 2",
            "10 1 a ROLLOUT 281474976710656",
        ];
        assert_eq!(written(&usage), expected);
    }

    #[test]
    fn impressions_are_neither_of_the_future_nor_older_than_any_batch() {
        let now_ms = 1_777_896_000_000;
        let oldest = now_ms - 90 * 24 * 3_600_000;
        for (said, taken) in [
            (now_ms - 1, now_ms - 1),
            (now_ms + 1, now_ms),
            (i64::MAX, now_ms),
            (oldest, oldest),
            (oldest - 1, oldest),
            (i64::MIN, oldest),
        ] {
            assert_eq!(plausible(said, NOW), taken, "{said}");
        }
    }

    #[test]
    fn unknown_keys_beyond_the_bound_are_counted_together() {
        let mut usage = Usage::default();
        let batch = batch(&[
            (1, "flag", Reason::Rollout, 1),
            (1, "known", Reason::NotFound, 4),
            (1, "new-1", Reason::NotFound, 1),
            (1, "new-2", Reason::NotFound, 2),
            (1, "new-3", Reason::NotFound, 3),
        ]);
        usage.add(&Reporter::built_in(), &batch, &places(), NOW);
        let org = usage.orgs.values_mut().next().unwrap();
        let known = HashSet::from([(env(1), "known".to_owned())]);
        let mut unknown_keys = MAX_UNKNOWN_KEYS - 1;
        org.bound_unknown(&known, &mut unknown_keys);
        assert_eq!(unknown_keys, MAX_UNKNOWN_KEYS);
        let expected = [
            "10 1 __other__ NOT_FOUND 5",
            "10 1 flag ROLLOUT 1",
            "10 1 known NOT_FOUND 4",
            "10 1 new-1 NOT_FOUND 1",
        ];
        assert_eq!(written(&usage), expected);
    }
}
