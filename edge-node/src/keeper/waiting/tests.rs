use bytes::Bytes;
use protocol::wire::message::Epoch;
use uuid::Uuid;

use super::*;

fn env(number: u128) -> EnvId {
    Uuid::from_u128(number).into()
}

fn whole(version: u64) -> Change {
    Change::Whole {
        epoch: Epoch([0; 16]),
        version,
        frame: Bytes::from_static(b"whole"),
    }
}

fn delta(base: u64) -> Change {
    Change::Delta {
        base,
        version: base + 1,
        frame: Bytes::from_static(b"delta"),
    }
}

fn adopted() -> Change {
    Change::Adopted {
        epoch: Epoch([0; 16]),
    }
}

fn names(work: &Work, env_id: EnvId) -> Vec<String> {
    let name = |change: &Change| match change {
        Change::Whole { version, .. } => format!("whole {version}"),
        Change::Delta { version, .. } => format!("delta {version}"),
        Change::Adopted { .. } => "adopted".to_owned(),
        Change::Removed => "removed".to_owned(),
    };
    let changes = work.environments.get(&env_id);
    changes.into_iter().flatten().map(name).collect()
}

fn batch(sequence: u64) -> Arc<UsageBatch> {
    Arc::new(UsageBatch {
        boot: [1; 16],
        sequence,
        evaluations: Vec::new(),
        ..UsageBatch::default()
    })
}

fn store(sequence: u64) -> Upkeep {
    Upkeep {
        store: vec![batch(sequence)],
        remove: Vec::new(),
    }
}

fn remove(sequence: u64) -> Upkeep {
    Upkeep {
        store: Vec::new(),
        remove: vec![BatchId::of(&batch(sequence))],
    }
}

#[test]
fn a_whole_snapshot_replaces_what_waited_before_it() {
    let mut waiting = Waiting::default();
    waiting.add(env(1), delta(1));
    waiting.add(env(1), whole(5));
    waiting.add(env(1), delta(5));
    assert_eq!(names(&waiting.take(), env(1)), ["whole 5", "delta 6"]);
    assert_eq!(waiting.bytes, 0);
}

#[test]
fn what_is_put_back_comes_before_what_was_added_since() {
    let mut waiting = Waiting::default();
    waiting.add(env(1), delta(1));
    waiting.add(env(2), delta(1));
    let work = waiting.take();
    waiting.add(env(1), delta(2));
    waiting.add(env(2), whole(7));
    waiting.put_back(work);
    let work = waiting.take();
    assert_eq!(names(&work, env(1)), ["delta 2", "delta 3"]);
    assert_eq!(names(&work, env(2)), ["whole 7"]);
}

#[test]
fn an_environment_beyond_the_bound_is_dropped() {
    let mut waiting = Waiting::default();
    let frame = Bytes::from(vec![0; 48 << 20]);
    waiting.add(env(2), whole(1));
    for base in 0..3 {
        let change = Change::Delta {
            base,
            version: base + 1,
            frame: frame.clone(),
        };
        waiting.add(env(1), change);
    }
    assert!(!waiting.has(env(1)));
    assert_eq!(names(&waiting.take(), env(2)), ["whole 1"]);
}

#[test]
fn environments_that_come_and_go_while_nothing_is_written_are_bounded() {
    let mut waiting = Waiting::default();
    for number in 0..1_000_000 {
        waiting.add(env(number), Change::Removed);
    }
    assert!(waiting.environments.len() <= LIMIT / OVERHEAD);
    assert!(waiting.bytes <= LIMIT);
}

#[test]
fn greetings_while_nothing_is_written_are_one_change() {
    let mut waiting = Waiting::default();
    for _ in 0..1_000 {
        waiting.add(env(1), adopted());
    }
    assert_eq!(waiting.bytes, OVERHEAD);
    assert_eq!(names(&waiting.take(), env(1)), ["adopted"]);
}

#[test]
fn only_environments_for_which_many_wait_are_taken_to_be_merged() {
    let mut waiting = Waiting::default();
    (0..5).for_each(|base| waiting.add(env(1), delta(base)));
    (0..3).for_each(|base| waiting.add(env(2), delta(base)));
    let work = waiting.take_many(4);
    assert_eq!(names(&work, env(1)).len(), 5);
    assert!(!waiting.has(env(1)) && waiting.has(env(2)));
    waiting.put_back(work);
    waiting.take();
    assert_eq!(waiting.bytes, 0);
}

#[test]
fn batches_that_come_and_go_while_nothing_is_written_leave_nothing() {
    let mut waiting = Waiting::default();
    waiting.set_usage_on_disk([BatchId::of(&batch(1))].into());
    for sequence in 1..1_000 {
        waiting.add_usage(store(sequence));
        waiting.add_usage(remove(sequence));
    }
    // Only of the one that is on disk is there something to remove.
    let work = waiting.take();
    let id = BatchId::of(&batch(1));
    assert_eq!(Vec::from_iter(work.usage.keys().copied()), [id]);
    assert!(work.usage[&id].is_none());
    waiting.written(&work);
    assert!(waiting.usage_on_disk.is_empty());
}

#[test]
fn a_batch_that_is_being_written_is_removed_afterwards() {
    let mut waiting = Waiting::default();
    waiting.add_usage(store(1));
    let work = waiting.take();
    waiting.add_usage(remove(1));
    // Whether or not it got onto the disk.
    waiting.put_back(work);
    let work = waiting.take();
    assert!(work.usage[&BatchId::of(&batch(1))].is_none());

    // Found not to be there after all.
    waiting.put_back(work);
    waiting.set_usage_on_disk(BTreeSet::new());
    assert!(waiting.is_empty());
}
