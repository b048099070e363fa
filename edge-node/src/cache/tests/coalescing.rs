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
