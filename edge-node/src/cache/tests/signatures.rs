//! The signature of what is stored.

use protocol::{
    eval::Environment,
    signature::SigningKey,
    wire::{merge, signed},
};

use super::*;

/// The signature of what a change leads to.
fn signature_of(snapshot: &Snapshot) -> Signature {
    let signer = SigningKey::from_seed(&[1; 32]).unwrap();
    let environment = Environment::prepare(snapshot).unwrap();
    signer.sign(&environment.contents(), 1)
}

/// The same change with a signature.
fn signed_as(change: Change, signature: &Signature) -> Change {
    let signed =
        |frame: bytes::Bytes| bytes::Bytes::from(signed::with(frame.to_vec(), Some(signature)));
    match change {
        Change::Whole {
            epoch,
            version,
            frame,
        } => Change::Whole {
            epoch,
            version,
            frame: signed(frame),
        },
        Change::Delta {
            base,
            version,
            frame,
        } => Change::Delta {
            base,
            version,
            frame: signed(frame),
        },
        other => other,
    }
}

fn signed_whole(snapshot: &Snapshot) -> Change {
    signed_as(whole(snapshot), &signature_of(snapshot))
}

fn signed_change(snapshot: &mut Snapshot, value: &str) -> Change {
    let change = change(snapshot, value);
    signed_as(change, &signature_of(snapshot))
}

/// The version of each frame that a new start reads, and its signature.
fn found(folder: &TempDir) -> Vec<(Version, Option<Signature>)> {
    let mut found = Vec::new();
    let opened = Cache::open(folder.path(), &origin(), &mut |_, push, signature| {
        let version = match push {
            Push::Snapshot(snapshot, _) => snapshot.head.version,
            Push::Delta(delta) => delta.head.version,
            Push::Removed { .. } => 0,
        };
        found.push((version, signature));
        true
    });
    assert!(matches!(opened.unwrap().1, Start::Loaded(_)));
    found
}

#[test]
fn the_newest_version_alone_comes_back_and_with_its_signature() {
    let folder = TempDir::new().unwrap();
    let mut cache = opened(&folder);
    let mut held = snapshot(1, 1, &["a"]);
    cache.write(env(1), &signed_whole(&held)).unwrap();
    cache.write(env(1), &signed_change(&mut held, "b")).unwrap();
    cache
        .write(env(1), &Change::Adopted { epoch: EPOCH })
        .unwrap();
    drop(cache);
    assert_eq!(found(&folder), [(2, Some(signature_of(&held)))]);

    let mut cache = opened(&folder);
    cache.write(env(1), &change(&mut held, "c")).unwrap();
    drop(cache);
    assert_eq!(found(&folder), [(3, None)]);
}

#[test]
fn frames_are_stored_as_the_releases_before_read_them() {
    let folder = TempDir::new().unwrap();
    let mut cache = opened(&folder);
    let held = snapshot(1, 1, &["a"]);
    cache.write(env(1), &signed_whole(&held)).unwrap();
    let header = cache.header(env(1)).unwrap().unwrap();
    let Change::Whole { frame, .. } = whole(&held) else {
        unreachable!()
    };
    assert_eq!(header.length(), frame.len());
    let chunk = cache.db.get(header::chunk_key(env(1), 0, 0));
    assert_eq!(chunk.unwrap().unwrap(), frame);
}

#[test]
fn merged_frames_have_the_signature_of_the_last() {
    let folder = TempDir::new().unwrap();
    let mut cache = opened(&folder);
    let mut held = snapshot(1, 1, &["a", "b"]);
    cache.write(env(1), &signed_whole(&held)).unwrap();
    for number in 0..DELTAS {
        let change = signed_change(&mut held, &number.to_string());
        cache.write(env(1), &change).unwrap();
    }
    drop(cache);
    let version = held.head.version;
    assert_eq!(found(&folder), [(version, Some(signature_of(&held)))]);

    // Changes that waited, the first of which were written before the disk failed.
    let mut cache = opened(&folder);
    let changes: Vec<_> = (0..10)
        .map(|number| signed_change(&mut held, &format!("then {number}")))
        .collect();
    cache.write(env(1), &changes[0]).unwrap();
    let merged = coalesce(env(1), changes);
    let [Change::Delta { frame, .. }] = &merged[..] else {
        panic!("{merged:?}")
    };
    assert_eq!(signed::signature(frame), Ok(Some(signature_of(&held))));
    assert!(merge::read(frame).is_ok());
    cache.write(env(1), &merged[0]).unwrap();
    drop(cache);
    let version = held.head.version;
    assert_eq!(found(&folder), [(version, Some(signature_of(&held)))]);
}

#[test]
fn a_signature_of_something_else_is_none() {
    let held = snapshot(1, 1, &["a"]);
    let record = |cache: &Cache| cache.signatures.get(env(1).uuid().as_bytes()).unwrap();
    let put = |cache: &Cache, record: Vec<u8>| {
        let key = env(1).uuid();
        cache.signatures.insert(key.as_bytes(), record).unwrap();
    };
    // What a release before leaves when it writes the same version of another history.
    let folder = TempDir::new().unwrap();
    let mut cache = opened(&folder);
    cache.write(env(1), &signed_whole(&held)).unwrap();
    let before = record(&cache).unwrap().to_vec();
    let other = snapshot(1, 1, &["b"]);
    cache.write(env(1), &whole(&other)).unwrap();
    assert_eq!(record(&cache), None);
    put(&cache, before.clone());
    drop(cache);
    assert_eq!(found(&folder), [(1, None)]);

    let cache = opened(&folder);
    for damage in [&before[..before.len() - 1], b"no record", b""] {
        put(&cache, damage.to_vec());
        let mut read = Vec::new();
        cache
            .hand_out(&mut |_, _, signature| {
                read.push(signature);
                true
            })
            .unwrap();
        assert_eq!(read, [None]);
    }
}

#[test]
fn nothing_is_left_of_an_environment_that_is_gone() {
    let folder = TempDir::new().unwrap();
    let mut cache = opened(&folder);
    for number in 1..=2 {
        let held = snapshot(number, 1, &["a"]);
        cache.write(env(number), &signed_whole(&held)).unwrap();
    }
    cache.write(env(1), &Change::Removed).unwrap();
    assert_eq!(cache.signatures.len(), 1);
    // A release before removes an environment and leaves its signature.
    let record = cache.signatures.get(env(2).uuid().as_bytes()).unwrap();
    cache.write(env(2), &Change::Removed).unwrap();
    cache
        .signatures
        .insert(env(2).uuid().as_bytes(), record.unwrap())
        .unwrap();
    drop(cache);
    assert_eq!(opened(&folder).signatures.len(), 0);
}
