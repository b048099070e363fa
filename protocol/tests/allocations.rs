//! What allocates memory, and how much: evaluations none, hostile lengths little, prepared flags less than a kilobyte
//! each.

#![expect(
    unsafe_code,
    reason = "a global allocator that counts is an unsafe trait; it only forwards to the system's"
)]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    hint::black_box,
};

use protocol::{
    bucketing::Bucketing,
    eval::{Context, Environment, Evaluator, Scratch, evaluate},
    snapshot::{
        Condition, Flag, FlagState, FlagType, Head, MatchType, Rule, Segment, Snapshot, Variant,
    },
    wire::{
        codec,
        message::{EdgeMessage, Push},
    },
};
use uuid::Uuid;

struct Counting;

#[derive(Clone, Copy, Default)]
struct Counts {
    allocations: usize,
    /// Bytes requested so far.
    asked: usize,
    /// Bytes held now; negative if what another thread allocated is freed on this one.
    held: isize,
}

thread_local! {
    static COUNTS: Cell<Counts> = const { Cell::new(Counts { allocations: 0, asked: 0, held: 0 }) };
}

fn count(asked: usize, freed: usize) {
    COUNTS.with(|cell| {
        let mut counts = cell.get();
        counts.allocations += usize::from(asked > 0);
        counts.asked += asked;
        counts.held += asked.cast_signed() - freed.cast_signed();
        cell.set(counts);
    });
}

// SAFETY: every call is forwarded unchanged to the system's allocator; counting touches a constant-initialised cell
// without a destructor, which allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(0, layout.size());
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size, layout.size());
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What this thread allocated while `work` ran, and the result of `work`.
fn counted<T>(work: impl FnOnce() -> T) -> (Counts, T) {
    let before = COUNTS.get();
    let result = work();
    let after = COUNTS.get();
    let counts = Counts {
        allocations: after.allocations - before.allocations,
        asked: after.asked - before.asked,
        held: after.held - before.held,
    };
    (counts, result)
}

fn condition(attribute: &str, operator: &str, values: &[&str]) -> Condition {
    Condition {
        attribute: attribute.to_owned(),
        operator: operator.to_owned(),
        values: values.iter().map(|value| (*value).to_owned()).collect(),
    }
}

fn rule(conditions: Vec<Condition>, segments: &[&str], percentage: i64) -> Rule {
    Rule {
        id: "0190a3f0-0000-7000-8000-000000000001".to_owned(),
        conditions,
        segment_keys: segments.iter().map(|key| (*key).to_owned()).collect(),
        percentage,
        value: Some("true".to_owned()),
        ..Rule::default()
    }
}

/// The mix that the performance goals name: 40 % only a rollout, 30 % two conditions and a rollout, 20 % two segments
/// and a rollout, 10 % three variants; 90 % enabled; 10 segments.
fn environment(flags: usize) -> Snapshot {
    let flag = |number: usize| {
        let (flag_type, rules, percentage_rollout) = match number % 10 {
            0..4 => (FlagType::Boolean, vec![], Some(5_000)),
            4..7 => {
                let conditions = vec![
                    condition("plan", "in", &["pro", "team"]),
                    condition("age", "gte", &["18"]),
                ];
                (FlagType::Boolean, vec![rule(conditions, &[], 5_000)], None)
            }
            7..9 => (
                FlagType::Boolean,
                vec![rule(vec![], &["segment-1", "segment-2"], 5_000)],
                None,
            ),
            _ => (FlagType::Ab, vec![], None),
        };
        let variant = |(key, weight): (&str, i64)| Variant {
            key: key.to_owned(),
            value: format!("\"{key}\""),
            weight,
        };
        let is_ab = flag_type == FlagType::Ab;
        let variants = [("control", 3_333), ("a", 3_333), ("b", 3_334)]
            .into_iter()
            .filter(|_| is_ab)
            .map(variant);
        Flag {
            id: Uuid::from_u128(number as u128).into(),
            key: format!("checkout-flag-{number:05}"),
            flag_type,
            default_value: "false".to_owned(),
            state: Some(FlagState {
                enabled: !number.is_multiple_of(11),
                default_value: None,
                rules,
                percentage_rollout,
                variants: variants.collect(),
                bucketing: None,
            }),
            ..Flag::default()
        }
    };
    let segment = |number: usize| Segment {
        id: Uuid::from_u128(number as u128).into(),
        key: format!("segment-{number}"),
        match_type: MatchType::Any,
        rules: vec![
            condition("email", "endsWith", &["@example.com"]),
            condition("country", "in", &["DE", "AT"]),
        ],
    };
    Snapshot {
        head: Head {
            version: 1,
            ..Head::default()
        },
        flags: (0..flags).map(flag).collect(),
        segments: (0..10).map(segment).collect(),
        keys: vec![],
    }
}

#[test]
fn evaluating_allocates_nothing_once_the_scratch_space_has_grown() {
    let mut snapshot = environment(40);
    for number in 0..12 {
        snapshot.flags[number].prerequisites = vec![snapshot.flags[number + 20].key.clone()];
        snapshot.flags[number + 12].mutual_exclusion_group = format!("group-{}", number % 3);
    }
    for number in 30..39 {
        let unleash = Bucketing::Unleash {
            group_id: "group".to_owned(),
        };
        let launchdarkly = Bucketing::LaunchDarkly {
            salt: "0123456789abcdef0123456789abcdef".to_owned(),
            seed: None,
        };
        let bucketing = if number % 2 == 0 {
            unleash
        } else {
            launchdarkly
        };
        let state = snapshot.flags[number].state.as_mut().unwrap();
        state.bucketing = Some(bucketing);
    }
    let operators = [
        "eq",
        "neq",
        "gt",
        "contains",
        "startsWith",
        "endsWith",
        "exists",
        "notIn",
        "regex",
    ];
    let operands = [
        "5",
        "2024-01-01T00:00:00Z",
        "1.2.3-alpha.beta.gamma",
        "text",
        "\\w{3,9}@\\w+",
    ];
    let state = snapshot.flags[39].state.as_mut().unwrap();
    for operator in operators {
        for operand in operands {
            for attribute in ["age", "date", "version", "email", "tags", "exact"] {
                let mut rule = rule(vec![condition(attribute, operator, &[operand])], &[], 0);
                rule.match_type = MatchType::Any;
                state.rules.push(rule);
            }
        }
    }
    let env = Environment::prepare(&snapshot).unwrap();
    let body = r#"{"key": "user-1", "attributes": {"plan": "pro", "age": 33.5e-7, "email": "a@example.com",
        "version": "1.2.4-alpha.beta.gamma", "date": "2024-02-29T12:00:00.123+01:00", "exact": 18446744073709551615,
        "tags": ["a", 5, true, null, [1]]}}"#;
    let context: Context<'_> = serde_json::from_str(body).unwrap();
    let mut scratch = Scratch::new();
    let evaluate_all = |scratch: &mut Scratch| {
        for (flag, _) in env.flags() {
            black_box(evaluate(&env, flag, &context, scratch));
        }
        let mut evaluator = Evaluator::new(&env, &context, scratch);
        for (flag, _) in env.flags() {
            black_box(evaluator.evaluate(flag));
        }
    };

    evaluate_all(&mut scratch);
    let (counts, ()) = counted(|| (0..10).for_each(|_| evaluate_all(&mut scratch)));
    assert_eq!(counts.allocations, 0);
}

#[test]
fn hostile_lengths_reserve_little() {
    for tag in 0..3_u32 {
        for filler in [0_u8, 1, 16] {
            // A tag, zeros, and from some position on a length of a hundred thousand, wherever a length may be read.
            for place in 4..200 {
                let mut body = vec![filler; 260];
                body[..4].copy_from_slice(&tag.to_le_bytes());
                body[place..place + 8].copy_from_slice(&100_000_u64.to_le_bytes());
                let (counts, refused) = counted(|| {
                    codec::decode::<Push>(&body).is_err()
                        && codec::decode::<EdgeMessage>(&body).is_err()
                });
                assert!(refused);
                assert!(
                    counts.asked < 4 << 20,
                    "{} bytes for a body of {}",
                    counts.asked,
                    body.len()
                );
            }
        }
    }
}

#[test]
fn ten_thousand_prepared_flags_fit_eight_megabytes() {
    let snapshot = environment(10_000);
    let (counts, env) = counted(|| Environment::prepare(&snapshot).unwrap());
    assert!(counts.held < 8 << 20, "{} bytes", counts.held);
    assert_eq!(env.len(), 10_000);
}

#[test]
fn the_memory_of_an_environment_is_estimated_within_a_factor_of_two() {
    let large_sets = {
        let mut snapshot = environment(10);
        for flag in &mut snapshot.flags {
            let values: Vec<String> = (0..1_000)
                .map(|n| format!("user-{n}@example.com"))
                .collect();
            let values: Vec<&str> = values.iter().map(String::as_str).collect();
            flag.state = Some(FlagState {
                enabled: true,
                rules: vec![rule(vec![condition("email", "in", &values)], &[], 0)],
                ..FlagState::default()
            });
        }
        snapshot
    };
    let large_values = {
        let mut snapshot = environment(50);
        for flag in &mut snapshot.flags {
            flag.default_value = format!("\"{}\"", "x".repeat(20_000));
        }
        snapshot
    };
    for snapshot in [environment(1_000), large_sets, large_values] {
        let (counts, env) = counted(|| Environment::prepare(&snapshot).unwrap());
        let (held, estimated) = (counts.held as f64, env.held_bytes() as f64);
        assert!(
            (0.5..2.0).contains(&(estimated / held)),
            "{estimated} estimated, {held} held"
        );
    }
}

#[test]
fn changing_one_flag_of_ten_thousand_copies_only_pointers() {
    let snapshot = environment(10_000);
    let env = Environment::prepare(&snapshot).unwrap();
    let mut changed = snapshot.clone();
    changed.flags[5_000].state.as_mut().unwrap().enabled = false;
    let delta = protocol::snapshot::Delta {
        head: Head {
            version: 2,
            ..snapshot.head.clone()
        },
        base: 1,
        digest: protocol::digest::of(&changed),
        flags: vec![changed.flags[5_000].clone()],
        urgent: true,
        ..Default::default()
    };
    let (counts, _next) = counted(|| env.apply(&delta).unwrap());
    assert!(
        counts.allocations < 100,
        "{} allocations",
        counts.allocations
    );
    assert!(counts.asked < 300 << 10, "{} bytes", counts.asked);
}
