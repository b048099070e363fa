//! What is left of generations by a disk that fails, and by a process that is killed while it makes one.

use super::{usage::batch, *};

fn names(folder: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.filter(|name| name.starts_with("v1")).collect();
    names.sort();
    names
}

/// Something in the way of a file of ours, so that opening or writing it fails, by whatever user.
fn obstruct(path: &Path) {
    fs::create_dir(path).unwrap();
}

fn damage(folder: &TempDir) {
    let stamp = file(folder, "stamp");
    fs::write(stamp, b"something else").unwrap();
}

#[test]
fn a_disk_that_fails_to_write_keeps_the_generation() {
    let (folder, mut written) = filled();
    let mut cache = opened(&folder);
    let obstacle = file(&folder, "stamp.next");
    obstruct(&obstacle);
    let change = change(&mut written[0], "changed");
    cache.write(env(1), &change).unwrap();
    let error = cache.flush().unwrap_err();
    assert!(!error.is_final(), "{error}");
    drop(cache);

    fs::remove_dir(obstacle).unwrap();
    let (start, held, cache) = restart(&folder);
    assert_eq!((start, held), (Start::Loaded(2), written));
    drop(cache);
    assert_eq!(names(&folder), ["v1-000000"]);
}

#[test]
fn a_disk_that_fails_to_open_keeps_the_generation() {
    let (folder, written) = filled();
    let db = file(&folder, "db");
    let aside = folder.path().join("aside");
    fs::rename(&db, &aside).unwrap();
    obstruct(&db);
    for _ in 0..3 {
        let failed = Cache::open(folder.path(), &origin(), &mut |_, _, _| true);
        let error = failed.err().unwrap();
        assert!(!error.is_final(), "{error}");
    }
    fs::remove_dir(&db).unwrap();
    fs::rename(aside, db).unwrap();
    let (start, held, _cache) = restart(&folder);
    assert_eq!((start, held), (Start::Loaded(2), written));
    assert_eq!(names(&folder), ["v1-000000"]);
}

#[test]
fn a_snapshot_of_the_store_that_was_cut_short_is_no_damage() {
    for length in [0, 9, 100] {
        let (folder, written) = filled();
        let half = file(&folder, "snap.7FFFFFFFFFFFFFFF.generating");
        fs::write(&half, vec![7; length]).unwrap();
        let (start, held, _cache) = restart(&folder);
        assert_eq!((start, held), (Start::Loaded(2), written));
        assert!(!half.exists());
    }
}

#[test]
fn a_generation_that_was_not_finished_does_not_count() {
    // Killed at the beginning, in the middle, and just before it would have counted.
    let stages: [&dyn Fn(&Path); 3] = [
        &|path| fs::create_dir(path).unwrap(),
        &|path| {
            fs::create_dir_all(path.join("blobs")).unwrap();
            fs::write(path.join("db"), [0; 1000]).unwrap();
        },
        &|path| Generation::make(path, &origin(), &[]).unwrap(),
    ];
    for stage in stages {
        let (folder, written) = filled();
        stage(&folder::unfinished(folder.path(), 1));
        let (start, held, _cache) = restart(&folder);
        assert_eq!((start, held), (Start::Loaded(2), written));
        assert_eq!(names(&folder), ["v1-000000"]);
    }
}

#[test]
fn a_first_generation_that_was_not_finished_is_made_anew() {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder::unfinished(folder.path(), 0)).unwrap();
    let (start, _, _cache) = restart(&folder);
    assert_eq!(start, Start::Loaded(0));
    assert_eq!(names(&folder), ["v1-000000"]);
}

#[test]
fn what_was_replaced_is_gone_at_the_next_start() {
    let (folder, _) = filled();
    // Killed after the new generation counted, before the old one was removed.
    Generation::make(
        &folder::unfinished(folder.path(), 1),
        &origin(),
        &[batch(1, 1, 1)],
    )
    .unwrap();
    folder::finish(folder.path(), 1).unwrap();
    let (start, held, mut cache) = restart(&folder);
    assert_eq!((start, held), (Start::Loaded(0), vec![]));
    assert_eq!(cache.take_found().usage, [batch(1, 1, 1)]);
    assert_eq!(names(&folder), ["v1-000001"]);
}

#[test]
fn a_damaged_generation_stays_until_its_successor_is_complete() {
    let (folder, _) = filled();
    let mut cache = opened(&folder);
    cache.write_usage(&batch(1, 1, 4_000)).unwrap();
    cache.flush().unwrap();
    drop(cache);
    damage(&folder);
    let obstacle = folder::unfinished(folder.path(), 1);
    fs::write(&obstacle, b"").unwrap();
    for _ in 0..2 {
        let failed = Cache::open(folder.path(), &origin(), &mut |_, _, _| true);
        assert!(!failed.err().unwrap().is_final());
    }
    fs::remove_file(obstacle).unwrap();

    let (start, _, cache) = restart(&folder);
    assert_eq!(start, Start::Empty);
    assert_eq!(names(&folder), ["v1-000001"]);
    // Killed before anybody took the batches.
    drop(cache);
    let (start, _, mut cache) = restart(&folder);
    assert_eq!(start, Start::Loaded(0));
    assert_eq!(cache.take_found().usage, [batch(1, 1, 4_000)]);
}

#[test]
fn what_was_filled_for_more_regions_is_not_handed_out() {
    let (folder, written) = filled();
    let cache = opened(&folder);
    cache.write_usage(&batch(1, 1, 1)).unwrap();
    drop(cache);
    let open = |origin: &Origin| {
        let mut held = 0;
        let opened = Cache::open(folder.path(), origin, &mut |_, _, _| {
            held += 1;
            true
        });
        let (mut cache, start) = opened.unwrap();
        assert_eq!(cache.take_found().usage, [batch(1, 1, 1)]);
        (start, held, cache)
    };
    let eu = Origin {
        region: Some("eu".to_owned()),
        ..origin()
    };
    let (start, held, mut cache) = open(&eu);
    assert_eq!((start, held), (Start::Empty, 0));
    cache.write(env(1), &whole(&written[0])).unwrap();
    drop(cache);
    assert_eq!(open(&eu).1, 1);
    // Wider: what is there may stay. From now on it may be of any region.
    assert_eq!(open(&origin()).1, 1);
    assert_eq!(open(&eu).1, 0);
}

#[test]
fn what_was_filled_as_another_edge_is_not_handed_out() {
    let (folder, written) = filled();
    let other = Origin {
        certificate: [2; 32],
        ..origin()
    };
    // Renewed while it ran: the control plane has confirmed what is held.
    let mut cache = opened(&folder);
    cache.set_origin(&other).unwrap();
    drop(cache);
    let mut handed_out = 0;
    let (cache, start) = Cache::open(folder.path(), &other, &mut |_, _, _| {
        handed_out += 1;
        true
    })
    .unwrap();
    assert_eq!((start, handed_out), (Start::Loaded(written.len()), 2));
    drop(cache);
    assert_eq!(restart(&folder).0, Start::Empty);
}
