//! What batches hold, when they close, and how they end.

use uuid::Uuid;

use super::*;
use crate::usage::Given;
use protocol::{eval::Answer, wire::usage::MAX_ENTRIES};

const BOOT: [u8; 16] = [1; 16];

fn env() -> EnvId {
    Uuid::from_u128(1).into()
}

/// Environments below 10 are of one organization, the others of another.
fn org_of(env_id: EnvId) -> Option<OrgId> {
    let number = u128::from(env_id.uuid().as_u128() >= 10);
    Some(Uuid::from_u128(number).into())
}

fn counted(flag_key: &str, count: u64) -> Collected {
    let given = Given::of(&Answer {
        reason: Reason::Fallthrough,
        value_json: "true",
        variant_key: "",
    });
    let mut collected = Collected::default();
    collected.tally.add(env(), flag_key, &given, count);
    collected
}

fn shown(number: usize, bytes: usize) -> Impression {
    Impression {
        env_id: env(),
        flag_key: number.to_string(),
        variant_key: String::new(),
        user_key: "u".repeat(bytes),
        at_ms: 0,
    }
}

fn tracked(impressions: Vec<Impression>) -> Collected {
    Collected {
        impressions,
        ..Collected::default()
    }
}

/// Number of the oldest batch, and the sum of its counts.
fn oldest(waiting: &mut Waiting) -> Option<(u64, u64)> {
    let batch = waiting.oldest()?;
    let counts = batch.evaluations.iter().map(|counted| counted.count);
    Some((batch.sequence, counts.sum()))
}

fn store(waiting: &mut Waiting, sequence: u64) {
    waiting.stored(BatchId {
        boot: BOOT,
        sequence,
    });
}

#[test]
fn without_a_link_counts_are_added_to_one_batch() {
    let mut waiting = Waiting::new(BOOT);
    for _ in 0..1_000 {
        waiting.add(counted("flag", 3), org_of);
    }
    assert_eq!(waiting.count(), 1);
    assert_eq!(oldest(&mut waiting), Some((1, 3_000)));
}

#[test]
fn a_batch_that_was_handed_out_does_not_change() {
    let mut waiting = Waiting::new(BOOT);
    waiting.add(counted("flag", 1), org_of);
    assert_eq!(oldest(&mut waiting), Some((1, 1)));
    waiting.add(counted("flag", 10), org_of);
    waiting.add(counted("flag", 10), org_of);
    assert_eq!(oldest(&mut waiting), Some((1, 1)), "sent again as it was");
    store(&mut waiting, 1);
    assert_eq!(oldest(&mut waiting), Some((2, 20)));
    store(&mut waiting, 1);
    assert_eq!(oldest(&mut waiting), Some((2, 20)), "an answer twice");
    store(&mut waiting, 2);
    assert_eq!(oldest(&mut waiting), None);
    waiting.add(Collected::default(), org_of);
    assert_eq!(
        oldest(&mut waiting),
        None,
        "nothing collected makes no batch"
    );
}

#[test]
fn the_newest_batch_closes_once_somebody_waits_for_it() {
    let mut waiting = Waiting::new(BOOT);
    assert_eq!(waiting.newest(), None);
    waiting.add(counted("flag", 1), org_of);
    let newest = waiting.newest().unwrap();
    waiting.add(counted("flag", 1), org_of);
    assert!(waiting.has(newest));
    store(&mut waiting, newest.sequence);
    assert!(!waiting.has(newest));
    assert_eq!(oldest(&mut waiting), Some((2, 1)));
}

#[test]
fn batches_stay_within_what_the_control_plane_takes() {
    let mut waiting = Waiting::new(BOOT);
    let many = (0..25_000).map(|number| shown(number, 0)).collect();
    waiting.add(tracked(many), org_of);
    let long = (0..500).map(|number| shown(number, 1_536)).collect();
    waiting.add(tracked(long), org_of);
    let mut keys = Collected::default();
    for number in 0..15_000 {
        let key = format!("{number:0250}");
        keys.tally.add(env(), &key, &Given::not_found(), 1);
    }
    waiting.add(keys, org_of);

    let (mut impressions, mut evaluations) = (Vec::new(), 0);
    while let Some(batch) = waiting.oldest() {
        assert_eq!(batch.check(), Ok(()));
        let frame = protocol::wire::codec::encode(&*batch);
        assert!(frame.len() < protocol::wire::frame::UPLOAD_LIMIT);
        evaluations += batch.evaluations.len();
        let shown = batch.impressions.iter();
        impressions.extend(shown.map(|shown| shown.flag_key.parse::<usize>().unwrap()));
        waiting.stored(BatchId::of(&batch));
    }
    assert_eq!(evaluations, 15_000);
    let order = (0..25_000).chain(0..500);
    assert!(impressions.into_iter().eq(order), "in order of receipt");
}

#[test]
fn beyond_the_bound_the_oldest_is_dropped() {
    let mut waiting = Waiting::new(BOOT);
    for number in 0..80_000 {
        waiting.add(tracked(vec![shown(number, 1_024)]), org_of);
    }
    assert!(waiting.bytes <= LIMIT);
    let first = waiting.oldest().unwrap();
    assert!(first.sequence > 1, "the first is gone");
    let kept: usize = waiting
        .closed
        .iter()
        .map(|closed| closed.batch.impressions.len())
        .sum();
    let open = waiting.open.impressions.len();
    let oldest = first.impressions[0].flag_key.parse::<usize>().unwrap();
    assert_eq!(kept + open, 80_000 - oldest, "nothing else is gone");
}

/// Impressions of another organization, in several environments, of some 70 MB.
fn flood(waiting: &mut Waiting) {
    for number in 0..48_000 {
        let env_id = Uuid::from_u128(10 + number as u128 % 40).into();
        let long = shown(number, 1_400);
        waiting.add(tracked(vec![Impression { env_id, ..long }]), org_of);
    }
}

/// Evaluations of a flag and impressions of its environment, all that wait.
fn all_of(waiting: &mut Waiting, env_id: EnvId) -> (u64, usize) {
    let mut all = (0, 0);
    while let Some(batch) = waiting.oldest() {
        let counts = batch.evaluations.iter().filter(|it| it.env_id == env_id);
        all.0 += counts.map(|it| it.count).sum::<u64>();
        let shown = batch.impressions.iter().filter(|it| it.env_id == env_id);
        all.1 += shown.count();
        waiting.stored(BatchId::of(&batch));
    }
    assert_eq!((waiting.bytes, waiting.unknown), (0, 0));
    all
}

#[test]
fn beyond_the_bound_the_organization_with_the_most_loses_its_impressions() {
    let mut waiting = Waiting::new(BOOT);
    for number in 0..50 {
        waiting.add(counted("flag", 3), org_of);
        waiting.add(tracked(vec![shown(number, 100)]), org_of);
    }
    flood(&mut waiting);
    assert!(waiting.bytes <= LIMIT);
    assert_eq!(all_of(&mut waiting, env()), (150, 50));
}

#[test]
fn what_an_earlier_run_left_is_bounded_in_the_same_way() {
    let mut earlier = Waiting::new([9; 16]);
    earlier.add(counted("flag", 3), org_of);
    earlier.add(tracked(vec![shown(1, 100)]), org_of);
    flood(&mut earlier);
    earlier.close();
    let batches = earlier.closed.iter();
    let batches = batches.map(|closed| UsageBatch::clone(&closed.batch));

    let mut waiting = Waiting::new(BOOT);
    flood(&mut waiting);
    waiting.restore(batches.collect(), org_of);
    assert!(waiting.bytes <= LIMIT);
    assert_eq!(all_of(&mut waiting, env()), (3, 1));
}

#[test]
fn impressions_are_dropped_before_counts_whoever_has_more_of_them() {
    let mut waiting = Waiting::new(BOOT);
    let given = |number: usize| {
        Given::of(&Answer {
            reason: Reason::Fallthrough,
            value_json: &number.to_string(),
            variant_key: &"v".repeat(1_000),
        })
    };
    let mut counts = Collected::default();
    for number in 0..40_000 {
        let flag_key = (number / 100).to_string();
        counts.tally.add(env(), &flag_key, &given(number), 1);
    }
    waiting.add(counts, org_of);
    flood(&mut waiting);
    assert!(waiting.bytes <= LIMIT);
    assert_eq!(all_of(&mut waiting, env()), (40_000, 0));
}

#[test]
fn counts_are_dropped_once_there_is_nothing_else() {
    let mut waiting = Waiting::new(BOOT);
    waiting.add(counted("flag", 7), org_of);
    let theirs = Uuid::from_u128(10).into();
    for round in 0..8 {
        let mut counts = Collected::default();
        for number in 0..10_000 {
            let given = Given::of(&Answer {
                reason: Reason::Fallthrough,
                value_json: &(number % 100).to_string(),
                variant_key: &"v".repeat(1_000),
            });
            let flag_key = format!("{round}-{}", number / 100);
            counts.tally.add(theirs, &flag_key, &given, 1);
        }
        waiting.add(counts, org_of);
    }
    assert!(waiting.bytes <= LIMIT);
    let sent = waiting.oldest().unwrap();
    assert_eq!(sent.evaluations[0].count, 7);
    assert_eq!(all_of(&mut waiting, env()), (7, 0));
}

#[test]
fn made_up_keys_that_wait_are_bounded_and_cost_no_batch() {
    let mut waiting = Waiting::new(BOOT);
    waiting.add(counted("flag", 1), org_of);
    for round in 0..7 {
        let mut junk = Collected::default();
        for number in 0..10_000 {
            let key = format!("{round}-{number}-{}", "x".repeat(240));
            junk.tally.add(env(), &key, &Given::not_found(), 1);
        }
        waiting.add(junk, org_of);
    }
    assert!(waiting.bytes < LIMIT / 2, "{} bytes", waiting.bytes);
    let mut counts = 0;
    while let Some(batch) = waiting.oldest() {
        counts += batch
            .evaluations
            .iter()
            .map(|count| count.count)
            .sum::<u64>();
        waiting.stored(BatchId::of(&batch));
    }
    assert_eq!((counts, waiting.unknown), (70_001, 0));
}

#[test]
fn the_disk_is_updated_once_for_what_waits_and_for_what_is_done() {
    let mut waiting = Waiting::new(BOOT);
    let upkeep = |waiting: &mut Waiting| {
        let upkeep = waiting.upkeep();
        let stored: Vec<_> = upkeep
            .store
            .iter()
            .map(|batch| (batch.sequence, batch.evaluations[0].count))
            .collect();
        let removed: Vec<_> = upkeep.remove.iter().map(|id| id.sequence).collect();
        (stored, removed)
    };
    waiting.add(counted("flag", 1), org_of);
    assert_eq!(upkeep(&mut waiting), (vec![(1, 1)], vec![]));
    waiting.add(Collected::default(), org_of);
    assert_eq!(upkeep(&mut waiting), (vec![], vec![]));
    waiting.add(counted("flag", 1), org_of);
    assert_eq!(upkeep(&mut waiting), (vec![(1, 2)], vec![]), "it grew");

    assert_eq!(oldest(&mut waiting), Some((1, 2)));
    waiting.add(counted("flag", 5), org_of);
    assert_eq!(upkeep(&mut waiting), (vec![(2, 5)], vec![]));
    store(&mut waiting, 1);
    assert_eq!(upkeep(&mut waiting), (vec![], vec![1]));

    waiting.add(counted("flag", 1), org_of);
    assert_eq!(oldest(&mut waiting), Some((2, 6)));
    store(&mut waiting, 2);
    assert_eq!(
        upkeep(&mut waiting),
        (vec![], vec![2]),
        "an older state was there"
    );

    waiting.add(counted("flag", 1), org_of);
    assert_eq!(oldest(&mut waiting), Some((3, 1)));
    store(&mut waiting, 3);
    assert_eq!(upkeep(&mut waiting), (vec![], vec![]), "it was never there");
}

#[test]
fn a_batch_that_closed_after_growing_is_written_in_its_last_state() {
    let mut waiting = Waiting::new(BOOT);
    waiting.add(counted("flag", 1), org_of);
    waiting.upkeep();
    let mut grown = counted("flag", 1);
    grown.impressions = (0..MAX_ENTRIES + 1)
        .map(|number| shown(number, 0))
        .collect();
    waiting.add(grown, org_of);
    let written: Vec<_> = waiting.upkeep().store;
    let sequences: Vec<_> = written.iter().map(|batch| batch.sequence).collect();
    assert_eq!(sequences, [1, 2]);
    assert_eq!(written[0].evaluations[0].count, 2);
}

#[test]
fn batches_of_an_earlier_run_are_sent_first_under_their_own_numbers() {
    let mut earlier = Waiting::new([9; 16]);
    earlier.add(counted("flag", 1), org_of);
    let first = earlier.oldest().unwrap();
    earlier.stored(BatchId::of(&first));
    earlier.add(counted("flag", 2), org_of);
    let second = earlier.oldest().unwrap();

    let mut waiting = Waiting::new(BOOT);
    waiting.add(counted("flag", 7), org_of);
    assert_eq!(oldest(&mut waiting), Some((1, 7)));
    waiting.restore(
        vec![UsageBatch::clone(&first), UsageBatch::clone(&second)],
        org_of,
    );
    for batch in [first, second] {
        assert_eq!(waiting.oldest(), Some(Arc::clone(&batch)));
        waiting.stored(BatchId::of(&batch));
    }
    assert_eq!(oldest(&mut waiting), Some((1, 7)));
}
