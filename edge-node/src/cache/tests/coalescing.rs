//! Many changes as few.

use super::*;

/// What is stored once `changes` are written on top of `before`.
fn stored_after(before: &Snapshot, changes: &[Change]) -> Vec<Snapshot> {
    let folder = TempDir::new().unwrap();
    let mut cache = opened(&folder);
    let env_id = before.head.env_id;
    cache.write(env_id, &whole(before)).unwrap();
    for change in changes {
        cache.write(env_id, change).unwrap();
    }
    drop(cache);
    restart(&folder).1
}

#[test]
fn deltas_become_one() {
    let before = snapshot(1, 1, &["a", "b"]);
    let mut served = before.clone();
    let deltas = (0..100).map(|n| change(&mut served, &n.to_string()));
    let merged = coalesce(env(1), deltas.collect());
    assert!(
        matches!(
            merged[..],
            [Change::Delta {
                base: 1,
                version: 101,
                ..
            }]
        ),
        "{merged:?}"
    );
    assert_eq!(stored_after(&before, &merged), [served]);
}

#[test]
fn a_whole_environment_takes_in_its_deltas_and_its_epoch() {
    let mut served = snapshot(1, 1, &["a", "b"]);
    let Change::Whole { version, frame, .. } = whole(&served) else {
        unreachable!()
    };
    let first = Change::Whole {
        epoch: Epoch([0; 16]),
        version,
        frame,
    };
    let changes = vec![
        first,
        change(&mut served, "b"),
        Change::Adopted { epoch: EPOCH },
        change(&mut served, "c"),
    ];
    let merged = coalesce(env(1), changes);
    assert!(
        matches!(
            merged[..],
            [Change::Whole {
                epoch: EPOCH,
                version: 3,
                ..
            }]
        ),
        "{merged:?}"
    );
    assert_eq!(stored_after(&snapshot(1, 1, &["x"]), &merged), [served]);
}

#[test]
fn an_epoch_between_deltas_comes_last() {
    let before = snapshot(1, 1, &["a"]);
    let mut served = before.clone();
    let changes = vec![
        change(&mut served, "b"),
        Change::Adopted { epoch: EPOCH },
        change(&mut served, "c"),
    ];
    let merged = coalesce(env(1), changes);
    assert!(
        matches!(merged[..], [Change::Delta { .. }, Change::Adopted { .. }]),
        "{merged:?}"
    );
    assert_eq!(stored_after(&before, &merged), [served]);
}

#[test]
fn merged_deltas_that_begin_before_what_is_stored_are_taken_in() {
    let before = snapshot(1, 1, &["a", "b"]);
    let mut served = before.clone();
    let deltas: Vec<_> = (0..100)
        .map(|n| change(&mut served, &n.to_string()))
        .collect();
    // These were written by an attempt that failed, and wait all the same.
    let mut changes = deltas[..2].to_vec();
    changes.extend(coalesce(env(1), deltas));
    let mut then = served.clone();
    changes.push(change(&mut then, "then"));
    assert_eq!(stored_after(&before, &changes), [then]);
}

#[test]
fn merged_deltas_of_another_history_are_left_out() {
    let mut served = snapshot(1, 1, &["a", "b"]);
    let deltas = (0..100).map(|n| change(&mut served, &n.to_string()));
    let merged = coalesce(env(1), deltas.collect());
    let other = snapshot(1, 2, &["a", "c"]);
    assert_eq!(stored_after(&other, &merged), [other]);
    let newer = snapshot(1, 102, &["a", "c"]);
    assert_eq!(stored_after(&newer, &merged), [newer]);
}

#[test]
fn what_cannot_be_merged_stays_as_it_is() {
    let mut served = snapshot(1, 1, &["a"]);
    let first = change(&mut served, "b");
    change(&mut served, "lost");
    let merged = coalesce(env(1), vec![first, change(&mut served, "c")]);
    assert!(
        matches!(merged[..], [Change::Delta { .. }, Change::Delta { .. }]),
        "{merged:?}"
    );
    assert!(matches!(
        coalesce(env(1), vec![Change::Removed])[..],
        [Change::Removed]
    ));
}
