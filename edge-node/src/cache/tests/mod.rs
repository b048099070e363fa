//! What is read back from intact disks, and from damaged ones.

use std::{fs::OpenOptions, path::PathBuf};

use protocol::{
    digest,
    snapshot::{ApiKey, Delta, Flag, FlagType, Head, Snapshot},
    wire::frame,
};
use tempfile::TempDir;
use uuid::Uuid;

use super::{
    environments::DELTAS,
    folder::{generation, generations as numbers},
    *,
};

mod coalescing;
mod generations;
mod signatures;
mod usage;

const EPOCH: Epoch = Epoch([7; 16]);

fn flag(number: u32, value: &str) -> Flag {
    Flag {
        id: Uuid::from_u128(number.into()).into(),
        key: format!("flag-{number:05}"),
        flag_type: FlagType::Json,
        default_value: format!("{value:?}"),
        ..Flag::default()
    }
}

fn env(number: u128) -> EnvId {
    Uuid::from_u128(number).into()
}

fn snapshot(number: u128, version: Version, values: &[&str]) -> Snapshot {
    let id = Uuid::from_u128(1);
    Snapshot {
        head: Head {
            org_id: id.into(),
            project_id: id.into(),
            env_id: env(number),
            slug: "dev".to_owned(),
            version,
        },
        flags: (0..)
            .zip(values)
            .map(|(number, value)| flag(number, value))
            .collect(),
        keys: vec![ApiKey {
            id: id.into(),
            hash: [3; 32],
            expires_at_ms: None,
        }],
        ..Snapshot::default()
    }
}

/// Several hundred kilobytes that do not compress.
fn large(number: u128, version: Version) -> Snapshot {
    let values: Vec<_> = (0..2_000u64)
        .map(|n| hex::encode(sha2_of(n ^ (version << 32))))
        .collect();
    snapshot(
        number,
        version,
        &values.iter().map(String::as_str).collect::<Vec<_>>(),
    )
}

fn sha2_of(n: u64) -> [u8; 32] {
    use sha2::Digest as _;
    sha2::Sha256::digest(n.to_le_bytes()).into()
}

fn whole(snapshot: &Snapshot) -> Change {
    let push = Push::Snapshot(snapshot.clone(), digest::of(snapshot));
    Change::Whole {
        epoch: EPOCH,
        version: snapshot.head.version,
        frame: frame::encode(&push).unwrap().into(),
    }
}

/// Changes the first flag, and `snapshot` with it.
fn change(snapshot: &mut Snapshot, value: &str) -> Change {
    let base = snapshot.head.version;
    snapshot.head.version += 1;
    snapshot.flags[0] = flag(0, value);
    let delta = Delta {
        head: snapshot.head.clone(),
        base,
        digest: digest::of(snapshot),
        flags: vec![snapshot.flags[0].clone()],
        ..Delta::default()
    };
    Change::Delta {
        base,
        version: base + 1,
        frame: frame::encode(&Push::Delta(delta)).unwrap().into(),
    }
}

/// What a new start reads from the folder: the environments handed out, put together.
fn restart(folder: &TempDir) -> (Start, Vec<Snapshot>, Cache) {
    let mut held: Vec<Snapshot> = Vec::new();
    let (cache, start) = Cache::open(folder.path(), &origin(), &mut |epoch, push, _| {
        assert_eq!(epoch, EPOCH);
        match push {
            Push::Snapshot(snapshot, digest) => {
                assert_eq!(digest::of(&snapshot), digest);
                held.push(snapshot);
                true
            }
            Push::Delta(delta) => held.last_mut().unwrap().apply(delta).is_ok(),
            Push::Removed { .. } => false,
        }
    })
    .unwrap();
    (start, held, cache)
}

fn origin() -> Origin {
    Origin {
        certificate: [1; 32],
        region: None,
    }
}

fn opened(folder: &TempDir) -> Cache {
    restart(folder).2
}

#[test]
fn what_was_written_comes_back() {
    let folder = TempDir::new().unwrap();
    let mut cache = opened(&folder);
    let mut first = large(1, 10);
    let second = snapshot(2, 20, &["a"]);
    cache.write(env(1), &whole(&first)).unwrap();
    cache.write(env(2), &whole(&second)).unwrap();
    for value in ["b", "c"] {
        cache.write(env(1), &change(&mut first, value)).unwrap();
    }
    cache.flush().unwrap();
    drop(cache);

    let (start, held, mut cache) = restart(&folder);
    assert_eq!(start, Start::Loaded(2));
    assert_eq!(held, [first.clone(), second.clone()]);

    cache.write(env(2), &Change::Removed).unwrap();
    cache
        .write(env(1), &whole(&snapshot(1, 30, &["x"])))
        .unwrap();
    drop(cache);
    let (start, held, _cache) = restart(&folder);
    assert_eq!(start, Start::Loaded(1));
    assert_eq!(held, [snapshot(1, 30, &["x"])]);
}

#[test]
fn many_deltas_are_merged() {
    let folder = TempDir::new().unwrap();
    let mut cache = opened(&folder);
    let mut served = snapshot(1, 1, &["a", "b"]);
    cache.write(env(1), &whole(&served)).unwrap();
    for n in 0..200 {
        cache
            .write(env(1), &change(&mut served, &n.to_string()))
            .unwrap();
    }
    assert!(cache.header(env(1)).unwrap().unwrap().parts.len() <= DELTAS + 1);
    assert!(cache.db.len() <= DELTAS + 4);
    drop(cache);
    assert_eq!(restart(&folder).1, [served]);
}

#[test]
fn a_delta_that_leaves_a_gap_is_left_out() {
    let folder = TempDir::new().unwrap();
    let mut cache = opened(&folder);
    let before = snapshot(1, 1, &["a"]);
    let mut served = before.clone();
    cache.write(env(1), &whole(&served)).unwrap();
    change(&mut served, "lost");
    cache.write(env(1), &change(&mut served, "late")).unwrap();
    cache.write(env(1), &change(&mut served, "later")).unwrap();
    // For an environment that is not stored at all.
    cache
        .write(env(2), &change(&mut snapshot(2, 1, &["a"]), "b"))
        .unwrap();
    let stored = Stored {
        epoch: EPOCH,
        version: 1,
    };
    assert_eq!(cache.stored(env(1)).unwrap(), Some(stored));
    assert_eq!(cache.stored(env(2)).unwrap(), None);
    drop(cache);
    let (_, held, mut cache) = restart(&folder);
    assert_eq!(held, [before]);

    cache.write(env(1), &whole(&served)).unwrap();
    drop(cache);
    assert_eq!(restart(&folder).1, [served]);
}

#[test]
fn an_adopted_environment_keeps_its_contents() {
    let folder = TempDir::new().unwrap();
    let mut cache = opened(&folder);
    let served = snapshot(1, 1, &["a"]);
    let Change::Whole { version, frame, .. } = whole(&served) else {
        unreachable!()
    };
    cache
        .write(
            env(1),
            &Change::Whole {
                epoch: Epoch([0; 16]),
                version,
                frame,
            },
        )
        .unwrap();
    cache
        .write(env(1), &Change::Adopted { epoch: EPOCH })
        .unwrap();
    drop(cache);
    assert_eq!(restart(&folder).1, [served]);
}

#[test]
fn two_processes_do_not_share_a_folder() {
    let folder = TempDir::new().unwrap();
    let _cache = opened(&folder);
    let second = Cache::open(folder.path(), &origin(), &mut |_, _, _| true);
    assert!(matches!(second.err(), Some(CacheError::InUse)));
}

/// The files of every generation: two of sled's, and ours.
const FILES: [&str; 4] = ["db", "conf", "stamp", "origin"];

fn file(folder: &TempDir, name: &str) -> PathBuf {
    let newest = numbers(folder.path()).unwrap().into_iter().max();
    generation(folder.path(), newest.unwrap()).join(name)
}

/// Starts from a damaged folder: with everything that was written, if the damage made no difference, or with nothing.
/// Then the cache must work again.
fn survives(folder: &TempDir, written: &[Snapshot], how: &str) {
    let (start, held, cache) = restart(folder);
    assert!(
        start == Start::Empty || held == written,
        "{how}: something else than was written: {:?}",
        held.len()
    );
    // Damage noticed only at the next start costs one more empty one.
    let fresh = snapshot(9, 99, &["fresh"]);
    let mut cache = cache;
    for _ in 0..2 {
        cache.write(env(9), &whole(&fresh)).unwrap();
        drop(cache);
        let (_, held, next) = restart(folder);
        cache = next;
        if held.contains(&fresh) {
            assert_eq!(
                numbers(folder.path()).unwrap().len(),
                1,
                "{how}: an old generation is left"
            );
            return;
        }
    }
    panic!("{how}: the cache does not work any more");
}

/// A folder with an environment that was written twice, and another one; and its contents.
fn filled() -> (TempDir, Vec<Snapshot>) {
    let folder = TempDir::new().unwrap();
    let mut cache = opened(&folder);
    let mut written = vec![large(1, 10), large(1, 11), large(2, 5)];
    for snapshot in &written {
        cache.write(snapshot.head.env_id, &whole(snapshot)).unwrap();
        cache.flush().unwrap();
    }
    drop(cache);
    written.remove(0);
    (folder, written)
}

#[test]
fn files_cut_short_never_give_wrong_contents() {
    for name in FILES {
        for part in [0, 1, 3] {
            let (folder, written) = filled();
            let path = &file(&folder, name);
            let length = fs::metadata(path).unwrap().len() * part / 4;
            OpenOptions::new()
                .write(true)
                .open(path)
                .unwrap()
                .set_len(length)
                .unwrap();
            survives(
                &folder,
                &written,
                &format!("{} cut to {length}", path.display()),
            );
        }
    }
}

#[test]
fn flipped_bytes_never_give_wrong_contents() {
    for name in FILES {
        for part in 1..8 {
            let (folder, written) = filled();
            let path = &file(&folder, name);
            let mut bytes = fs::read(path).unwrap();
            let place = bytes.len() * part / 8;
            bytes
                .iter_mut()
                .skip(place)
                .take(16)
                .for_each(|byte| *byte = !*byte);
            fs::write(path, bytes).unwrap();
            survives(
                &folder,
                &written,
                &format!("{} flipped at {place}", path.display()),
            );
        }
    }
}

#[test]
fn missing_files_never_give_wrong_contents() {
    for name in FILES {
        let (folder, written) = filled();
        let path = &file(&folder, name);
        fs::remove_file(path).unwrap();
        survives(&folder, &written, &format!("{} removed", path.display()));
    }
}

#[test]
fn lost_records_mean_an_empty_start() {
    let records = |cache: &Cache, env_id: EnvId| {
        let header = cache.header(env_id).unwrap().unwrap();
        let chunks: Vec<_> = header.chunk_keys(env_id).map(Vec::from).collect();
        assert!(chunks.len() > 2, "the environment has several chunks");
        [vec![env_id.uuid().as_bytes().to_vec()], chunks].concat()
    };
    for lost in [0..1, 1..2, 0..usize::MAX] {
        let (folder, _) = filled();
        let cache = opened(&folder);
        let records = records(&cache, env(1));
        for record in &records[lost.start..lost.end.min(records.len())] {
            cache.db.remove(record).unwrap();
        }
        drop(cache);
        assert_eq!(restart(&folder).0, Start::Empty, "records {lost:?}");
    }
}

#[test]
fn an_older_state_of_the_store_means_an_empty_start() {
    let folder = TempDir::new().unwrap();
    let mut cache = opened(&folder);
    cache
        .write(env(1), &whole(&snapshot(1, 1, &["a"])))
        .unwrap();
    drop(cache);
    let older = TempDir::new().unwrap();
    let path = generation(folder.path(), 0);
    for file in ["db", "conf"] {
        fs::copy(path.join(file), older.path().join(file)).unwrap();
    }
    let mut cache = opened(&folder);
    cache
        .write(env(1), &whole(&snapshot(1, 2, &["b"])))
        .unwrap();
    drop(cache);
    for file in ["db", "conf"] {
        fs::copy(older.path().join(file), path.join(file)).unwrap();
    }
    assert_eq!(restart(&folder).0, Start::Empty);
}
