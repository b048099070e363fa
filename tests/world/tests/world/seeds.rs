//! Runs the worlds of many seeds, each in a process of its own: nothing is left over from one to the next.

use std::{
    env,
    process::{Command, Output},
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use crate::{dice, world};

/// The seed of this process.
const SEED: &str = "HALYARD_WORLD_SEED";
/// The seeds that are run: `a..b`.
const SEEDS: &str = "HALYARD_WORLD_SEEDS";
/// Whether one that fails is enough.
const FIRST: &str = "HALYARD_WORLD_FIRST";
/// Seeds of a run of all tests.
const USUAL: &str = "0..50";

#[test]
fn worlds_keep_their_word() {
    if let Ok(seed) = env::var(SEED) {
        return live(seed.parse().unwrap());
    }
    let seeds = env::var(SEEDS).unwrap_or_else(|_| USUAL.to_owned());
    let (first, end) = seeds.split_once("..").expect("seeds are given as a..b");
    let (first, end): (u64, u64) = (first.parse().unwrap(), end.parse().unwrap());
    let is_first = env::var(FIRST).is_ok();
    let (next, failed) = (AtomicU64::new(first), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= end {
                        return;
                    }
                    let is_enough = is_first && !failed.lock().unwrap().is_empty();
                    if is_enough {
                        return;
                    }
                    let Output { status, stdout, .. } = in_process(seed);
                    if !status.success() {
                        let told = String::from_utf8_lossy(&stdout).into_owned();
                        failed.lock().unwrap().push((seed, told));
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    if let Some((seed, told)) = failed.iter().min() {
        let seeds: Vec<_> = failed.iter().map(|(seed, _)| seed).collect();
        panic!(
            "seeds {seeds:?} of {first}..{end} failed. {SEED}={seed} runs the first again:\n{told}"
        );
    }
}

fn in_process(seed: u64) -> Output {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "seeds::worlds_keep_their_word", "--nocapture"])
        .env(SEED, seed.to_string())
        .output()
        .unwrap()
}

fn live(seed: u64) {
    // A world that hangs would not end by virtual time.
    thread::spawn(|| {
        thread::sleep(Duration::from_secs(60));
        println!("the world has not ended after a minute");
        std::process::exit(1);
    });
    dice::decide_everything(seed);
    let lived = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            // So that work is done in the order in which it was begun.
            .max_blocking_threads(1)
            .build()
            .unwrap();
        let lived = runtime.block_on(world::run(seed));
        runtime.shutdown_background();
        lived
    });
    let (story, result) = lived.join().unwrap();
    if let Err(wrong) = result {
        println!("{}\nseed {seed}: {wrong}", story.join("\n"));
        panic!("the world of seed {seed} is wrong");
    }
    if env::var("HALYARD_WORLD_STORY").is_ok() {
        println!("{}", story.join("\n"));
    }
}
