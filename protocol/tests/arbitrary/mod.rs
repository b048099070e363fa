//! Random environments, small enough that flags, segments and attributes often refer to each other.

use proptest::{collection::vec, option, prelude::*, sample::select};
use protocol::{
    bucketing::Bucketing,
    ids::{FlagId, SegmentId},
    snapshot::{
        ApiKey, Condition, Flag, FlagState, FlagType, Head, MatchType, Rule, Segment, Snapshot,
        Variant,
    },
};
use uuid::Uuid;

const OPERATORS: &[&str] = &[
    "eq",
    "neq",
    "gt",
    "gte",
    "lt",
    "lte",
    "contains",
    "notIn",
    "in",
    "regex",
    "startsWith",
    "endsWith",
    "exists",
    "no",
];
const OPERANDS: &[&str] = &[
    "",
    "a",
    "abc",
    "true",
    "false",
    "5",
    "5.0",
    "-0",
    "1e3",
    "18446744073709551616",
    "2024-01-01T00:00:00Z",
    "1.2.3",
    "1.2.3-rc.1",
    "^a.*",
    "(",
    "ü",
];
const VALUES: &[&str] = &[
    "true",
    "false",
    "null",
    "\"text\"",
    "7",
    "{\"a\":[1]}",
    "[]",
];
/// Names of attributes, for conditions and contexts.
pub(crate) const ATTRIBUTES: &[&str] = &["key", "plan", "age", "tags"];

/// A whole environment at version 1.
pub(crate) fn snapshot() -> impl Strategy<Value = Snapshot> {
    let flags = (0..12_u8)
        .map(|number| option::weighted(0.8, flag(number)))
        .collect::<Vec<_>>();
    let segments = (0..4_u8)
        .map(|number| option::weighted(0.7, segment(number)))
        .collect::<Vec<_>>();
    (flags, segments, vec(any::<(u8, Option<i64>)>(), 0..4)).prop_map(|(flags, segments, keys)| {
        let mut keys: Vec<ApiKey> = keys
            .into_iter()
            .map(|(byte, expires_at_ms)| ApiKey {
                id: id(byte).into(),
                hash: [byte; 32],
                expires_at_ms,
            })
            .collect();
        keys.sort_by_key(|key| key.hash);
        keys.dedup_by_key(|key| key.hash);
        let mut flags: Vec<Flag> = flags.into_iter().flatten().collect();
        flags.sort_by(|a, b| a.key.cmp(&b.key));
        Snapshot {
            head: head(),
            flags,
            segments: segments.into_iter().flatten().collect(),
            keys,
        }
    })
}

fn head() -> Head {
    Head {
        org_id: id(1).into(),
        project_id: id(2).into(),
        env_id: id(3).into(),
        slug: "dev".to_owned(),
        version: 1,
    }
}

fn flag(number: u8) -> impl Strategy<Value = Flag> {
    let types = [
        FlagType::Boolean,
        FlagType::String,
        FlagType::Number,
        FlagType::Json,
        FlagType::Ab,
    ];
    // Rarely more than one prerequisite, or hardly any flag would be off a cycle.
    let prerequisites = prop_oneof![3 => Just(vec![]), 1 => vec(text(&["f0", "f1", "f2", "f7", "f11", "gone"]), 1..3)];
    (
        select(types.to_vec()),
        json(),
        prerequisites,
        text(&["", "", "g1", "g2"]),
        option::weighted(0.9, state()),
    )
        .prop_map(
            move |(flag_type, default_value, prerequisites, mutual_exclusion_group, state)| Flag {
                id: FlagId::from(id(number)),
                key: format!("f{number}"),
                flag_type,
                default_value,
                prerequisites,
                mutual_exclusion_group,
                state,
            },
        )
}

fn state() -> impl Strategy<Value = FlagState> {
    let variant = (text(&["a", "b", "\"quoted\""]), json(), -5..9_000_i64)
        .prop_map(|(key, value, weight)| Variant { key, value, weight });
    (
        any::<bool>(),
        option::of(json()),
        vec(rule(), 0..4),
        option::of(-1..10_002_i64),
        vec(variant, 0..3),
        option::weighted(0.2, bucketing()),
    )
        .prop_map(
            |(enabled, default_value, rules, percentage_rollout, variants, bucketing)| FlagState {
                enabled,
                default_value,
                rules,
                percentage_rollout,
                variants,
                bucketing,
            },
        )
}

fn bucketing() -> impl Strategy<Value = Bucketing> {
    let salted = (text(&["", "salt"]), option::of(any::<i64>()));
    prop_oneof![
        text(&["", "g"]).prop_map(|group_id| Bucketing::Unleash { group_id }),
        salted.prop_map(|(salt, seed)| Bucketing::LaunchDarkly { salt, seed }),
    ]
}

fn rule() -> impl Strategy<Value = Rule> {
    let percentage = prop_oneof![Just(10_000), -1..10_001_i64];
    let segment_keys = vec(text(&["s0", "s1", "s2", "s3", "gone"]), 0..3);
    (
        text(&["r1", "r2"]),
        -1..3_i64,
        match_type(),
        vec(condition(), 0..3),
        segment_keys,
        percentage,
        option::of(json()),
    )
        .prop_map(
            |(id, priority, match_type, conditions, segment_keys, percentage, value)| Rule {
                id,
                priority,
                match_type,
                conditions,
                segment_keys,
                percentage,
                value,
            },
        )
}

fn segment(number: u8) -> impl Strategy<Value = Segment> {
    (match_type(), vec(condition(), 0..3)).prop_map(move |(match_type, rules)| Segment {
        id: SegmentId::from(id(number)),
        key: format!("s{number}"),
        match_type,
        rules,
    })
}

fn condition() -> impl Strategy<Value = Condition> {
    (text(ATTRIBUTES), text(OPERATORS), vec(text(OPERANDS), 0..3)).prop_map(
        |(attribute, operator, values)| Condition {
            attribute,
            operator,
            values,
        },
    )
}

fn match_type() -> impl Strategy<Value = MatchType> {
    select(&[MatchType::All, MatchType::Any][..])
}

fn json() -> impl Strategy<Value = String> {
    text(VALUES)
}

fn text(choices: &'static [&'static str]) -> impl Strategy<Value = String> {
    select(choices).prop_map(str::to_owned)
}

fn id(byte: u8) -> Uuid {
    Uuid::from_bytes([byte; 16])
}
