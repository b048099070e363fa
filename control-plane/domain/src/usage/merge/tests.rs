//! Merging and its bounds.

use protocol::wire::usage::{EvaluationCount, UsageBatch};
use time::macros::datetime;
use uuid::Uuid;

use super::*;
use fanout::Regions;

const NOW: OffsetDateTime = datetime!(2026-05-04 12:00 UTC);

fn env(number: u128) -> EnvId {
    EnvId(Uuid::from_u128(number))
}

fn batch(counts: &[(u128, &str, Reason, u64)]) -> UsageBatch {
    let count = |&(number, flag_key, reason, count): &(u128, &str, Reason, u64)| EvaluationCount {
        env_id: env(number).into(),
        flag_key: flag_key.to_owned(),
        reason,
        value: "true".to_owned(),
        variant_key: String::new(),
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
fn owners() -> HashMap<EnvId, Owner> {
    let owner = |org: u128, region: &str| Owner {
        org_id: OrgId(Uuid::from_u128(org)),
        region: region.to_owned(),
    };
    HashMap::from([
        (env(1), owner(10, "eu")),
        (env(2), owner(20, "us")),
        (env(3), owner(20, "us")),
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
        usage.add(&Reporter::built_in(), &batch, &owners(), NOW);
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
    usage.add(&reporter, &batch, &owners(), NOW);
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
    usage.add(&Reporter::built_in(), &batch, &owners(), NOW);
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

/// In the form `env key reason value variant count`.
fn series(usage: &Usage) -> Vec<String> {
    let series = usage.orgs.values().flat_map(|org| &org.series);
    series
        .map(|(key, count)| {
            let env = key.env_id.0.as_u128();
            let SeriesKey {
                flag_key,
                reason,
                value,
                variant_key,
                ..
            } = key;
            format!("{env} {flag_key} {reason} {value} {variant_key} {count}")
        })
        .collect()
}

#[test]
fn series_are_told_apart_by_what_was_served() {
    let mut usage = Usage::default();
    let mut counted = batch(&[
        (1, "a", Reason::Variant, 1),
        (1, "a", Reason::Variant, 2),
        (1, "a", Reason::Variant, 4),
        (1, "a", Reason::Targeted, 8),
        (1, "a", Reason::Targeted, 16),
        (1, "nowhere", Reason::NotFound, 32),
        (1, "nobody", Reason::NotFound, 64),
    ]);
    let long = format!("\"{}\"", "a".repeat(MAX_VALUE));
    for (counted, (value, variant_key)) in counted.evaluations.iter_mut().zip([
        ("1", "x"),
        ("1", "y"),
        ("1", "x"),
        ("#0123456789abcdef", ""),
        // Never sent by an edge.
        (long.as_str(), ""),
        ("null", ""),
        ("null", ""),
    ]) {
        value.clone_into(&mut counted.value);
        variant_key.clone_into(&mut counted.variant_key);
    }
    usage.add(&Reporter::built_in(), &counted, &owners(), NOW);
    let expected = [
        "1 __other__ NOT_FOUND   96",
        "1 a TARGETED   16",
        "1 a TARGETED #0123456789abcdef  8",
        "1 a VARIANT 1 x 5",
        "1 a VARIANT 1 y 2",
    ];
    assert_eq!(series(&usage), expected);
}

#[test]
fn series_beyond_the_bound_are_counted_together() {
    let mut usage = Usage::default();
    let counted = batch(&[
        (1, "a", Reason::Rollout, 1),
        (1, "b", Reason::Rollout, 2),
        (1, "c", Reason::Rollout, 4),
        (1, "d", Reason::Rollout, 8),
        (1, "e", Reason::Fallthrough, 16),
    ]);
    usage.add(&Reporter::built_in(), &counted, &owners(), NOW);
    let org = usage.orgs.values_mut().next().unwrap();
    let known = org.series.keys().filter(|key| key.flag_key == "d").cloned();
    let known = known.collect();
    org.bound_series(&known, 1);
    let expected = [
        "1 __other__ FALLTHROUGH   16",
        "1 __other__ ROLLOUT   6",
        "1 a ROLLOUT true  1",
        "1 d ROLLOUT true  8",
    ];
    assert_eq!(series(&usage), expected);
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
    usage.add(&Reporter::built_in(), &batch, &owners(), NOW);
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
