//! Batches of usage in the cache.

use protocol::{
    reason::Reason,
    wire::usage::{EvaluationCount, UsageBatch},
};

use super::*;

/// A batch of some hundred kilobytes that do not compress, or of a single count.
pub(super) fn batch(boot: u8, sequence: u64, entries: u64) -> UsageBatch {
    let count = |number: u64| EvaluationCount {
        env_id: env(1),
        flag_key: hex::encode(sha2_of(number)),
        reason: Reason::NotFound,
        value: "null".to_owned(),
        variant_key: String::new(),
        count: sequence,
    };
    UsageBatch {
        boot: [boot; 16],
        sequence,
        evaluations: (0..entries).map(count).collect(),
        ..UsageBatch::default()
    }
}

#[test]
fn batches_come_back_until_they_are_removed() {
    let folder = TempDir::new().unwrap();
    let (_, _, mut cache) = restart(&folder);
    assert_eq!(cache.take_found().usage, []);
    let batches = [batch(1, 9, 4_000), batch(1, 10, 1), batch(2, 1, 1)];
    for batch in &batches {
        cache.write_usage(batch).unwrap();
    }
    let grown = batch(2, 1, 2);
    cache.write_usage(&grown).unwrap();
    cache.flush().unwrap();
    drop(cache);

    let (start, _, mut cache) = restart(&folder);
    assert_eq!(start, Start::Loaded(0));
    let [first, second, _] = batches;
    assert_eq!(
        cache.take_found().usage,
        [first.clone(), second, grown.clone()]
    );
    cache.remove_usage(BatchId::of(&first)).unwrap();
    cache.write_usage(&batch(1, 10, 3)).unwrap();
    drop(cache);
    let (_, _, mut cache) = restart(&folder);
    assert_eq!(cache.take_found().usage, [batch(1, 10, 3), grown]);
}

#[test]
fn a_batch_that_shrank_leaves_no_old_chunks() {
    let folder = TempDir::new().unwrap();
    let (_, _, cache) = restart(&folder);
    cache.write_usage(&batch(1, 1, 4_000)).unwrap();
    cache.write_usage(&batch(1, 1, 1)).unwrap();
    drop(cache);
    let (_, _, mut cache) = restart(&folder);
    assert_eq!(cache.take_found().usage, [batch(1, 1, 1)]);
}

#[test]
fn only_the_damaged_batch_is_dropped() {
    let folder = TempDir::new().unwrap();
    let (_, _, mut cache) = restart(&folder);
    cache
        .write(env(1), &whole(&snapshot(1, 1, &["a"])))
        .unwrap();
    let batches = [batch(1, 1, 1), batch(1, 2, 4_000), batch(1, 3, 1)];
    for batch in &batches {
        cache.write_usage(batch).unwrap();
    }
    let (key, _) = cache.usage.iter().nth(2).unwrap().unwrap();
    cache.usage.insert(key, b"something else").unwrap();
    drop(cache);
    let (start, held, mut cache) = restart(&folder);
    assert_eq!((start, held.len()), (Start::Loaded(1), 1));
    let [first, _, third] = batches;
    assert_eq!(cache.take_found().usage, [first, third]);
}

#[test]
fn batches_survive_damage_of_the_environments() {
    let folder = TempDir::new().unwrap();
    let (_, _, mut cache) = restart(&folder);
    cache
        .write(env(1), &whole(&snapshot(1, 1, &["a"])))
        .unwrap();
    cache.write_usage(&batch(1, 1, 4_000)).unwrap();
    cache.db.remove(env(1).uuid().as_bytes()).unwrap();
    drop(cache);
    let (start, _, mut cache) = restart(&folder);
    assert_eq!(start, Start::Empty);
    assert_eq!(cache.take_found().usage, [batch(1, 1, 4_000)]);
}
