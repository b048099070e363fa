//! What was found worth keeping holds still, and so do variations of it.

use std::{
    env, fs,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    path::Path,
    time::{Duration, Instant},
};

use fuzz::{TARGETS, Target};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng, seq::IndexedRandom as _};

/// How long each target gets variations.
const VARIED_FOR: Duration = Duration::from_secs(6);

/// Longer inputs take long and say little more.
const LONGEST: usize = 16 << 10;

/// Bytes that parsers treat in ways of their own.
const SPECIAL: &[u8] = &[0, 0x7f, 0x80, 0xff, b'"', b'[', b'{', b'\\', b'\n', b'%'];

/// The kept inputs of a target.
fn kept(target: &Target) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let files = fs::read_dir(folder.join(target.name)).unwrap();
    let inputs: Vec<_> = files
        .map(|file| fs::read(file.unwrap().path()).unwrap())
        .collect();
    assert!(!inputs.is_empty(), "{}", target.name);
    inputs
}

/// Runs a target, and leaves the input behind if something does not hold.
fn run(target: &Target, input: &[u8]) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| (target.run)(input))) {
        let file = env::temp_dir().join(format!("halyard-fuzz-{}", target.name));
        fs::write(&file, input).unwrap();
        eprintln!(
            "{} is in {}",
            String::from_utf8_lossy(input),
            file.display()
        );
        resume_unwind(panic);
    }
}

/// Changes an input in one way.
fn vary(input: &mut Vec<u8>, others: &[Vec<u8>], random: &mut StdRng) {
    let place = random.random_range(0..=input.len());
    let end = input.len().min(place + random.random_range(1..=8_usize));
    match random.random_range(0..5) {
        0 if place < end => input[place] ^= 1 << random.random_range(0..8),
        1 if place < end => input[place] = *SPECIAL.choose(random).unwrap(),
        2 => drop(input.drain(place..end)),
        3 => {
            let bytes: [u8; 4] = random.random();
            input.splice(place..end, bytes);
        }
        _ => {
            let other = others.choose(random).unwrap();
            let from = random.random_range(0..=other.len());
            let to = other.len().min(from + random.random_range(1..64_usize));
            input.splice(place..end, other[from..to].iter().copied());
        }
    }
    input.truncate(LONGEST);
}

fn holds(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let kept = kept(target);
    kept.iter().for_each(|input| run(target, input));
    let given = env::var("HALYARD_FUZZ_SEED").ok();
    let seed: u64 = given.map_or_else(rand::random, |seed| seed.parse().unwrap());
    eprintln!("HALYARD_FUZZ_SEED={seed}");
    let mut random = StdRng::seed_from_u64(seed);
    let (began, mut tried) = (Instant::now(), 0_u32);
    while began.elapsed() < VARIED_FOR {
        let mut input = kept.choose(&mut random).unwrap().clone();
        for _ in 0..random.random_range(1..5) {
            vary(&mut input, &kept, &mut random);
        }
        run(target, &input);
        tried += 1;
    }
    assert!(tried > 100, "only {tried} variations");
}

macro_rules! each {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            holds(stringify!($name));
        })*

        #[test]
        fn every_target_is_tried() {
            let names: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
            assert_eq!(names, [$(stringify!($name)),*]);
        }
    };
}

each! { addresses bodies contents edge files gateways link patterns scim sources }
