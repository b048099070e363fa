//! Where clients write down what they asked and what they got.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use harness::places;

use super::history::{History, Outcome, Read, Span, Told};

/// A history that is being made.
pub struct Recorder {
    began: Instant,
    seed: u64,
    history: Mutex<History>,
    newest: Mutex<BTreeMap<String, Newest>>,
}

/// The newest that an edge has served, and told its streams.
#[derive(Clone, Copy, Debug, Default)]
pub struct Newest {
    pub served: u64,
    pub told: u64,
}

impl Recorder {
    pub fn new(seed: u64, history: History) -> Self {
        Self {
            began: Instant::now(),
            seed,
            history: Mutex::new(history),
            newest: Mutex::default(),
        }
    }

    pub fn now(&self) -> Duration {
        self.began.elapsed()
    }

    pub fn since(&self, from: Duration) -> Span {
        Span {
            from,
            to: self.now(),
        }
    }

    pub fn history(&self) -> MutexGuard<'_, History> {
        lock(&self.history)
    }

    pub fn read(&self, read: Read) {
        if let Outcome::Done(seen) = &read.outcome {
            let mut newest = lock(&self.newest);
            let of_edge = newest.entry(read.edge.clone()).or_default();
            of_edge.served = of_edge.served.max(seen.version);
        }
        self.history().reads.push(read);
    }

    pub fn told(&self, edge: &str, stream: u64, version: u64) {
        let of_edge = edge.to_owned();
        let mut newest = lock(&self.newest);
        let newest = newest.entry(of_edge.clone()).or_default();
        newest.told = newest.told.max(version);
        self.history().told.push(Told {
            at: self.now(),
            edge: of_edge,
            stream,
            version,
        });
    }

    pub fn newest(&self, edge: &str) -> Newest {
        lock(&self.newest).get(edge).copied().unwrap_or_default()
    }

    /// Writes the history to a file; where it is.
    pub fn save(&self) -> PathBuf {
        let folder = places::target().join("chaos");
        fs::create_dir_all(&folder).expect("a folder for histories");
        let path = folder.join(format!("{}.jsonl", self.seed));
        let mut file = BufWriter::new(File::create(&path).expect("a file for the history"));
        self.history().write_to(&mut file).expect("it is written");
        file.flush().expect("it is written");
        path
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("seed {}, history in {}", self.seed, self.save().display());
        }
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
